//! Sizes of structs on 64-bit machines, as packaging/c-interface.txt of evname states them, and that calls arrive.
#![cfg(target_pointer_width = "64")]

use evname_sys::*;
use std::ffi::CStr;
use std::mem::size_of;

#[test]
fn structs_are_those_of_c() {
    let sizes = [
        (size_of::<evname_error>(), 848),
        (size_of::<evname_model>(), 64),
        (size_of::<evname_cpu>(), 72),
        (size_of::<evname_event_directory>(), 56),
        (size_of::<evname_pmu>(), 56),
        (size_of::<evname_attr>(), 112),
        (size_of::<evname_answer>(), 40),
        (size_of::<evname_code>(), 48),
        (size_of::<evname_machine_options>(), 64),
        (size_of::<evname_names>(), 72),
        (size_of::<evname_event>(), 112),
        (size_of::<evname_recorded_event>(), 144),
        (size_of::<evname_sample>(), 312),
        (size_of::<evname_record>(), 344),
        (size_of::<evname_data_source>(), 832),
        (size_of::<evname_branch>(), 192),
        (size_of::<evname_tally>(), 64),
        (size_of::<evname_count_target>(), 80),
        (size_of::<evname_counter_value>(), 32),
        (size_of::<evname_schedule_options>(), 48),
        (size_of::<evname_scheduled_group>(), 96),
        (size_of::<evname_metric>(), 136),
        (size_of::<evname_metric_event>(), 64),
        (size_of::<evname_time_range>(), 16),
        (size_of::<evname_filter>(), 184),
        (size_of::<evname_annotate_options>(), 56),
        (size_of::<evname_report_row>(), 104),
        (size_of::<evname_rename>(), 40),
        (size_of::<evname_function>(), 80),
        (size_of::<evname_instruction>(), 104),
    ];
    for (index, (is, expected)) in sizes.into_iter().enumerate() {
        assert_eq!(is, expected, "row {index}");
    }
}

#[test]
fn the_library_is_new_enough() {
    let version = unsafe { CStr::from_ptr(evname_version()) }.to_str().unwrap();
    assert!(version.starts_with(concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".")), "{version}");
}
