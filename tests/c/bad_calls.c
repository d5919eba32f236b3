/* Each function of the C interface with NULL, and with values that mean nothing: it refuses them,
 * and does nothing else. make_bad_calls.py writes the calls. Argument: a recording. */

#include <evname/evname.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

static evname_machine *machine, *made_machine;
static evname_events *events, *made_events;
static evname_schedule *schedule, *made_schedule;
static evname_metrics *metrics, *made_metrics;
static evname_topdown *topdown, *made_topdown;
static evname_recording *recording, *made_recording;
static evname_samples *samples, *made_samples;
static evname_report *report, *made_report;
static evname_instruction_report *instruction_report, *made_instruction_report;
static evname_instructions *instructions, *made_instructions;
static evname_symbols *symbols, *made_symbols;
static evname_frames *frames, *made_frames;
static evname_renames *renames, *made_renames;
static evname_parts *parts, *made_parts;
static evname_counters *counters, *made_counters;
static evname_sampler* made_sampler; /* there is no other: it needs a kernel that samples */
static evname_scope* made_scope;

static _Alignas(8) unsigned char room[8][1024]; /* a zeroed struct for each argument */
static char buffer[1];
static const char* name;
static evname_error error;
static char folder[] = "/tmp/evname-bad-calls-XXXXXX", text[64];
static const char* const texts[] = {text};
static const evname_recording* recordings[1];
static char long_text[1 << 20], braces[1 << 16], parentheses[1 << 16];
static const char not_utf8[] = "\xff\xfe%s%n\x01";
static const char* now = ""; /* the call, for those who look at a crash */

static int reader(void* context) { return context == NULL; }

static void begin(const char* call) {
  now = call;
  memset(room, 0, sizeof room);
}

static void expect(int is_so, const char* what) {
  if (is_so) return;
  ++failed_checks;
  fprintf(stderr, "%s %s\n", now, what);
}

#define IS_REFUSED(status) expect(abs(status) == EVNAME_INVALID_ARGUMENT, "is not refused")
#define IS_STATUS(status) expect(abs(status) < EVNAME_INTERNAL, "is an internal error")
#define IS_ZERO(value) expect((value) == 0, "is not 0")
#define IS_EMPTY(text) expect(*(text) == '\0', "is a text")
#define IS_NULL(pointer) expect((pointer) == NULL, "is not NULL")
#define IS_NO_NODE(node) expect((node) == EVNAME_NO_NODE, "is a node")

static void make_handles(const char* path) {
  const evname_symbol_options nowhere = {.symfs = "/no/such", .cache = "/no/such"};
  CHECK(evname_machine_open("skylakex", NULL, &machine, NULL) == EVNAME_OK);
  CHECK(evname_events_list(machine, "inst*", &events, NULL) == EVNAME_OK);
  CHECK(evname_schedule_new(machine, "r1", NULL, &schedule, NULL) == EVNAME_OK);
  CHECK(evname_metrics_new(machine, 0, &metrics, NULL) == EVNAME_OK);
  CHECK(evname_metrics_add(metrics, "tma_info_thread_ipc", NULL) == EVNAME_OK);
  CHECK(evname_topdown_new(metrics, NULL, &topdown, NULL) == EVNAME_OK);
  CHECK(evname_recording_open(path, &recording, NULL) == EVNAME_OK);
  CHECK(evname_samples_open(recording, 0, &samples, NULL) == EVNAME_OK);
  CHECK(evname_report_new(NULL, NULL, &report, NULL) == EVNAME_OK);
  CHECK(evname_instruction_report_new(NULL, NULL, &instruction_report, NULL) == EVNAME_OK);
  CHECK(evname_instruction_report_add(instruction_report, recording, NULL, NULL) == EVNAME_OK);
  CHECK(evname_instructions_new(instruction_report, 0, 0, &instructions, NULL) == EVNAME_OK);
  CHECK(evname_symbols_new(&nowhere, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
  CHECK(evname_inject(recording, NULL, &renames, NULL) == EVNAME_OK);
  CHECK(evname_counters_open(machine, "duration_time", NULL, 0, 0, &counters, NULL) == EVNAME_OK);
  recordings[0] = recording;
}

static void free_handles(void) {
  evname_counters_free(counters);
  evname_renames_free(renames);
  evname_frames_free(frames);
  evname_symbols_free(symbols);
  evname_instructions_free(instructions);
  evname_instruction_report_free(instruction_report);
  evname_report_free(report);
  evname_samples_free(samples);
  evname_recording_free(recording);
  evname_topdown_free(topdown);
  evname_metrics_free(metrics);
  evname_schedule_free(schedule);
  evname_events_free(events);
  evname_machine_free(machine);
}

static size_t samples_of(const evname_recording* file) {
  evname_samples* pass = NULL;
  evname_sample sample;
  size_t count = 0;
  CHECK(evname_samples_open(file, 0, &pass, NULL) == EVNAME_OK);
  while (evname_samples_next(pass, &sample) == 1) ++count;
  CHECK(evname_samples_next(pass, &sample) == 0); /* also after the end */
  evname_samples_free(pass);
  return count;
}

/* Calls before those that they need, and after handles that are gone. */
static void call_out_of_order(const char* path) {
  evname_recording* file = NULL;
  evname_samples* pass = NULL;
  evname_sample sample;
  evname_mapping mapping;
  evname_frame frame;
  evname_metric_value value;
  evname_metrics* none = NULL;
  CHECK(evname_recording_open(path, &file, NULL) == EVNAME_OK);
  CHECK(evname_samples_open(file, 0, &pass, NULL) == EVNAME_OK);
  evname_recording_free(file);
  CHECK(evname_samples_stack(pass, symbols, frames, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_samples_mapping(pass, 0, 0, &mapping, NULL) == EVNAME_INVALID_ARGUMENT);
  while (evname_samples_next(pass, &sample) == 1) CHECK(*sample.comm != '\0');
  CHECK(evname_samples_stack(pass, symbols, frames, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_frames_count(frames) == 0);
  CHECK(evname_frames_at(frames, 0, &frame) == EVNAME_OUT_OF_RANGE && *frame.label == '\0');
  evname_samples_free(pass);
  CHECK(evname_metrics_new(machine, 0, &none, NULL) == EVNAME_OK);
  CHECK(evname_metrics_evaluate(none, NULL, 0, &value, 1, NULL) == EVNAME_OK);
  CHECK(evname_metrics_add(none, "IPC", NULL) != EVNAME_INTERNAL);
  CHECK(evname_metrics_set_fact(none, "#smt_on", 1, NULL) < EVNAME_INTERNAL);
  evname_metrics_free(none);
  CHECK(evname_counters_disable(counters, NULL) == EVNAME_OK); /* they were never enabled */
}

static void copy(const char* from, const char* to, const char* mode, int times) {
  static char bytes[1 << 16];
  FILE *in = fopen(from, "rb"), *out = fopen(to, mode);
  const size_t size = fread(bytes, 1, sizeof bytes, in);
  while (times-- > 0) CHECK(fwrite(bytes, 1, size, out) == size);
  CHECK(fclose(in) == 0 && fclose(out) == 0);
}

/* A recording that grows, is replaced and removed stays what it was when it was opened. */
static void change_a_recording(const char* path) {
  evname_recording* file = NULL;
  const size_t all = samples_of(recording);
  CHECK(all > 300);
  copy(path, "copy", "wb", 1);
  CHECK(evname_recording_open("copy", &file, NULL) == EVNAME_OK);
  copy(path, "copy", "ab", 2);
  CHECK(samples_of(file) == all);
  copy(path, "other", "wb", 0);
  CHECK(rename("other", "copy") == 0 && samples_of(file) == all);
  CHECK(unlink("copy") == 0 && samples_of(file) == all);
  evname_recording_free(file);
  copy(path, "copy", "wb", 1);
  CHECK(truncate("copy", 12000) == 0); /* before it is opened */
  CHECK(evname_recording_open("copy", &file, NULL) == EVNAME_OK);
  CHECK(*evname_recording_warning(file, 0) != '\0' && samples_of(file) < all);
  evname_recording_free(file);
}

/* A child of fork() may use what its parent has. */
static void use_handles_after_fork(void) {
  const size_t all = samples_of(recording);
  evname_attr attr;
  size_t count;
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    const int good = samples_of(recording) == all &&
                     evname_resolve(machine, "r1", &attr, 1, &count, NULL) == EVNAME_OK;
    free_handles();
    _exit(good ? 0 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char** argv) {
  if (argc != 2 || mkdtemp(folder) == NULL || chdir(folder) != 0) return 2;
  snprintf(text, sizeof text, "%s/no/such", folder);
  memset(long_text, 'a', sizeof long_text - 1);
  memset(braces, '{', sizeof braces - 1);
  memset(parentheses, '(', sizeof parentheses - 1);
  make_handles(argv[1]);
  CHECK(evname_split(recording, EVNAME_SPLIT_EVENT, NULL, folder, &parts, NULL, NULL) == EVNAME_OK);
  if (failed_checks != 0) return 1;
#include "bad_calls.inc"
  call_out_of_order(argv[1]);
  change_a_recording(argv[1]);
  use_handles_after_fork();
  evname_parts_free(parts);
  free_handles();
  snprintf(long_text, sizeof long_text, "rm -rf %s", folder);
  CHECK(system(long_text) == 0);
  return failed_checks != 0;
}
