/* Writes samples down, adds them up, and names them, from C. Argument: a recording of 374 samples,
 * which tests/data/README.md describes. */

#include <evname/evname.h>
#include <stdlib.h>
#include <unistd.h>

#include "checks.h"

static evname_recording* recording_of(const char* path) {
  evname_recording* recording = NULL;
  CHECK(evname_recording_open(path, &recording, NULL) == EVNAME_OK);
  return recording;
}

/* Copies the first bytes of a file to `text`; returns how many lines the file has. */
static size_t lines_of(FILE* file, char* text, size_t size) {
  size_t lines = 0;
  rewind(file);
  const size_t got = fread(text, 1, size - 1, file);
  text[got] = '\0';
  rewind(file);
  for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
  return lines;
}

static void samples_are_written_to_a_file(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_annotate_options options;
  evname_tally tally;
  evname_error error;
  char text[400];
  FILE* file = tmpfile();
  CHECK(file != NULL);
  if (file == NULL) return;
  memset(&options, 0, sizeof options);
  options.format = EVNAME_FORMAT_CSV;
  options.fields = "comm,event";
  CHECK(evname_annotate(recording, &options, NULL, fileno(file), &tally, NULL) == EVNAME_OK);
  CHECK(tally.samples == 374);
  CHECK(lines_of(file, text, sizeof text) == 375);
  CHECK(strncmp(text, "comm,event,", 11) == 0);
  CHECK(strstr(text, "cpu_cycles") != NULL);
  fclose(file);
  /* The names that perf record was given, and the first samples alone. */
  file = tmpfile();
  CHECK(file != NULL);
  if (file == NULL) return;
  options.fields = "event";
  options.format = EVNAME_FORMAT_TEXT;
  options.flags = EVNAME_ANNOTATE_RECORDED_NAMES;
  options.limit = 3;
  CHECK(evname_annotate(recording, &options, NULL, fileno(file), &tally, NULL) == EVNAME_OK);
  CHECK(tally.samples == 3 && lines_of(file, text, sizeof text) == 3);
  CHECK(strstr(text, "page-faults/period=5/") != NULL);
  fclose(file);
  CHECK(evname_annotate(recording, &options, NULL, -1, NULL, &error) == EVNAME_IO);
  options.fields = "no_such_field";
  CHECK(evname_annotate(recording, &options, NULL, -1, NULL, &error) == EVNAME_INVALID_ARGUMENT);
  options.format = 4;
  CHECK(evname_annotate(recording, &options, NULL, -1, NULL, &error) == EVNAME_INVALID_ARGUMENT);
  evname_recording_free(recording);
}

static void samples_of_code(const evname_recording* recording, const char* dso, const char* sym,
                            uint64_t samples) {
  evname_report* report = NULL;
  evname_filter filter;
  evname_tally tally;
  memset(&filter, 0, sizeof filter);
  filter.dso = dso;
  filter.sym = sym;
  CHECK(evname_report_new("event", &filter, &report, NULL) == EVNAME_OK);
  CHECK(evname_report_add(report, recording, &tally, NULL) == EVNAME_OK);
  CHECK(tally.selected == samples);
  evname_report_free(report);
}

static void samples_are_added_up(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_report *report = NULL, *filtered = NULL;
  evname_report_row row;
  evname_filter filter;
  evname_tally tally;
  uint64_t total = 0;
  CHECK(evname_report_new("event,comm", NULL, &report, NULL) == EVNAME_OK);
  CHECK(evname_report_row_count(report) == 0);
  CHECK(evname_report_row_at(report, 0, &row) == EVNAME_OUT_OF_RANGE);
  CHECK(evname_report_add(report, recording, &tally, NULL) == EVNAME_OK);
  CHECK(tally.samples == 374);
  for (size_t i = 0; i < evname_report_row_count(report); ++i) {
    CHECK(evname_report_row_at(report, i, &row) == EVNAME_OK);
    CHECK(row.of >= row.samples && row.share * (double)row.of - (double)row.samples < 1e-6);
    CHECK(row.keys_count == 2 && row.keys[0][0] != '\0' && row.share > 0 && row.share <= 1);
    total += row.samples;
  }
  CHECK(total == 374);
  memset(&filter, 0, sizeof filter);
  filter.event = "cpu_cycles";
  CHECK(evname_report_new(NULL, &filter, &filtered, NULL) == EVNAME_OK);
  CHECK(evname_report_add(filtered, recording, NULL, NULL) == EVNAME_OK);
  CHECK(evname_report_row_count(filtered) == 1);
  CHECK(evname_report_row_at(filtered, 0, &row) == EVNAME_OK);
  CHECK_TEXT(row.keys[0], "cpu_cycles");
  CHECK(row.samples > 0 && row.samples < 374);
  evname_report_free(filtered);
  evname_report_free(report);
  samples_of_code(recording, "busybox", NULL, 347); /* perf script says so */
  samples_of_code(recording, "/usr/bin/*", NULL, 347);
  samples_of_code(recording, "[kernel.kallsyms]", NULL, 27);
  samples_of_code(recording, NULL, "no_such_function", 0);
  CHECK(evname_report_new("color", NULL, &report, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(report == NULL);
  CHECK(evname_report_new("sched:sched_switch.prev_comm", NULL, &report, NULL) == EVNAME_OK);
  CHECK(evname_report_add(report, recording, NULL, NULL) == EVNAME_INVALID_ARGUMENT);
  evname_report_free(report);
  filter.samples_flags = 1u << 31;
  CHECK(evname_report_new(NULL, &filter, &report, NULL) == EVNAME_INVALID_ARGUMENT);
  evname_recording_free(recording);
}

/* Of files that are not here: each address with samples is listed without text. */
static void samples_are_counted_by_instruction(const char* path) {
  const evname_symbol_options nowhere = {.symfs = "/no/such", .kallsyms = "/no/such"};
  const evname_filter filter = {.event = "cpu_cycles"};
  evname_recording* recording = recording_of(path);
  evname_symbols* symbols = NULL;
  evname_instruction_report* report = NULL;
  evname_instructions* code = NULL;
  evname_frames* frames = NULL;
  evname_function function;
  evname_instruction one;
  evname_frame frame;
  evname_error error;
  uint64_t total = 0;
  CHECK(evname_symbols_new(&nowhere, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
  CHECK(evname_instruction_report_new(symbols, &filter, &report, NULL) == EVNAME_OK);
  evname_symbols_free(symbols);
  CHECK(evname_instruction_report_function_count(report) == 0);
  CHECK(evname_instruction_report_add(report, recording, NULL, NULL) == EVNAME_OK);
  evname_recording_free(recording);
  CHECK_TEXT(evname_instruction_report_event(report, 0), "cpu_cycles");
  CHECK_TEXT(evname_instruction_report_event(report, 3), "");
  for (size_t f = 0; evname_instruction_report_function_at(report, f, &function) == EVNAME_OK;
       ++f) {
    uint64_t inside = 0, last = 0;
    CHECK(function.samples_count == 3 && function.samples[0] == function.all);
    CHECK(evname_instructions_new(report, f, 0, &code, NULL) == EVNAME_OK);
    for (size_t i = 0; evname_instructions_at(code, i, &one) == EVNAME_OK; ++i) {
      CHECK(one.bytes == NULL && one.bytes_size == 0 && one.samples[0] > 0 && one.address > last);
      CHECK_TEXT(one.text, "");
      inside += one.samples[0];
      last = one.address;
    }
    CHECK(inside + evname_instructions_outside(code, 0) == function.all);
    CHECK(evname_instructions_problem(code)[0] != '\0');
    CHECK(evname_instructions_frames(code, 0, frames, NULL) == EVNAME_OK);
    for (size_t i = 0; evname_frames_at(frames, i, &frame) == EVNAME_OK; ++i)
      CHECK_TEXT(frame.dso, function.dso);
    CHECK(evname_instructions_frames(code, 9999, frames, &error) == EVNAME_OUT_OF_RANGE);
    CHECK(evname_frames_count(frames) == 0);
    evname_instructions_free(code);
    total += function.all;
  }
  CHECK(total == 239); /* perf script says so: busybox 221, the kernel 18 */
  CHECK(evname_instruction_report_function_at(report, 0, &function) == EVNAME_OK);
  CHECK_TEXT(function.dso, "/usr/bin/busybox");
  CHECK(function.all == 221);
  CHECK(evname_instructions_new(report, 99, 0, &code, &error) == EVNAME_OUT_OF_RANGE);
  CHECK(evname_instructions_new(report, 0, 2, &code, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(code == NULL);
  evname_frames_free(frames);
  evname_instruction_report_free(report);
}

static void times_are_ranges(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_time_range range, ranges[3];
  size_t count;
  CHECK(evname_parse_times(recording, "1.5,2", &range, 1, &count, NULL) == EVNAME_OK);
  CHECK(count == 1 && range.first == 1500000000u && range.last == 2000000000u);
  memset(ranges, 0x55, sizeof ranges);
  CHECK(evname_parse_times(recording, "1,2 3,4.5", ranges, 1, &count, NULL) == EVNAME_OK);
  CHECK(count == 2 && ranges[0].first == 1000000000u && ranges[1].first == 0x5555555555555555u);
  CHECK(evname_parse_times(recording, "1,2 3,4.5", ranges, 3, &count, NULL) == EVNAME_OK);
  CHECK(count == 2 && ranges[1].first == 3000000000u && ranges[1].last == 4500000000u);
  CHECK(ranges[2].first == 0x5555555555555555u);
  CHECK(evname_parse_times(recording, "soon", NULL, 0, &count, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(count == 0);
  evname_recording_free(recording);
}

static void names_are_put_into_a_copy(const char* path) {
  evname_recording *recording = recording_of(path), *copy;
  evname_recorded_event event;
  evname_renames* renames = NULL;
  evname_rename one;
  evname_error error;
  char to[] = "evname-analysis-XXXXXX";
  const int file = mkstemp(to);
  CHECK(file >= 0);
  if (file < 0) return;
  close(file);
  CHECK(evname_inject(recording, NULL, &renames, NULL) == EVNAME_OK);
  CHECK(evname_renames_count(renames) > 0);
  CHECK(evname_renames_at(renames, 0, &one) == EVNAME_OK);
  CHECK_TEXT(one.from, "r11");
  CHECK_TEXT(one.to, "cpu_cycles");
  CHECK(evname_renames_at(renames, evname_renames_count(renames), &one) == EVNAME_OUT_OF_RANGE);
  CHECK(one.event == 0 && one.from[0] == '\0' && one.to[0] == '\0');
  evname_renames_free(renames);
  CHECK(evname_inject(recording, to, NULL, NULL) == EVNAME_OK);
  CHECK(evname_inject(recording, "/nonexistent/x", NULL, &error) == EVNAME_IO);
  copy = recording_of(to);
  CHECK(evname_recorded_event_at(copy, 0, &event) == EVNAME_OK);
  CHECK_TEXT(event.recorded_name, "cpu_cycles");
  evname_recording_free(copy);
  evname_recording_free(recording);
  remove(to);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  samples_are_written_to_a_file(argv[1]);
  samples_are_counted_by_instruction(argv[1]);
  samples_are_added_up(argv[1]);
  times_are_ranges(argv[1]);
  names_are_put_into_a_copy(argv[1]);
  evname_report_free(NULL);
  evname_renames_free(NULL);
  return failed_checks != 0;
}
