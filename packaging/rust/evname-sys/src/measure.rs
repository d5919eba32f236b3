
use crate::types::*;

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
    pub fn evname_schedule_note(
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
