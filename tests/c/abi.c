/* Structs keep their size while the soname stays: these numbers change with it only. */

#include <evname/evname.h>
#include <stdio.h>

#define ROW(type, size) \
  { #type, sizeof(type), size }

static const struct {
  const char* name;
  size_t is, was;
} kRows[] = {
    /* events.h */
    ROW(evname_error, 848),
    ROW(evname_code, 48),
    ROW(evname_model, 64),
    ROW(evname_event_directory, 56),
    ROW(evname_cpu, 72),
    ROW(evname_pmu, 56),
    ROW(evname_attr, 112),
    ROW(evname_answer, 40),
    ROW(evname_names, 72),
    ROW(evname_event, 112),
    ROW(evname_schedule_options, 48),
    ROW(evname_scheduled_group, 96),
    ROW(evname_metric, 136),
    ROW(evname_metric_event, 64),
    ROW(evname_event_count, 16),
    ROW(evname_metric_value, 16),
    /* counters.h */
    ROW(evname_count_target, 80),
    ROW(evname_counter_value, 32),
    /* recordings.h */
    ROW(evname_recorded_event, 144),
    ROW(evname_sample, 312),
    ROW(evname_tally, 64),
    ROW(evname_time_range, 16),
    ROW(evname_filter, 152),
    ROW(evname_annotate_options, 56),
    ROW(evname_report_row, 104),
    ROW(evname_rename, 40),
    ROW(evname_symbol_options, 80),
    ROW(evname_mapping, 104),
    ROW(evname_frame, 72),
    ROW(evname_profile_options, 48),
    ROW(evname_part, 40),
};

int main(void) {
  int wrong = 0;
  if (sizeof(void*) != 8) return 77; /* skipped: the numbers are of 64-bit machines */
  for (size_t i = 0; i < sizeof kRows / sizeof *kRows; ++i) {
    if (kRows[i].is == kRows[i].was) continue;
    fprintf(stderr, "%s has %zu bytes, not %zu\n", kRows[i].name, kRows[i].is, kRows[i].was);
    wrong = 1;
  }
  return wrong;
}
