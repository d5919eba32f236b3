
use crate::types::*;

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
    pub reserved: [u64; 2usize],
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
