
use crate::types::*;

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
