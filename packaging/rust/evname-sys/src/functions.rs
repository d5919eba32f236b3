
use crate::types::*;

extern "C" {
    pub fn evname_version() -> *const std::os::raw::c_char;
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
extern "C" {
    pub fn evname_model_count() -> usize;
}
extern "C" {
    pub fn evname_model_at(index: usize, out: *mut evname_model) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_live(
        sysfs: *const std::os::raw::c_char,
        procfs: *const std::os::raw::c_char,
        out: *mut *mut evname_machine,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_named(
        cpu: *const std::os::raw::c_char,
        sysfs: *const std::os::raw::c_char,
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
extern "C" {
    pub fn evname_machine_named_with_events(
        cpu: *const std::os::raw::c_char,
        sysfs: *const std::os::raw::c_char,
        directory: *const std::os::raw::c_char,
        out: *mut *mut evname_machine,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_open(
        cpu: *const std::os::raw::c_char,
        sysfs: *const std::os::raw::c_char,
        procfs: *const std::os::raw::c_char,
        events: *const std::os::raw::c_char,
        flags: u32,
        out: *mut *mut evname_machine,
        error: *mut evname_error,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_laid_events_count(machine: *const evname_machine) -> usize;
}
extern "C" {
    pub fn evname_laid_events_at(
        machine: *const evname_machine,
        index: usize,
        out: *mut evname_laid_events,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn evname_machine_free(machine: *mut evname_machine);
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
    pub fn evname_exact_name(
        machine: *const evname_machine,
        pmu: *const std::os::raw::c_char,
        code: *const evname_code,
    ) -> *const std::os::raw::c_char;
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
extern "C" {
    pub fn evname_samples_open(
        recording: *const evname_recording,
        flags: u32,
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
