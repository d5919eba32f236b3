
pub const EVNAME_CONFIG_WORDS: u32 = 5;
pub const EVNAME_VERSION_MAJOR: u32 = 0;
pub const EVNAME_VERSION_MINOR: u32 = 2;
pub const EVNAME_VERSION_PATCH: u32 = 0;
pub type __int32_t = std::os::raw::c_int;
pub type __uint32_t = std::os::raw::c_uint;
pub type __uint64_t = std::os::raw::c_ulong;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_code {
    pub config: [u64; 5usize],
    pub type_: u32,
    pub has_type: u32,
}
pub const EVNAME_OK: evname_status = 0;
pub const EVNAME_INVALID_ARGUMENT: evname_status = 1;
pub const EVNAME_NOT_FOUND: evname_status = 2;
pub const EVNAME_OUT_OF_RANGE: evname_status = 3;
pub const EVNAME_CORRUPT: evname_status = 4;
pub const EVNAME_IO: evname_status = 5;
pub const EVNAME_UNSUPPORTED: evname_status = 6;
pub const EVNAME_NO_MEMORY: evname_status = 7;
pub const EVNAME_INTERNAL: evname_status = 8;
pub type evname_status = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_error {
    pub status: i32,
    pub padding: u32,
    pub offset: u64,
    pub message: [std::os::raw::c_char; 320usize],
    pub where_: [std::os::raw::c_char; 256usize],
    pub hint: [std::os::raw::c_char; 256usize],
}
impl Default for evname_error {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_model {
    pub arch: *const std::os::raw::c_char,
    pub name: *const std::os::raw::c_char,
    pub events: u64,
    pub reserved: [u64; 5usize],
}
impl Default for evname_model {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_machine {
    _unused: [u8; 0],
}
pub const EVNAME_NO_USER_EVENTS: evname_open_flags = 1;
pub type evname_open_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_laid_events {
    pub directory: *const std::os::raw::c_char,
    pub version: *const std::os::raw::c_char,
    pub is_users: u32,
    pub padding: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_laid_events {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_MATCHED_BY_NONE: evname_matched_by = 0;
pub const EVNAME_MATCHED_BY_CPUID: evname_matched_by = 1;
pub const EVNAME_MATCHED_BY_NAME: evname_matched_by = 2;
pub const EVNAME_MATCHED_BY_CAPS: evname_matched_by = 3;
pub const EVNAME_MATCHED_BY_ARCHITECTURE: evname_matched_by = 4;
pub type evname_matched_by = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_cpu {
    pub arch: *const std::os::raw::c_char,
    pub cpuid: *const std::os::raw::c_char,
    pub model: *const std::os::raw::c_char,
    pub note: *const std::os::raw::c_char,
    pub matched_by: u32,
    pub padding: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_cpu {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_PMU_HAS_TYPE: evname_pmu_flags = 1;
pub const EVNAME_PMU_CORE: evname_pmu_flags = 2;
pub const EVNAME_PMU_UNCORE: evname_pmu_flags = 4;
pub const EVNAME_PMU_PRESENT: evname_pmu_flags = 8;
pub type evname_pmu_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_pmu {
    pub name: *const std::os::raw::c_char,
    pub cpus: *const std::os::raw::c_char,
    pub type_: u32,
    pub flags: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_pmu {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_ATTR_EXCLUDE_USER: evname_attr_flags = 2;
pub const EVNAME_ATTR_EXCLUDE_KERNEL: evname_attr_flags = 4;
pub const EVNAME_ATTR_EXCLUDE_HV: evname_attr_flags = 8;
pub const EVNAME_ATTR_EXCLUDE_HOST: evname_attr_flags = 16;
pub const EVNAME_ATTR_EXCLUDE_GUEST: evname_attr_flags = 32;
pub const EVNAME_ATTR_EXCLUDE_IDLE: evname_attr_flags = 64;
pub const EVNAME_ATTR_PINNED: evname_attr_flags = 128;
pub const EVNAME_ATTR_EXCLUSIVE: evname_attr_flags = 256;
pub const EVNAME_ATTR_MODIFIERS: evname_attr_flags = 512;
pub type evname_attr_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_attr {
    pub pmu: *const std::os::raw::c_char,
    pub code: evname_code,
    pub period: u64,
    pub bp_type: u32,
    pub flags: u32,
    pub precise_ip: u32,
    pub leader: u32,
    pub aux_action: u32,
    pub padding: u32,
    pub reserved: [u64; 3usize],
}
impl Default for evname_attr {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_answer {
    pub first: usize,
    pub count: usize,
    pub status: i32,
    pub padding: u32,
    pub reserved: [u64; 2usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_names {
    pub names: *const std::os::raw::c_char,
    pub count: usize,
    pub qualifiers: *const std::os::raw::c_char,
    pub pmu: *const std::os::raw::c_char,
    pub terms: *const std::os::raw::c_char,
    pub exact: i32,
    pub padding: u32,
    pub reserved: [u64; 3usize],
}
impl Default for evname_names {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_events {
    _unused: [u8; 0],
}
pub const EVNAME_EVENT_DEPRECATED: evname_event_flags = 1;
pub const EVNAME_EVENT_PER_PACKAGE: evname_event_flags = 2;
pub const EVNAME_EVENT_OF_SYSFS: evname_event_flags = 4;
pub type evname_event_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_event {
    pub name: *const std::os::raw::c_char,
    pub pmu: *const std::os::raw::c_char,
    pub topic: *const std::os::raw::c_char,
    pub terms: *const std::os::raw::c_char,
    pub desc: *const std::os::raw::c_char,
    pub long_desc: *const std::os::raw::c_char,
    pub unit: *const std::os::raw::c_char,
    pub model: *const std::os::raw::c_char,
    pub scale: f64,
    pub flags: u32,
    pub padding: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_event {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_recording {
    _unused: [u8; 0],
}
pub const EVNAME_NAMED_BY_RECORDING: evname_named_by = 0;
pub const EVNAME_NAMED_BY_KERNEL: evname_named_by = 1;
pub const EVNAME_NAMED_BY_TABLES: evname_named_by = 2;
pub const EVNAME_NAMED_BY_CODE: evname_named_by = 3;
pub type evname_named_by = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_recorded_event {
    pub name: *const std::os::raw::c_char,
    pub recorded_name: *const std::os::raw::c_char,
    pub modifiers: *const std::os::raw::c_char,
    pub pmu: *const std::os::raw::c_char,
    pub ids: *const u64,
    pub ids_count: usize,
    pub code: evname_code,
    pub sample_type: u64,
    pub exact: i32,
    pub named_by: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_recorded_event {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_samples {
    _unused: [u8; 0],
}
pub const EVNAME_SAMPLES_FILE_ORDER: evname_samples_flags = 1;
pub const EVNAME_SAMPLES_SALVAGE: evname_samples_flags = 2;
pub type evname_samples_flags = std::os::raw::c_uint;
pub const EVNAME_SAMPLE_PID: evname_sample_fields = 16384;
pub const EVNAME_SAMPLE_TID: evname_sample_fields = 1;
pub const EVNAME_SAMPLE_CPU: evname_sample_fields = 2;
pub const EVNAME_SAMPLE_TIME: evname_sample_fields = 4;
pub const EVNAME_SAMPLE_TRANSACTION: evname_sample_fields = 256;
pub const EVNAME_SAMPLE_ID: evname_sample_fields = 32;
pub const EVNAME_SAMPLE_ADDR: evname_sample_fields = 16;
pub const EVNAME_SAMPLE_DATA_SRC: evname_sample_fields = 128;
pub const EVNAME_SAMPLE_WEIGHT: evname_sample_fields = 64;
pub const EVNAME_SAMPLE_INS_LAT: evname_sample_fields = 32768;
pub const EVNAME_SAMPLE_RETIRE_LAT: evname_sample_fields = 65536;
pub const EVNAME_SAMPLE_CGROUP: evname_sample_fields = 1024;
pub const EVNAME_SAMPLE_IP: evname_sample_fields = 8;
pub const EVNAME_SAMPLE_PHYS_ADDR: evname_sample_fields = 512;
pub const EVNAME_SAMPLE_DATA_PAGE_SIZE: evname_sample_fields = 2048;
pub const EVNAME_SAMPLE_CODE_PAGE_SIZE: evname_sample_fields = 4096;
pub const EVNAME_SAMPLE_CALLCHAIN: evname_sample_fields = 8192;
pub const EVNAME_SAMPLE_BRANCHES: evname_sample_fields = 131072;
pub const EVNAME_SAMPLE_BRANCH_COUNTERS: evname_sample_fields = 262144;
pub const EVNAME_SAMPLE_USER_REGISTERS: evname_sample_fields = 524288;
pub const EVNAME_SAMPLE_INTERRUPT_REGISTERS: evname_sample_fields = 1048576;
pub type evname_sample_fields = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_sample {
    pub event: u64,
    pub fields: u64,
    pub comm: *const std::os::raw::c_char,
    pub cgroup_path: *const std::os::raw::c_char,
    pub raw: *const std::os::raw::c_void,
    pub raw_size: usize,
    pub pid: i32,
    pub tid: i32,
    pub cpu: u32,
    pub misc: u32,
    pub time: u64,
    pub period: u64,
    pub transaction: u64,
    pub id: u64,
    pub addr: u64,
    pub data_src: u64,
    pub weight: u64,
    pub ins_lat: u32,
    pub retire_lat: u32,
    pub cgroup: u64,
    pub ip: u64,
    pub phys_addr: u64,
    pub data_page_size: u64,
    pub code_page_size: u64,
    pub callchain: *const u64,
    pub callchain_count: usize,
    pub branches: *const u64,
    pub branches_count: usize,
    pub branch_counters: *const u64,
    pub branch_counters_count: usize,
    pub user_registers: *const u64,
    pub user_registers_count: usize,
    pub interrupt_registers: *const u64,
    pub interrupt_registers_count: usize,
    pub reserved: [u64; 8usize],
}
impl Default for evname_sample {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_tally {
    pub samples: u64,
    pub unknown_ids: u64,
    pub malformed: u64,
    pub lost: u64,
    pub selected: u64,
    pub reserved: [u64; 3usize],
}
