/* A recording's events and samples as a C program sees them, beside what perf script printed.
 * Arguments: RECORDING SCRIPT … in pairs; the first is neoverse-n1.data. */

#include <evname/evname.h>
#include <inttypes.h>
#include <stdlib.h>

#include "checks.h"

static evname_recording* recording_of(const char* path) {
  evname_error error;
  evname_recording* recording;
  if (evname_recording_open(path, &recording, &error) == EVNAME_OK) return recording;
  fprintf(stderr, "%s: %s\n", path, error.message);
  exit(2);
}

/* Runs of blanks as one, none at the ends. */
static void squeeze(char* text) {
  char* to = text;
  for (const char* from = text; *from != '\0'; ++from)
    if (!strchr(" \n", *from))
      *to++ = *from;
    else if (to != text && to[-1] != ' ')
      *to++ = ' ';
  if (to != text && to[-1] == ' ') --to;
  *to = '\0';
}

/* As perf script -F comm,pid,tid,time,event does, spaces aside; perf's times are microseconds. */
static void print_sample(const evname_recording* recording, const evname_sample* sample, char* line,
                         size_t size) {
  evname_recorded_event event;
  CHECK(evname_recorded_event_at(recording, sample->event, &event) == EVNAME_OK);
  snprintf(line, size, "%s %d/%d %" PRIu64 ".%06" PRIu64 ": %s:", sample->comm, sample->pid,
           sample->tid, sample->time / 1000000000, sample->time / 1000 % 1000000,
           event.recorded_name);
  squeeze(line);
}

static void samples_are_those_of_perf_script(const char* path, const char* script_path) {
  evname_recording* recording = recording_of(path);
  FILE* script = fopen(script_path, "r");
  evname_samples* samples;
  evname_sample sample;
  evname_tally tally;
  char expected[500], line[500];
  uint64_t count = 0;
  CHECK(script != NULL);
  CHECK(evname_samples_open(recording, 0, &samples, NULL) == EVNAME_OK);
  while (script && evname_samples_next(samples, &sample) == 1) {
    CHECK((sample.fields & EVNAME_SAMPLE_TID) && (sample.fields & EVNAME_SAMPLE_TIME));
    ++count;
    CHECK(fgets(expected, sizeof expected, script) != NULL);
    squeeze(expected);
    print_sample(recording, &sample, line, sizeof line);
    CHECK_TEXT(line, expected);
  }
  CHECK(script && fgets(expected, sizeof expected, script) == NULL);
  CHECK(evname_samples_next(samples, &sample) == 0);
  CHECK_TEXT(sample.comm, "");
  CHECK_TEXT(sample.cgroup_path, "");
  evname_samples_tally(samples, &tally);
  CHECK(tally.samples == count && tally.malformed == 0 && tally.unknown_ids == 0);
  CHECK_TEXT(evname_samples_warning(samples, 0), "");
  CHECK_TEXT(evname_recording_warning(recording, 0), "");
  evname_samples_free(samples);
  evname_recording_free(recording);
  if (script) fclose(script);
}

/* tests/data/README.md: r11 is CPU_CYCLES, r08 INST_RETIRED; 374 samples. */
static void raw_events_have_names(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_recorded_event event;
  evname_cpu cpu;
  CHECK(evname_recorded_event_count(recording) == 3);
  CHECK(evname_recorded_event_at(recording, 0, &event) == EVNAME_OK);
  CHECK_TEXT(event.name, "cpu_cycles");
  CHECK_TEXT(event.recorded_name, "r11");
  CHECK(event.code.config[0] == 0x11 && event.exact == 1 &&
        event.named_by == EVNAME_NAMED_BY_TABLES);
  CHECK(event.ids_count > 0 && event.ids[0] != 0);
  CHECK(evname_recorded_event_at(recording, 1, &event) == EVNAME_OK);
  CHECK_TEXT(event.name, "inst_retired");
  CHECK(evname_recorded_event_at(recording, evname_recorded_event_count(recording), &event) ==
        EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(event.name, "");
  evname_machine_cpu(evname_recording_machine(recording), &cpu);
  CHECK_TEXT(cpu.model, "arm/neoverse-n1");
  evname_recording_free(recording);
}

static void machines_of_recordings_know_types(const char* path) {
  evname_machine* machine;
  evname_attr attr;
  evname_pmu pmu;
  size_t count;
  CHECK(evname_machine_recorded(path, &machine, NULL) == EVNAME_OK);
  CHECK(evname_resolve(machine, "cpu_cycles", &attr, 1, &count, NULL) == EVNAME_OK);
  CHECK(count == 1 && attr.code.config[0] == 0x11 && attr.code.has_type);
  CHECK(evname_pmu_count(machine) > 0);
  CHECK(evname_pmu_at(machine, 0, &pmu) == EVNAME_OK);
  CHECK_TEXT(pmu.name, attr.pmu);
  CHECK(pmu.type == attr.code.type);
  CHECK((pmu.flags & EVNAME_PMU_CORE) && (pmu.flags & EVNAME_PMU_PRESENT));
  CHECK(evname_pmu_at(machine, evname_pmu_count(machine), &pmu) == EVNAME_OUT_OF_RANGE);
  evname_machine_free(machine);
}

static void passes_can_be_left_early(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_samples *whole, *left;
  evname_sample sample;
  uint64_t first_time = 0;
  CHECK(evname_samples_open(recording, 4096, &left, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(left == NULL);
  CHECK(evname_samples_open(recording, EVNAME_SAMPLES_FILE_ORDER, &left, NULL) == EVNAME_OK);
  CHECK(evname_samples_open(recording, 0, &whole, NULL) == EVNAME_OK);
  evname_recording_free(recording);
  for (int i = 0; i < 3; ++i) CHECK(evname_samples_next(left, &sample) == 1);
  CHECK(evname_samples_next(whole, &sample) == 1);
  first_time = sample.time;
  evname_samples_free(left);
  CHECK(evname_samples_next(whole, &sample) == 1);
  CHECK(sample.time >= first_time);
  evname_samples_free(whole);
  evname_samples_free(NULL);
}

/* The frames of a stack are those that evname_symbols_find has for the mapping of each address. */
static void samples_have_stacks_and_mappings(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_samples* samples;
  evname_symbols* symbols;
  evname_frames *stack, *found;
  evname_sample sample;
  evname_mapping mapping;
  evname_frame frame, again;
  evname_error error;
  const char* const kRelease = "6.12.117+deb12-cloud-arm64"; /* perf report --header-only */
  CHECK(evname_symbols_new(NULL, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&stack, NULL) == EVNAME_OK &&
        evname_frames_new(&found, NULL) == EVNAME_OK);
  CHECK(evname_samples_open(recording, 0, &samples, NULL) == EVNAME_OK);
  CHECK(evname_samples_stack(samples, symbols, stack, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_samples_mapping(samples, 1, 0, &mapping, NULL) == EVNAME_INVALID_ARGUMENT);
  while (evname_samples_next(samples, &sample) == 1) {
    CHECK(evname_samples_stack(samples, symbols, stack, NULL) == EVNAME_OK);
    CHECK(evname_frames_at(stack, 0, &frame) == EVNAME_OK && frame.ip == sample.ip);
    CHECK(evname_samples_mapping(samples, 1, 0, &mapping, &error) == EVNAME_NOT_FOUND);
    CHECK(evname_samples_mapping(samples, frame.ip, (frame.flags & EVNAME_FRAME_KERNEL) != 0,
                                 &mapping, NULL) == EVNAME_OK);
    CHECK(mapping.start <= frame.ip && frame.ip < mapping.end);
    if (mapping.kernel) CHECK_TEXT(mapping.kernel_release, kRelease);
    CHECK(evname_symbols_find(symbols, frame.ip, &mapping, found, NULL) == EVNAME_OK);
    CHECK(evname_frames_at(found, 0, &again) == EVNAME_OK && again.address == frame.address);
    CHECK_TEXT(again.function, frame.function);
    CHECK_TEXT(again.dso, frame.dso);
    CHECK_TEXT(again.label, frame.label);
    if (frame.function[0] == '\0') CHECK(strstr(frame.label, "+0x") != NULL);
  }
  CHECK(evname_samples_stack(samples, symbols, stack, &error) == EVNAME_INVALID_ARGUMENT);
  evname_symbols_free(symbols); /* before the pass that used it */
  evname_samples_free(samples);
  evname_frames_free(stack);
  evname_frames_free(found);
  evname_recording_free(recording);
}

/* enum perf_callchain_context of include/uapi/linux/perf_event.h. */
static void markers_have_names(void) {
  CHECK_TEXT(evname_context_name((uint64_t)-32), "PERF_CONTEXT_HV");
  CHECK_TEXT(evname_context_name((uint64_t)-128), "PERF_CONTEXT_KERNEL");
  CHECK_TEXT(evname_context_name((uint64_t)-512), "PERF_CONTEXT_USER");
  CHECK_TEXT(evname_context_name((uint64_t)-640), "PERF_CONTEXT_USER_DEFERRED");
  CHECK_TEXT(evname_context_name((uint64_t)-2048), "PERF_CONTEXT_GUEST");
  CHECK_TEXT(evname_context_name((uint64_t)-2176), "PERF_CONTEXT_GUEST_KERNEL");
  CHECK_TEXT(evname_context_name((uint64_t)-2560), "PERF_CONTEXT_GUEST_USER");
  CHECK_TEXT(evname_context_name((uint64_t)-4095), "");
  CHECK_TEXT(evname_context_name(0x401530), "");
}

static void files_that_are_no_programs_are_problems(const char* script_path) {
  const evname_symbol_options options = {.vmlinux = script_path};
  const evname_mapping kernel = {
      .file = "[kernel.kallsyms]", .start = 0x1000, .end = 0x9000, .pid = -1, .kernel = 1};
  evname_symbols* symbols;
  evname_frames* frames;
  char whole[500] = "", part[10];
  size_t needed = 1, again;
  CHECK(evname_symbols_new(&options, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
  CHECK(evname_symbols_problem(symbols, 0, NULL, 0, &needed, NULL) == EVNAME_OK && needed == 0);
  CHECK(evname_symbols_find(symbols, 0x2000, &kernel, frames, NULL) == EVNAME_OK);
  CHECK(evname_symbols_problem(symbols, 0, whole, sizeof whole, &needed, NULL) == EVNAME_OK);
  CHECK(needed == strlen(whole) && strstr(whole, script_path) && strstr(whole, "not an ELF file"));
  CHECK(evname_symbols_problem(symbols, 0, part, sizeof part, &again, NULL) == EVNAME_OK);
  CHECK(again == needed && strlen(part) == 9 && strncmp(whole, part, 9) == 0);
  CHECK(evname_symbols_problem(symbols, 9, part, sizeof part, &again, NULL) == EVNAME_OK);
  CHECK(again == 0);
  evname_frames_free(frames);
  evname_symbols_free(symbols);
}

static void what_is_no_recording_is_an_error(const char* script_path) {
  evname_error error;
  evname_recording* recording;
  CHECK(evname_recording_open(script_path, &recording, &error) != EVNAME_OK);
  CHECK(recording == NULL && strstr(error.where, ".script") != NULL && error.message[0] != '\0');
  evname_recording_free(recording);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 1; i + 1 < argc; i += 2) {
    samples_are_those_of_perf_script(argv[i], argv[i + 1]);
    passes_can_be_left_early(argv[i]);
    samples_have_stacks_and_mappings(argv[i]);
  }
  markers_have_names();
  raw_events_have_names(argv[1]);
  machines_of_recordings_know_types(argv[1]);
  what_is_no_recording_is_an_error(argv[2]);
  files_that_are_no_programs_are_problems(argv[2]);
  return failed_checks != 0;
}
