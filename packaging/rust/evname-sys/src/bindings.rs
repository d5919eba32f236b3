
pub const EVNAME_CONFIG_WORDS: u32 = 5;
pub const EVNAME_VERSION_MAJOR: u32 = 0;
pub const EVNAME_VERSION_MINOR: u32 = 2;
pub const EVNAME_VERSION_PATCH: u32 = 0;
pub const EVNAME_NO_NODE: i32 = -1;
pub type __uint8_t = std::os::raw::c_uchar;
pub type __int32_t = std::os::raw::c_int;
pub type __uint32_t = std::os::raw::c_uint;
pub type __int64_t = std::os::raw::c_long;
pub type __uint64_t = std::os::raw::c_ulong;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_code {
    pub config: [u64; 5usize],
    pub type_: u32,
    pub has_type: u32,
}
extern "C" {
    pub fn evname_version() -> *const std::os::raw::c_char;
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
pub const EVNAME_CANCELLED: evname_status = 9;
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
extern "C" {
    pub fn evname_error_text(
        error: *const evname_error,
        buffer: *mut std::os::raw::c_char,
        size: usize,
    ) -> usize;
}
extern "C" {
    pub fn evname_status_text(status: std::os::raw::c_int) -> *const std::os::raw::c_char;
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
extern "C" {
    pub fn evname_model_count() -> usize;
}
extern "C" {
    pub fn evname_model_at(index: usize, out: *mut evname_model) -> std::os::raw::c_int;
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
pub struct evname_machine_options {
    pub sysfs: *const std::os::raw::c_char,
    pub procfs: *const std::os::raw::c_char,
    pub events: *const std::os::raw::c_char,
    pub flags: u32,
    pub padding: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_machine_options {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_machine_open(
        cpu: *const std::os::raw::c_char,
        options: *const evname_machine_options,
        out: *mut *mut evname_machine,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_recorded(
        path: *const std::os::raw::c_char,
        out: *mut *mut evname_machine,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_with_events(
        machine: *const evname_machine,
        directory: *const std::os::raw::c_char,
        out: *mut *mut evname_machine,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_event_directory {
    pub directory: *const std::os::raw::c_char,
    pub version: *const std::os::raw::c_char,
    pub is_users: u32,
    pub padding: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_event_directory {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_event_directory_count(machine: *const evname_machine) -> usize;
}
extern "C" {
    pub fn evname_event_directory_at(
        machine: *const evname_machine,
        index: usize,
        out: *mut evname_event_directory,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_free(machine: *mut evname_machine);
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
extern "C" {
    pub fn evname_machine_cpu(machine: *const evname_machine, out: *mut evname_cpu);
}
extern "C" {
    pub fn evname_machine_warning(
        machine: *const evname_machine,
        index: usize,
    ) -> *const std::os::raw::c_char;
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
extern "C" {
    pub fn evname_pmu_count(machine: *const evname_machine) -> usize;
}
extern "C" {
    pub fn evname_pmu_at(
        machine: *const evname_machine,
        index: usize,
        out: *mut evname_pmu,
    ) -> std::os::raw::c_int;
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
extern "C" {
    pub fn evname_resolve(
        machine: *const evname_machine,
        text: *const std::os::raw::c_char,
        out: *mut evname_attr,
        room: usize,
        count: *mut usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
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
extern "C" {
    pub fn evname_resolve_batch(
        machine: *const evname_machine,
        texts: *const *const std::os::raw::c_char,
        texts_count: usize,
        out: *mut evname_attr,
        room: usize,
        total: *mut usize,
        answers: *mut evname_answer,
        errors: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_attr_fill(
        attr: *const evname_attr,
        perf_event_attr: *mut std::os::raw::c_void,
        size: usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_name_of(
        machine: *const evname_machine,
        pmu: *const std::os::raw::c_char,
        code: *const evname_code,
        buffer: *mut std::os::raw::c_char,
        size: usize,
    ) -> usize;
}
extern "C" {
    pub fn evname_exact_name(
        machine: *const evname_machine,
        pmu: *const std::os::raw::c_char,
        code: *const evname_code,
    ) -> *const std::os::raw::c_char;
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
extern "C" {
    pub fn evname_names_of(
        machine: *const evname_machine,
        pmu: *const std::os::raw::c_char,
        code: *const evname_code,
        out: *mut evname_names,
        buffer: *mut std::os::raw::c_char,
        size: usize,
        needed: *mut usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_events {
    _unused: [u8; 0],
}
pub const EVNAME_EVENT_DEPRECATED: evname_event_flags = 1;
pub const EVNAME_EVENT_PER_PACKAGE: evname_event_flags = 2;
pub const EVNAME_EVENT_OF_SYSFS: evname_event_flags = 4;
pub const EVNAME_EVENT_PRECISE: evname_event_flags = 8;
pub const EVNAME_EVENT_MUST_BE_PRECISE: evname_event_flags = 16;
pub const EVNAME_EVENT_PRECISE_ADDRESS: evname_event_flags = 32;
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
    pub errata: *const std::os::raw::c_char,
    pub reserved: [u64; 3usize],
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
extern "C" {
    pub fn evname_events_list(
        machine: *const evname_machine,
        glob: *const std::os::raw::c_char,
        out: *mut *mut evname_events,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_events_count(events: *const evname_events) -> usize;
}
extern "C" {
    pub fn evname_events_at(
        events: *const evname_events,
        index: usize,
        out: *mut evname_event,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_events_free(events: *mut evname_events);
}
pub const EVNAME_GROUP_CAN: evname_group_constraint = 0;
pub const EVNAME_GROUP_NEVER: evname_group_constraint = 1;
pub const EVNAME_GROUP_NOT_NMI: evname_group_constraint = 2;
pub const EVNAME_GROUP_NOT_SMT: evname_group_constraint = 3;
pub const EVNAME_GROUP_NOT_NMI_THRESHOLD: evname_group_constraint = 4;
pub type evname_group_constraint = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_schedule_options {
    pub constraint: u32,
    pub nmi_watchdog: i32,
    pub smt: i32,
    pub generic_counters: u32,
    pub reserved: [u64; 4usize],
}
extern "C" {
    pub fn evname_schedule_options_live(
        sysfs: *const std::os::raw::c_char,
        procfs: *const std::os::raw::c_char,
        out: *mut evname_schedule_options,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_schedule {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_schedule_new(
        machine: *const evname_machine,
        events: *const std::os::raw::c_char,
        options: *const evname_schedule_options,
        out: *mut *mut evname_schedule,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_schedule_free(schedule: *mut evname_schedule);
}
extern "C" {
    pub fn evname_schedule_event_count(schedule: *const evname_schedule) -> usize;
}
extern "C" {
    pub fn evname_schedule_event_at(
        schedule: *const evname_schedule,
        index: usize,
        out: *mut evname_attr,
        name: *mut *const std::os::raw::c_char,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_scheduled_group {
    pub pmus: *const *const std::os::raw::c_char,
    pub pmus_count: usize,
    pub events: *const usize,
    pub counters: *const *const std::os::raw::c_char,
    pub events_count: usize,
    pub generic_counters: u32,
    pub fixed_counters: u32,
    pub grouped: i32,
    pub smallest: i32,
    pub why: *const std::os::raw::c_char,
    pub reserved: [u64; 4usize],
}
impl Default for evname_scheduled_group {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_schedule_group_count(schedule: *const evname_schedule) -> usize;
}
extern "C" {
    pub fn evname_schedule_group_at(
        schedule: *const evname_schedule,
        index: usize,
        out: *mut evname_scheduled_group,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_schedule_warning(
        schedule: *const evname_schedule,
        index: usize,
    ) -> *const std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_metrics {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_metric {
    pub name: *const std::os::raw::c_char,
    pub desc: *const std::os::raw::c_char,
    pub long_desc: *const std::os::raw::c_char,
    pub expr: *const std::os::raw::c_char,
    pub threshold: *const std::os::raw::c_char,
    pub unit: *const std::os::raw::c_char,
    pub pmu: *const std::os::raw::c_char,
    pub model: *const std::os::raw::c_char,
    pub groups: *const *const std::os::raw::c_char,
    pub groups_count: usize,
    pub events: *const usize,
    pub events_count: usize,
    pub constraint: u32,
    pub padding: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_metric {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_metrics_list(
        machine: *const evname_machine,
        glob: *const std::os::raw::c_char,
        group: *const std::os::raw::c_char,
        out: *mut *mut evname_metrics,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_metrics_new(
        machine: *const evname_machine,
        live: std::os::raw::c_int,
        out: *mut *mut evname_metrics,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_metrics_free(metrics: *mut evname_metrics);
}
extern "C" {
    pub fn evname_metrics_set_fact(
        metrics: *mut evname_metrics,
        name: *const std::os::raw::c_char,
        value: f64,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_metrics_add(
        metrics: *mut evname_metrics,
        name: *const std::os::raw::c_char,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_metrics_add_expression(
        metrics: *mut evname_metrics,
        name: *const std::os::raw::c_char,
        expr: *const std::os::raw::c_char,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_metrics_warning(
        metrics: *const evname_metrics,
        index: usize,
    ) -> *const std::os::raw::c_char;
}
extern "C" {
    pub fn evname_metrics_count(metrics: *const evname_metrics) -> usize;
}
extern "C" {
    pub fn evname_metrics_at(
        metrics: *const evname_metrics,
        index: usize,
        out: *mut evname_metric,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_metric_event {
    pub text: *const std::os::raw::c_char,
    pub problem: *const std::os::raw::c_char,
    pub encodings: u64,
    pub is_tool: i32,
    pub for_threshold: i32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_metric_event {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_metrics_event_count(metrics: *const evname_metrics) -> usize;
}
extern "C" {
    pub fn evname_metrics_event_at(
        metrics: *const evname_metrics,
        index: usize,
        out: *mut evname_metric_event,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_event_count {
    pub value: f64,
    pub sources: u32,
    pub padding: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_metric_value {
    pub value: f64,
    pub has_value: i32,
    pub beyond: i32,
}
extern "C" {
    pub fn evname_metrics_evaluate(
        metrics: *const evname_metrics,
        counts: *const evname_event_count,
        counts_count: usize,
        out: *mut evname_metric_value,
        room: usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_metrics_explain(
        metrics: *const evname_metrics,
        index: usize,
        counts: *const evname_event_count,
        counts_count: usize,
        buffer: *mut std::os::raw::c_char,
        size: usize,
        needed: *mut usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_topdown {
    _unused: [u8; 0],
}
pub const EVNAME_SHARE_UNKNOWN: evname_topdown_share = 0;
pub const EVNAME_SHARE_OF_SLOTS: evname_topdown_share = 1;
pub const EVNAME_SHARE_OF_CLOCKS: evname_topdown_share = 2;
pub const EVNAME_SHARE_OF_OPERATIONS: evname_topdown_share = 3;
pub const EVNAME_SHARE_OF_PARENT: evname_topdown_share = 4;
pub type evname_topdown_share = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_topdown_node {
    pub name: *const std::os::raw::c_char,
    pub desc: *const std::os::raw::c_char,
    pub threshold: *const std::os::raw::c_char,
    pub problem: *const std::os::raw::c_char,
    pub samples: *const *const std::os::raw::c_char,
    pub samples_count: usize,
    pub events: *const usize,
    pub events_count: usize,
    pub parent: usize,
    pub level: u32,
    pub share: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_topdown_node {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_topdown_new(
        metrics: *const evname_metrics,
        pmu: *const std::os::raw::c_char,
        out: *mut *mut evname_topdown,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_topdown_free(topdown: *mut evname_topdown);
}
extern "C" {
    pub fn evname_topdown_count(topdown: *const evname_topdown) -> usize;
}
extern "C" {
    pub fn evname_topdown_at(
        topdown: *const evname_topdown,
        index: usize,
        out: *mut evname_topdown_node,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_topdown_event_count(topdown: *const evname_topdown) -> usize;
}
extern "C" {
    pub fn evname_topdown_event_at(
        topdown: *const evname_topdown,
        index: usize,
        out: *mut evname_metric_event,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_topdown_evaluate(
        topdown: *const evname_topdown,
        counts: *const evname_event_count,
        counts_count: usize,
        values: *mut f64,
        flagged: *mut u8,
        room: usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_topdown_next(
        topdown: *const evname_topdown,
        values: *const f64,
        flagged: *const u8,
        count: usize,
    ) -> usize;
}
extern "C" {
    pub fn evname_topdown_explain(
        topdown: *const evname_topdown,
        index: usize,
        counts: *const evname_event_count,
        counts_count: usize,
        buffer: *mut std::os::raw::c_char,
        size: usize,
        needed: *mut usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_counters {
    _unused: [u8; 0],
}
pub const EVNAME_COUNT_THIS_THREAD: evname_count_kind = 0;
pub const EVNAME_COUNT_THREADS: evname_count_kind = 1;
pub const EVNAME_COUNT_PROCESSES: evname_count_kind = 2;
pub const EVNAME_COUNT_CPUS: evname_count_kind = 3;
pub const EVNAME_COUNT_CGROUP: evname_count_kind = 4;
pub type evname_count_kind = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_count_target {
    pub kind: u32,
    pub padding: u32,
    pub ids: *const i32,
    pub ids_count: usize,
    pub cpus: *const u32,
    pub cpus_count: usize,
    pub cgroup: *const std::os::raw::c_char,
    pub reserved: [u64; 4usize],
}
impl Default for evname_count_target {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_COUNT_REGROUPED: evname_count_groups = 0;
pub const EVNAME_COUNT_AS_WRITTEN: evname_count_groups = 1;
pub const EVNAME_COUNT_SCHEDULED: evname_count_groups = 2;
pub const EVNAME_COUNT_SINGLE: evname_count_groups = 3;
pub type evname_count_groups = std::os::raw::c_uint;
pub const EVNAME_COUNT_INHERIT: evname_count_flags = 1;
pub const EVNAME_COUNT_ENABLE_ON_EXEC: evname_count_flags = 2;
pub const EVNAME_COUNT_PINNED: evname_count_flags = 4;
pub const EVNAME_COUNT_NO_USER_READS: evname_count_flags = 8;
pub const EVNAME_COUNT_USER_SPACE: evname_count_flags = 16;
pub const EVNAME_COUNT_PARTIAL: evname_count_flags = 32;
pub const EVNAME_COUNT_KERNEL_TOO: evname_count_flags = 64;
pub type evname_count_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_counter_value {
    pub value: u64,
    pub enabled: u64,
    pub running: u64,
    pub scaled: f64,
}
extern "C" {
    pub fn evname_counters_open(
        machine: *const evname_machine,
        events: *const std::os::raw::c_char,
        target: *const evname_count_target,
        groups: u32,
        flags: u32,
        out: *mut *mut evname_counters,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_counters_free(counters: *mut evname_counters);
}
extern "C" {
    pub fn evname_counters_count(counters: *const evname_counters) -> usize;
}
extern "C" {
    pub fn evname_counters_event_at(
        counters: *const evname_counters,
        index: usize,
        out: *mut evname_attr,
        name: *mut *const std::os::raw::c_char,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_counters_problem(
        counters: *const evname_counters,
        index: usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_counters_enable(
        counters: *const evname_counters,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_counters_disable(
        counters: *const evname_counters,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_counters_read(
        counters: *const evname_counters,
        out: *mut evname_counter_value,
        room: usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_counters_user_readable(counters: *const evname_counters) -> usize;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_data_source {
    pub op: u32,
    pub level: u32,
    pub level_number: u32,
    pub snoop: u32,
    pub snoop_more: u32,
    pub lock: u32,
    pub tlb: u32,
    pub blocked: u32,
    pub hops: u32,
    pub remote: u32,
    pub region: u32,
    pub padding: u32,
    pub op_text: [std::os::raw::c_char; 16usize],
    pub lock_text: [std::os::raw::c_char; 16usize],
    pub blocked_text: [std::os::raw::c_char; 16usize],
    pub snoop_text: [std::os::raw::c_char; 64usize],
    pub tlb_text: [std::os::raw::c_char; 64usize],
    pub level_text: [std::os::raw::c_char; 192usize],
    pub text: [std::os::raw::c_char; 384usize],
    pub reserved: [u64; 4usize],
}
impl Default for evname_data_source {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_data_source_of(word: u64, out: *mut evname_data_source) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_branch {
    pub from: u64,
    pub to: u64,
    pub mispredicted: u32,
    pub predicted: u32,
    pub in_transaction: u32,
    pub abort: u32,
    pub not_taken: u32,
    pub cycles: u32,
    pub type_: u32,
    pub extended_type: u32,
    pub speculation: u32,
    pub privilege: u32,
    pub type_text: *const std::os::raw::c_char,
    pub speculation_text: *const std::os::raw::c_char,
    pub privilege_text: *const std::os::raw::c_char,
    pub prediction_text: *const std::os::raw::c_char,
    pub text: [std::os::raw::c_char; 72usize],
    pub reserved: [u64; 4usize],
}
impl Default for evname_branch {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_branch_of(
        words: *const u64,
        arch: *const std::os::raw::c_char,
        out: *mut evname_branch,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_recording {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_recording_open(
        path: *const std::os::raw::c_char,
        out: *mut *mut evname_recording,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_recording_open_with(
        path: *const std::os::raw::c_char,
        flags: u32,
        out: *mut *mut evname_recording,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_recording_open_bytes(
        bytes: *const std::os::raw::c_void,
        size: usize,
        name: *const std::os::raw::c_char,
        flags: u32,
        out: *mut *mut evname_recording,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_recording_open_descriptor(
        descriptor: std::os::raw::c_int,
        name: *const std::os::raw::c_char,
        flags: u32,
        out: *mut *mut evname_recording,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_recording_free(recording: *mut evname_recording);
}
extern "C" {
    pub fn evname_recording_machine(recording: *const evname_recording) -> *const evname_machine;
}
extern "C" {
    pub fn evname_recording_warning(
        recording: *const evname_recording,
        index: usize,
    ) -> *const std::os::raw::c_char;
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
    pub user_register_mask: u64,
    pub interrupt_register_mask: u64,
    pub reserved: [u64; 2usize],
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
extern "C" {
    pub fn evname_recorded_event_count(recording: *const evname_recording) -> usize;
}
extern "C" {
    pub fn evname_recorded_event_at(
        recording: *const evname_recording,
        index: usize,
        out: *mut evname_recorded_event,
    ) -> std::os::raw::c_int;
}
pub type evname_progress = ::std::option::Option<
    unsafe extern "C" fn(context: *mut std::os::raw::c_void, done: u64, total: u64) -> std::os::raw::c_int,
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_samples {
    _unused: [u8; 0],
}
pub const EVNAME_SAMPLES_FILE_ORDER: evname_samples_flags = 1;
pub const EVNAME_SAMPLES_SALVAGE: evname_samples_flags = 2;
pub type evname_samples_flags = std::os::raw::c_uint;
pub const EVNAME_SAMPLE_TID: evname_sample_fields = 1;
pub const EVNAME_SAMPLE_CPU: evname_sample_fields = 2;
pub const EVNAME_SAMPLE_TIME: evname_sample_fields = 4;
pub const EVNAME_SAMPLE_IP: evname_sample_fields = 8;
pub const EVNAME_SAMPLE_ADDR: evname_sample_fields = 16;
pub const EVNAME_SAMPLE_ID: evname_sample_fields = 32;
pub const EVNAME_SAMPLE_WEIGHT: evname_sample_fields = 64;
pub const EVNAME_SAMPLE_DATA_SRC: evname_sample_fields = 128;
pub const EVNAME_SAMPLE_TRANSACTION: evname_sample_fields = 256;
pub const EVNAME_SAMPLE_PHYS_ADDR: evname_sample_fields = 512;
pub const EVNAME_SAMPLE_CGROUP: evname_sample_fields = 1024;
pub const EVNAME_SAMPLE_DATA_PAGE_SIZE: evname_sample_fields = 2048;
pub const EVNAME_SAMPLE_CODE_PAGE_SIZE: evname_sample_fields = 4096;
pub const EVNAME_SAMPLE_CALLCHAIN: evname_sample_fields = 8192;
pub const EVNAME_SAMPLE_PID: evname_sample_fields = 16384;
pub const EVNAME_SAMPLE_INS_LAT: evname_sample_fields = 32768;
pub const EVNAME_SAMPLE_RETIRE_LAT: evname_sample_fields = 65536;
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
extern "C" {
    pub fn evname_samples_open(
        recording: *const evname_recording,
        flags: u32,
        out: *mut *mut evname_samples,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_samples_open_with(
        recording: *const evname_recording,
        flags: u32,
        progress: evname_progress,
        context: *mut std::os::raw::c_void,
        out: *mut *mut evname_samples,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_samples_free(samples: *mut evname_samples);
}
extern "C" {
    pub fn evname_samples_next(samples: *mut evname_samples, out: *mut evname_sample) -> std::os::raw::c_int;
}
pub const EVNAME_RECORD_BIT_TIME: evname_record_fields = 0;
pub const EVNAME_RECORD_BIT_ID: evname_record_fields = 1;
pub const EVNAME_RECORD_BIT_PID: evname_record_fields = 2;
pub const EVNAME_RECORD_BIT_TID: evname_record_fields = 3;
pub const EVNAME_RECORD_BIT_CPU: evname_record_fields = 4;
pub const EVNAME_RECORD_BIT_OWN_CPU: evname_record_fields = 5;
pub const EVNAME_RECORD_BIT_OWN_PID: evname_record_fields = 6;
pub const EVNAME_RECORD_BIT_OWN_TID: evname_record_fields = 7;
pub const EVNAME_RECORD_BIT_OTHER_PID: evname_record_fields = 8;
pub const EVNAME_RECORD_BIT_OTHER_TID: evname_record_fields = 9;
pub const EVNAME_RECORD_BIT_OWN_TIME: evname_record_fields = 10;
pub const EVNAME_RECORD_BIT_OWN_ID: evname_record_fields = 11;
pub const EVNAME_RECORD_BIT_STREAM_ID: evname_record_fields = 12;
pub const EVNAME_RECORD_BIT_ADDRESS: evname_record_fields = 13;
pub const EVNAME_RECORD_BIT_SIZE: evname_record_fields = 14;
pub const EVNAME_RECORD_BIT_OFFSET: evname_record_fields = 15;
pub const EVNAME_RECORD_BIT_INODE: evname_record_fields = 16;
pub const EVNAME_RECORD_BIT_GENERATION: evname_record_fields = 17;
pub const EVNAME_RECORD_BIT_DEVICE_MAJOR: evname_record_fields = 18;
pub const EVNAME_RECORD_BIT_DEVICE_MINOR: evname_record_fields = 19;
pub const EVNAME_RECORD_BIT_PROTECTION: evname_record_fields = 20;
pub const EVNAME_RECORD_BIT_KIND: evname_record_fields = 21;
pub const EVNAME_RECORD_BIT_FLAGS: evname_record_fields = 22;
pub const EVNAME_RECORD_BIT_LOST: evname_record_fields = 23;
pub const EVNAME_RECORD_BIT_TAG: evname_record_fields = 24;
pub const EVNAME_RECORD_BIT_HW_ID: evname_record_fields = 25;
pub const EVNAME_RECORD_BIT_COOKIE: evname_record_fields = 26;
pub const EVNAME_RECORD_BIT_REFERENCE: evname_record_fields = 27;
pub const EVNAME_RECORD_BIT_INDEX: evname_record_fields = 28;
pub const EVNAME_RECORD_BIT_CODE: evname_record_fields = 29;
pub const EVNAME_RECORD_BIT_IS_DATA: evname_record_fields = 30;
pub const EVNAME_RECORD_BIT_IS_EXEC: evname_record_fields = 31;
pub const EVNAME_RECORD_BIT_IS_OUT: evname_record_fields = 32;
pub const EVNAME_RECORD_BIT_IS_PREEMPTED: evname_record_fields = 33;
pub const EVNAME_RECORD_BIT_IS_GONE: evname_record_fields = 34;
pub const EVNAME_RECORD_BIT_BY_BPF: evname_record_fields = 35;
pub const EVNAME_RECORD_BIT_NAME: evname_record_fields = 36;
pub const EVNAME_RECORD_BIT_BUILD_ID: evname_record_fields = 37;
pub const EVNAME_RECORD_BIT_OLD_BYTES: evname_record_fields = 38;
pub const EVNAME_RECORD_BIT_NEW_BYTES: evname_record_fields = 39;
pub const EVNAME_RECORD_BIT_BYTES: evname_record_fields = 40;
pub const EVNAME_RECORD_BIT_WORDS: evname_record_fields = 41;
pub type evname_record_fields = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_record {
    pub type_: u32,
    pub misc: u32,
    pub fields: u64,
    pub event: u64,
    pub place: u64,
    pub sample: *const evname_sample,
    pub time: u64,
    pub id: u64,
    pub pid: i32,
    pub tid: i32,
    pub cpu: u32,
    pub own_cpu: i32,
    pub own_pid: i32,
    pub own_tid: i32,
    pub other_pid: i32,
    pub other_tid: i32,
    pub own_time: u64,
    pub own_id: u64,
    pub stream_id: u64,
    pub address: u64,
    pub size: u64,
    pub offset: u64,
    pub inode: u64,
    pub generation: u64,
    pub device_major: u32,
    pub device_minor: u32,
    pub protection: u32,
    pub kind: u32,
    pub flags: u64,
    pub lost: u64,
    pub tag: u64,
    pub hw_id: u64,
    pub cookie: u64,
    pub reference: u64,
    pub index: u32,
    pub code: u32,
    pub is_data: u32,
    pub is_exec: u32,
    pub is_out: u32,
    pub is_preempted: u32,
    pub is_gone: u32,
    pub by_bpf: u32,
    pub name: *const std::os::raw::c_char,
    pub name_size: usize,
    pub build_id: *const u8,
    pub build_id_size: usize,
    pub old_bytes: *const u8,
    pub old_bytes_size: usize,
    pub new_bytes: *const u8,
    pub new_bytes_size: usize,
    pub bytes: *const u8,
    pub bytes_size: usize,
    pub words: *const u64,
    pub words_count: usize,
}
impl Default for evname_record {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_records_next(samples: *mut evname_samples, out: *mut evname_record) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_record_name(type_: u32) -> *const std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_field {
    pub text: *const std::os::raw::c_char,
    pub text_size: usize,
    pub number: i64,
    pub count: usize,
    pub is_signed: i32,
    pub padding: u32,
}
impl Default for evname_field {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_sample_field(
        recording: *const evname_recording,
        event: u64,
        raw: *const std::os::raw::c_void,
        raw_size: usize,
        name: *const std::os::raw::c_char,
        index: usize,
        out: *mut evname_field,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_context_name(word: u64) -> *const std::os::raw::c_char;
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
extern "C" {
    pub fn evname_samples_tally(
        samples: *const evname_samples,
        out: *mut evname_tally,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_samples_warning(
        samples: *const evname_samples,
        index: usize,
    ) -> *const std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_time_range {
    pub first: u64,
    pub last: u64,
}
extern "C" {
    pub fn evname_parse_times(
        recording: *const evname_recording,
        text: *const std::os::raw::c_char,
        out: *mut evname_time_range,
        room: usize,
        count: *mut usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
pub const EVNAME_OPERATION_LOAD: evname_sampled_operation = 1;
pub const EVNAME_OPERATION_STORE: evname_sampled_operation = 2;
pub const EVNAME_OPERATION_PREFETCH: evname_sampled_operation = 4;
pub const EVNAME_OPERATION_BRANCH: evname_sampled_operation = 8;
pub type evname_sampled_operation = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_filter {
    pub event: *const std::os::raw::c_char,
    pub cpus: *const u32,
    pub cpus_count: usize,
    pub pids: *const i32,
    pub pids_count: usize,
    pub tids: *const i32,
    pub tids_count: usize,
    pub comms: *const *const std::os::raw::c_char,
    pub comms_count: usize,
    pub times: *const evname_time_range,
    pub times_count: usize,
    pub samples_flags: u32,
    pub jobs: u32,
    pub sym: *const std::os::raw::c_char,
    pub dso: *const std::os::raw::c_char,
    pub time_parts: *const std::os::raw::c_char,
    pub min_latency: u64,
    pub operations: u32,
    pub padding: u32,
    pub progress: evname_progress,
    pub progress_context: *mut std::os::raw::c_void,
    pub reserved: [u64; 4usize],
}
impl Default for evname_filter {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_FORMAT_TEXT: evname_format = 0;
pub const EVNAME_FORMAT_CSV: evname_format = 1;
pub const EVNAME_FORMAT_JSONL: evname_format = 2;
pub const EVNAME_FORMAT_FOLDED: evname_format = 3;
pub type evname_format = std::os::raw::c_uint;
pub const EVNAME_ANNOTATE_RECORDED_NAMES: evname_annotate_flags = 1;
pub const EVNAME_ANNOTATE_COUNT_PERIODS: evname_annotate_flags = 2;
pub type evname_annotate_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_annotate_options {
    pub fields: *const std::os::raw::c_char,
    pub limit: u64,
    pub format: u32,
    pub flags: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_annotate_options {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_annotate(
        recording: *const evname_recording,
        options: *const evname_annotate_options,
        filter: *const evname_filter,
        file: std::os::raw::c_int,
        tally: *mut evname_tally,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_report {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_report_new(
        keys: *const std::os::raw::c_char,
        filter: *const evname_filter,
        out: *mut *mut evname_report,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_report_free(report: *mut evname_report);
}
extern "C" {
    pub fn evname_report_add(
        report: *mut evname_report,
        recording: *const evname_recording,
        tally: *mut evname_tally,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_report_row {
    pub keys: *const *const std::os::raw::c_char,
    pub keys_count: usize,
    pub samples: u64,
    pub period: u64,
    pub share: f64,
    pub first: u64,
    pub last: u64,
    pub lost: u64,
    pub throttled: u64,
    pub of: u64,
    pub reserved: [u64; 3usize],
}
impl Default for evname_report_row {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_report_row_count(report: *const evname_report) -> usize;
}
extern "C" {
    pub fn evname_report_row_at(
        report: *const evname_report,
        index: usize,
        out: *mut evname_report_row,
    ) -> std::os::raw::c_int;
}
pub const EVNAME_SYMBOLS_NO_LINES: evname_symbols_flags = 1;
pub const EVNAME_SYMBOLS_NO_INLINES: evname_symbols_flags = 2;
pub const EVNAME_SYMBOLS_MANGLED: evname_symbols_flags = 4;
pub const EVNAME_SYMBOLS_DEBUGINFOD: evname_symbols_flags = 8;
pub type evname_symbols_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_symbol_options {
    pub symfs: *const std::os::raw::c_char,
    pub vmlinux: *const std::os::raw::c_char,
    pub kallsyms: *const std::os::raw::c_char,
    pub kernel_release: *const std::os::raw::c_char,
    pub cache: *const std::os::raw::c_char,
    pub flags: u64,
    pub reserved: [u64; 4usize],
}
impl Default for evname_symbol_options {
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
pub struct evname_symbols {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_symbols_new(
        options: *const evname_symbol_options,
        out: *mut *mut evname_symbols,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_symbols_free(symbols: *mut evname_symbols);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_mapping {
    pub file: *const std::os::raw::c_char,
    pub build_id: *const u8,
    pub build_id_size: usize,
    pub start: u64,
    pub end: u64,
    pub offset: u64,
    pub jitdump: *const std::os::raw::c_char,
    pub pid: i32,
    pub kernel: u32,
    pub kernel_build_id: *const u8,
    pub kernel_build_id_size: usize,
    pub kernel_release: *const std::os::raw::c_char,
    pub time: u64,
    pub counter: u64,
}
impl Default for evname_mapping {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_FRAME_INLINED: evname_frame_flags = 1;
pub const EVNAME_FRAME_HAS_DEBUG_INFO: evname_frame_flags = 2;
pub const EVNAME_FRAME_KERNEL: evname_frame_flags = 4;
pub type evname_frame_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_frame {
    pub function: *const std::os::raw::c_char,
    pub source: *const std::os::raw::c_char,
    pub offset: u64,
    pub address: u64,
    pub line: u32,
    pub flags: u32,
    pub dso: *const std::os::raw::c_char,
    pub ip: u64,
    pub label: *const std::os::raw::c_char,
    pub reserved: [u64; 1usize],
}
impl Default for evname_frame {
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
pub struct evname_frames {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_frames_new(out: *mut *mut evname_frames, error: *mut evname_error) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_frames_free(frames: *mut evname_frames);
}
extern "C" {
    pub fn evname_symbols_find(
        symbols: *const evname_symbols,
        address: u64,
        mapping: *const evname_mapping,
        frames: *mut evname_frames,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_samples_stack(
        samples: *mut evname_samples,
        symbols: *const evname_symbols,
        frames: *mut evname_frames,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_samples_mapping(
        samples: *mut evname_samples,
        address: u64,
        kernel: u32,
        out: *mut evname_mapping,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_frames_count(frames: *const evname_frames) -> usize;
}
extern "C" {
    pub fn evname_frames_at(
        frames: *const evname_frames,
        index: usize,
        out: *mut evname_frame,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_symbols_problem(
        symbols: *const evname_symbols,
        index: usize,
        buffer: *mut std::os::raw::c_char,
        size: usize,
        needed: *mut usize,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_instruction_report {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_instruction_report_new(
        symbols: *const evname_symbols,
        filter: *const evname_filter,
        out: *mut *mut evname_instruction_report,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_instruction_report_free(report: *mut evname_instruction_report);
}
extern "C" {
    pub fn evname_instruction_report_add(
        report: *mut evname_instruction_report,
        recording: *const evname_recording,
        tally: *mut evname_tally,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_instruction_report_event(
        report: *const evname_instruction_report,
        index: usize,
    ) -> *const std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_function {
    pub name: *const std::os::raw::c_char,
    pub dso: *const std::os::raw::c_char,
    pub build_id: *const std::os::raw::c_char,
    pub all: u64,
    pub samples: *const u64,
    pub samples_count: usize,
    pub reserved: [u64; 4usize],
}
impl Default for evname_function {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_instruction_report_function_count(report: *const evname_instruction_report) -> usize;
}
extern "C" {
    pub fn evname_instruction_report_function_at(
        report: *const evname_instruction_report,
        index: usize,
        out: *mut evname_function,
    ) -> std::os::raw::c_int;
}
pub const EVNAME_INSTRUCTIONS_ATT: evname_instructions_flags = 1;
pub type evname_instructions_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_instructions {
    _unused: [u8; 0],
}
extern "C" {
    pub fn evname_instructions_new(
        report: *const evname_instruction_report,
        function: usize,
        flags: u32,
        out: *mut *mut evname_instructions,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_instructions_free(instructions: *mut evname_instructions);
}
pub const EVNAME_INSTRUCTION_JUMP: evname_instruction_flags = 1;
pub const EVNAME_INSTRUCTION_CALL: evname_instruction_flags = 2;
pub const EVNAME_INSTRUCTION_TARGET: evname_instruction_flags = 4;
pub type evname_instruction_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_instruction {
    pub address: u64,
    pub bytes: *const u8,
    pub bytes_size: usize,
    pub text: *const std::os::raw::c_char,
    pub symbol: *const std::os::raw::c_char,
    pub target: u64,
    pub flags: u64,
    pub samples: *const u64,
    pub samples_count: usize,
    pub reserved: [u64; 4usize],
}
impl Default for evname_instruction {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_instructions_count(instructions: *const evname_instructions) -> usize;
}
extern "C" {
    pub fn evname_instructions_at(
        instructions: *const evname_instructions,
        index: usize,
        out: *mut evname_instruction,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_instructions_frames(
        instructions: *const evname_instructions,
        index: usize,
        frames: *mut evname_frames,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_instructions_outside(instructions: *const evname_instructions, event: usize) -> u64;
}
extern "C" {
    pub fn evname_instructions_problem(
        instructions: *const evname_instructions,
    ) -> *const std::os::raw::c_char;
}
pub const EVNAME_PROFILE_PPROF: evname_profile_format = 0;
pub const EVNAME_PROFILE_FIREFOX: evname_profile_format = 1;
pub const EVNAME_PROFILE_SPEEDSCOPE: evname_profile_format = 2;
pub const EVNAME_PROFILE_PERFETTO: evname_profile_format = 3;
pub const EVNAME_PROFILE_OTLP: evname_profile_format = 4;
pub const EVNAME_PROFILE_OTLP_JSON: evname_profile_format = 5;
pub type evname_profile_format = std::os::raw::c_uint;
pub const EVNAME_PROFILE_GZIP: evname_profile_flags = 1;
pub type evname_profile_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_profile_options {
    pub symbols: *const evname_symbols,
    pub format: u32,
    pub flags: u32,
    pub reserved: [u64; 4usize],
}
impl Default for evname_profile_options {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_profile_write(
        recordings: *const *const evname_recording,
        count: usize,
        options: *const evname_profile_options,
        filter: *const evname_filter,
        path: *const std::os::raw::c_char,
        samples: *mut u64,
        tallies: *mut evname_tally,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_renames {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_rename {
    pub event: u64,
    pub from: *const std::os::raw::c_char,
    pub to: *const std::os::raw::c_char,
    pub reserved: [u64; 2usize],
}
impl Default for evname_rename {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_inject(
        recording: *const evname_recording,
        path: *const std::os::raw::c_char,
        out: *mut *mut evname_renames,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_inject_with(
        recording: *const evname_recording,
        path: *const std::os::raw::c_char,
        progress: evname_progress,
        context: *mut std::os::raw::c_void,
        out: *mut *mut evname_renames,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_renames_count(renames: *const evname_renames) -> usize;
}
extern "C" {
    pub fn evname_renames_at(
        renames: *const evname_renames,
        index: usize,
        out: *mut evname_rename,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_renames_free(renames: *mut evname_renames);
}
extern "C" {
    pub fn evname_extract(
        recording: *const evname_recording,
        filter: *const evname_filter,
        path: *const std::os::raw::c_char,
        samples: *mut u64,
        tally: *mut evname_tally,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_pack(
        recording: *const evname_recording,
        symbols: *const evname_symbols,
        path: *const std::os::raw::c_char,
        progress: evname_progress,
        context: *mut std::os::raw::c_void,
        places: *mut u64,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
pub const EVNAME_SPLIT_EVENT: evname_split_key = 0;
pub const EVNAME_SPLIT_THREAD: evname_split_key = 1;
pub const EVNAME_SPLIT_COMM: evname_split_key = 2;
pub const EVNAME_SPLIT_CPU: evname_split_key = 3;
pub type evname_split_key = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_parts {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_part {
    pub key: *const std::os::raw::c_char,
    pub path: *const std::os::raw::c_char,
    pub samples: u64,
    pub reserved: [u64; 2usize],
}
impl Default for evname_part {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_split(
        recording: *const evname_recording,
        key: u32,
        filter: *const evname_filter,
        directory: *const std::os::raw::c_char,
        out: *mut *mut evname_parts,
        tally: *mut evname_tally,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_parts_count(parts: *const evname_parts) -> usize;
}
extern "C" {
    pub fn evname_parts_at(
        parts: *const evname_parts,
        index: usize,
        out: *mut evname_part,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_parts_free(parts: *mut evname_parts);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_sampler {
    _unused: [u8; 0],
}
pub const EVNAME_CHAINS_NONE: evname_call_chains = 0;
pub const EVNAME_CHAINS_FRAME_POINTERS: evname_call_chains = 1;
pub const EVNAME_CHAINS_STACK_COPIES: evname_call_chains = 2;
pub const EVNAME_CHAINS_BRANCH_RECORDS: evname_call_chains = 3;
pub type evname_call_chains = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_sampled_events {
    pub events: *const std::os::raw::c_char,
    pub period: u64,
    pub frequency: u64,
    pub fields: *const std::os::raw::c_char,
    pub chains: u32,
    pub stack_size: u32,
    pub max_stack: u32,
    pub padding: u32,
    pub branches: u64,
    pub reserved: [u64; 4usize],
}
impl Default for evname_sampled_events {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const EVNAME_SAMPLER_INHERIT: evname_sampler_flags = 1;
pub const EVNAME_SAMPLER_ENABLE_ON_EXEC: evname_sampler_flags = 2;
pub const EVNAME_SAMPLER_DATA_MAPPINGS: evname_sampler_flags = 4;
pub const EVNAME_SAMPLER_KERNEL_TOO: evname_sampler_flags = 8;
pub const EVNAME_SAMPLER_THREAD: evname_sampler_flags = 16;
pub type evname_sampler_flags = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_sampler_options {
    pub flags: u32,
    pub buffer_pages: u32,
    pub keep: u64,
    pub trace_pages: u32,
    pub padding: u32,
    pub reserved: [u64; 3usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct evname_losses {
    pub lost: u64,
    pub damaged: u64,
    pub not_kept: u64,
    pub reserved: [u64; 3usize],
}
extern "C" {
    pub fn evname_sampler_open(
        machine: *const evname_machine,
        events: *const evname_sampled_events,
        count: usize,
        target: *const evname_count_target,
        options: *const evname_sampler_options,
        out: *mut *mut evname_sampler,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_free(sampler: *mut evname_sampler);
}
extern "C" {
    pub fn evname_sampler_warning(
        sampler: *const evname_sampler,
        index: usize,
    ) -> *const std::os::raw::c_char;
}
extern "C" {
    pub fn evname_sampler_enable(
        sampler: *mut evname_sampler,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_disable(
        sampler: *mut evname_sampler,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_wait(
        sampler: *mut evname_sampler,
        milliseconds: u32,
        alive: *mut i32,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_samples(
        sampler: *mut evname_sampler,
        out: *mut *mut evname_samples,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
pub type evname_sample_reader =
    ::std::option::Option<unsafe extern "C" fn(context: *mut std::os::raw::c_void) -> std::os::raw::c_int>;
extern "C" {
    pub fn evname_sampler_start(
        sampler: *mut evname_sampler,
        reader: evname_sample_reader,
        context: *mut std::os::raw::c_void,
        milliseconds: u32,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_stop(sampler: *mut evname_sampler, error: *mut evname_error)
        -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_recording(
        sampler: *const evname_sampler,
        out: *mut *mut evname_recording,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_take_recording(
        sampler: *mut evname_sampler,
        out: *mut *mut evname_recording,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_sampler_losses(
        sampler: *const evname_sampler,
        out: *mut evname_losses,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_scope {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct evname_sampled_function {
    pub function: *const std::os::raw::c_char,
    pub dso: *const std::os::raw::c_char,
    pub samples: u64,
    pub period: u64,
    pub reserved: [u64; 2usize],
}
impl Default for evname_sampled_function {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn evname_scope_new(
        sampler: *mut evname_sampler,
        symbols: *const evname_symbols,
        out: *mut *mut evname_scope,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_scope_free(scope: *mut evname_scope);
}
extern "C" {
    pub fn evname_scope_start(scope: *mut evname_scope, error: *mut evname_error) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_scope_stop(scope: *mut evname_scope, error: *mut evname_error) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_scope_function(
        scope: *mut evname_scope,
        event: usize,
        index: usize,
        out: *mut evname_sampled_function,
    ) -> std::os::raw::c_int;
}
