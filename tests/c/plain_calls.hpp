// The functions of the C interface that take no memory at all, and what they are called with.

#pragma once

#include <evname/evname.h>

namespace evname::test {

inline evname_machine* machine = nullptr;
inline evname_machine* laid = nullptr;  ///< with events of a directory
inline evname_recording* recording = nullptr;
inline evname_report* report = nullptr;
inline evname_instruction_report* instruction_report = nullptr;
inline evname_instructions* instructions = nullptr;
inline evname_schedule* schedule = nullptr;
inline evname_metrics* metrics = nullptr;
inline evname_topdown* topdown = nullptr;
inline evname_counters* counters = nullptr;
inline evname_counter_value values[3];
inline evname_sampler* sampler = nullptr;
inline evname_scope* scope = nullptr;
inline evname_events* events = nullptr;
inline evname_renames* renames = nullptr;
inline evname_samples* samples = nullptr;
inline evname_symbols* symbols = nullptr;
inline evname_frames* frames = nullptr;
inline evname_parts* parts = nullptr;

struct PlainCall {
  const char* name;
  void (*call)();
};

/// In this order: those that free come last.
inline constexpr PlainCall kPlainCalls[] = {
    {"evname_version", []() { evname_version(); }},
    {"evname_status_text", []() { evname_status_text(EVNAME_NO_MEMORY); }},
    {"evname_record_name", []() { evname_record_name(1); }},
    {"evname_context_name", []() { evname_context_name(UINT64_MAX - 127); }},
    {"evname_error_text",
     []() {
       evname_error error = {};
       char text[8];
       evname_error_text(&error, text, sizeof text);
     }},
    {"evname_event_directory_count", []() { evname_event_directory_count(laid); }},
    {"evname_event_directory_at",
     []() {
       evname_event_directory one;
       evname_event_directory_at(laid, 0, &one);
     }},
    {"evname_model_count", []() { evname_model_count(); }},
    {"evname_model_at",
     []() {
       evname_model model;
       evname_model_at(0, &model);
     }},
    {"evname_machine_cpu",
     []() {
       evname_cpu cpu;
       evname_machine_cpu(machine, &cpu);
     }},
    {"evname_machine_warning", []() { evname_machine_warning(machine, 0); }},
    {"evname_pmu_count", []() { evname_pmu_count(machine); }},
    {"evname_pmu_at",
     []() {
       evname_pmu pmu;
       evname_pmu_at(machine, 0, &pmu);
     }},
    {"evname_events_count", []() { evname_events_count(events); }},
    {"evname_events_at",
     []() {
       evname_event event;
       evname_events_at(events, 0, &event);
     }},
    {"evname_recording_machine", []() { evname_recording_machine(recording); }},
    {"evname_recording_warning", []() { evname_recording_warning(recording, 0); }},
    {"evname_recorded_event_count", []() { evname_recorded_event_count(recording); }},
    {"evname_recorded_event_at",
     []() {
       evname_recorded_event event;
       evname_recorded_event_at(recording, 0, &event);
     }},
    {"evname_samples_warning", []() { evname_samples_warning(samples, 0); }},
    {"evname_instruction_report_event",
     []() { evname_instruction_report_event(instruction_report, 0); }},
    {"evname_instruction_report_function_count",
     []() { evname_instruction_report_function_count(instruction_report); }},
    {"evname_instruction_report_function_at",
     []() {
       evname_function function;
       evname_instruction_report_function_at(instruction_report, 0, &function);
     }},
    {"evname_instructions_count", []() { evname_instructions_count(instructions); }},
    {"evname_instructions_at",
     []() {
       evname_instruction instruction;
       evname_instructions_at(instructions, 0, &instruction);
     }},
    {"evname_instructions_outside", []() { evname_instructions_outside(instructions, 0); }},
    {"evname_instructions_problem", []() { evname_instructions_problem(instructions); }},
    {"evname_report_row_count", []() { evname_report_row_count(report); }},
    {"evname_report_row_at",
     []() {
       evname_report_row row;
       evname_report_row_at(report, 0, &row);
     }},
    {"evname_renames_count", []() { evname_renames_count(renames); }},
    {"evname_renames_at",
     []() {
       evname_rename one;
       evname_renames_at(renames, 0, &one);
     }},
    {"evname_schedule_event_count", []() { evname_schedule_event_count(schedule); }},
    {"evname_schedule_event_at",
     []() {
       evname_attr attr;
       evname_schedule_event_at(schedule, 0, &attr, nullptr);
     }},
    {"evname_schedule_group_count", []() { evname_schedule_group_count(schedule); }},
    {"evname_schedule_group_at",
     []() {
       evname_scheduled_group group;
       evname_schedule_group_at(schedule, 0, &group);
     }},
    {"evname_schedule_warning", []() { evname_schedule_warning(schedule, 0); }},
    {"evname_metrics_warning", []() { evname_metrics_warning(metrics, 0); }},
    {"evname_metrics_count", []() { evname_metrics_count(metrics); }},
    {"evname_metrics_at",
     []() {
       evname_metric metric;
       evname_metrics_at(metrics, 0, &metric);
     }},
    {"evname_metrics_event_count", []() { evname_metrics_event_count(metrics); }},
    {"evname_metrics_event_at",
     []() {
       evname_metric_event event;
       evname_metrics_event_at(metrics, 0, &event);
     }},
    {"evname_topdown_count", []() { evname_topdown_count(topdown); }},
    {"evname_topdown_at",
     []() {
       evname_topdown_node node;
       evname_topdown_at(topdown, 0, &node);
     }},
    {"evname_topdown_event_count", []() { evname_topdown_event_count(topdown); }},
    {"evname_topdown_event_at",
     []() {
       evname_metric_event event;
       evname_topdown_event_at(topdown, 0, &event);
     }},
    {"evname_topdown_next",
     []() {
       const double values[2] = {50, 50};
       const uint8_t flagged[2] = {1, 1};
       evname_topdown_next(topdown, values, flagged, 2);
     }},
    {"evname_frames_count", []() { evname_frames_count(frames); }},
    {"evname_frames_at",
     []() {
       evname_frame frame;
       evname_frames_at(frames, 0, &frame);
     }},
    {"evname_parts_count", []() { evname_parts_count(parts); }},
    {"evname_parts_at",
     []() {
       evname_part part;
       evname_parts_at(parts, 0, &part);
     }},
    {"evname_counters_count", []() { evname_counters_count(counters); }},
    {"evname_counters_event_at",
     []() {
       evname_attr attr;
       evname_counters_event_at(counters, 0, &attr, nullptr);
     }},
    {"evname_counters_problem", []() { evname_counters_problem(counters, 0, nullptr); }},
    {"evname_counters_enable", []() { evname_counters_enable(counters, nullptr); }},
    {"evname_counters_disable", []() { evname_counters_disable(counters, nullptr); }},
    {"evname_counters_read", []() { evname_counters_read(counters, values, 3, nullptr); }},
    {"evname_counters_user_readable", []() { evname_counters_user_readable(counters); }},
    {"evname_sampler_warning", []() { evname_sampler_warning(sampler, 0); }},
    {"evname_sampler_enable", []() { evname_sampler_enable(sampler, nullptr); }},
    {"evname_sampler_wait", []() { evname_sampler_wait(sampler, 0, nullptr, nullptr); }},
    {"evname_sampler_stop", []() { evname_sampler_stop(sampler, nullptr); }},
    {"evname_sampler_disable", []() { evname_sampler_disable(sampler, nullptr); }},
    {"evname_sampler_losses",
     []() {
       evname_losses losses;
       evname_sampler_losses(sampler, &losses);
     }},
    {"evname_scope_free", []() { evname_scope_free(scope); }},
    {"evname_sampler_free", []() { evname_sampler_free(sampler); }},
    {"evname_counters_free", []() { evname_counters_free(counters); }},
    {"evname_frames_free", []() { evname_frames_free(frames); }},
    {"evname_symbols_free", []() { evname_symbols_free(symbols); }},
    {"evname_parts_free", []() { evname_parts_free(parts); }},
    {"evname_instructions_free", []() { evname_instructions_free(instructions); }},
    {"evname_instruction_report_free",
     []() { evname_instruction_report_free(instruction_report); }},
    {"evname_report_free", []() { evname_report_free(report); }},
    {"evname_schedule_free", []() { evname_schedule_free(schedule); }},
    {"evname_topdown_free", []() { evname_topdown_free(topdown); }},
    {"evname_metrics_free", []() { evname_metrics_free(metrics); }},
    {"evname_events_free", []() { evname_events_free(events); }},
    {"evname_renames_free", []() { evname_renames_free(renames); }},
    {"evname_samples_free", []() { evname_samples_free(samples); }},
    {"evname_recording_free", []() { evname_recording_free(recording); }},
    {"evname_machine_free", []() { evname_machine_free(machine); }},
};

}  // namespace evname::test
