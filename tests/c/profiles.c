/* Profiles, smaller recordings and named addresses, from C. Argument: a recording of 374 samples of
 * three events, described in tests/data/README.md. */

#include <evname/evname.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "checks.h"

static evname_recording* recording_of(const char* path) {
  evname_recording* recording = NULL;
  CHECK(evname_recording_open(path, &recording, NULL) == EVNAME_OK);
  return recording;
}

/* The first bytes of a file; how many it has, -1 if there is none. */
static long bytes_of(const char* path, char* text, size_t size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return -1;
  text[fread(text, 1, size - 1, file)] = '\0';
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  fclose(file);
  return bytes;
}

static void profiles_are_written(const char* path, const char* to) {
  static const struct {
    uint32_t format, flags;
    const char* start;
  } kFormats[] = {{EVNAME_PROFILE_PPROF, 0, "\x1f\x8b"},
                  {EVNAME_PROFILE_FIREFOX, 0, "{\"meta\":"},
                  {EVNAME_PROFILE_SPEEDSCOPE, 0, "{\"$schema\":"},
                  {EVNAME_PROFILE_SPEEDSCOPE, EVNAME_PROFILE_GZIP, "\x1f\x8b"},
                  {EVNAME_PROFILE_PERFETTO, 0, "\n"},
                  {EVNAME_PROFILE_OTLP, 0, "\n"},
                  {EVNAME_PROFILE_OTLP_JSON, 0, "{\"resourceProfiles\":"}};
  const evname_recording* both[2];
  evname_recording* recording = recording_of(path);
  both[0] = both[1] = recording;
  for (size_t i = 0; i < sizeof kFormats / sizeof *kFormats; ++i) {
    evname_profile_options options;
    evname_tally tallies[2];
    uint64_t samples = 0;
    char text[64];
    memset(&options, 0, sizeof options);
    options.format = kFormats[i].format;
    options.flags = kFormats[i].flags;
    const int status = evname_profile_write(both, 2, &options, NULL, to, &samples, tallies, NULL);
    if (status == EVNAME_UNSUPPORTED) continue; /* built without a library */
    CHECK(status == EVNAME_OK);
    CHECK(samples == 748 && tallies[0].samples == 374 && tallies[1].samples == 374);
    CHECK(bytes_of(to, text, sizeof text) > 100);
    CHECK(strncmp(text, kFormats[i].start, strlen(kFormats[i].start)) == 0);
    remove(to);
  }
  evname_recording_free(recording);
}

static void what_is_wrong_is_told(const char* path, const char* to) {
  evname_recording* recording = recording_of(path);
  const evname_recording* one = recording;
  const char* const nobody = "nobody";
  evname_profile_options options;
  evname_filter filter;
  evname_error error;
  evname_parts* parts;
  uint64_t samples = 1;
  memset(&options, 0, sizeof options);
  memset(&filter, 0, sizeof filter);
  options.format = EVNAME_PROFILE_SPEEDSCOPE;
  filter.comms = &nobody;
  filter.comms_count = 1;
  CHECK(evname_profile_write(&one, 1, &options, &filter, to, &samples, NULL, NULL) == EVNAME_OK);
  CHECK(samples == 0 && access(to, F_OK) != 0);
  samples = 1;
  CHECK(evname_extract(recording, &filter, to, &samples, NULL, NULL) == EVNAME_OK);
  CHECK(samples == 0 && access(to, F_OK) != 0);
  CHECK(evname_split(recording, EVNAME_SPLIT_COMM, &filter, to, &parts, NULL, NULL) == EVNAME_OK);
  CHECK(evname_parts_count(parts) == 0 && access(to, F_OK) != 0);
  evname_parts_free(parts);
  CHECK(evname_split(recording, 4, NULL, to, &parts, NULL, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(parts == NULL);
  CHECK(evname_profile_write(&one, 0, &options, NULL, to, NULL, NULL, &error) ==
        EVNAME_INVALID_ARGUMENT);
  CHECK(evname_profile_write(&one, 1, &options, NULL, "/nonexistent/x", NULL, NULL, &error) ==
        EVNAME_IO);
  options.flags = 1u << 31;
  CHECK(evname_profile_write(&one, 1, &options, NULL, to, NULL, NULL, &error) ==
        EVNAME_INVALID_ARGUMENT);
  options.flags = 0;
  options.format = EVNAME_PROFILE_OTLP_JSON + 1;
  CHECK(evname_profile_write(&one, 1, &options, NULL, to, NULL, NULL, &error) ==
        EVNAME_INVALID_ARGUMENT);
  filter.samples_flags = 1u << 31;
  CHECK(evname_extract(recording, &filter, to, NULL, NULL, &error) == EVNAME_INVALID_ARGUMENT);
  evname_recording_free(recording);
}

static uint64_t samples_of(const char* path) {
  evname_recording* recording = recording_of(path);
  evname_samples* samples = NULL;
  evname_sample sample;
  uint64_t count = 0;
  CHECK(evname_samples_open(recording, 0, &samples, NULL) == EVNAME_OK);
  while (evname_samples_next(samples, &sample) == 1) ++count;
  evname_samples_free(samples);
  evname_recording_free(recording);
  return count;
}

/* 239 of cpu_cycles, 119 of inst_retired, 16 page faults. */
static void samples_are_put_apart(const char* path, const char* to) {
  static const uint64_t kSamples[] = {16, 239, 119};
  static const uint64_t kInFirstHalf = 192; /* of the times that perf script prints */
  evname_recording* recording = recording_of(path);
  static const evname_time_range kSecondToFourth[] = {{5774443000, 5774575999}};
  evname_parts* parts = NULL;
  evname_part part;
  evname_filter filter;
  evname_tally tally;
  uint64_t samples = 0;
  CHECK(evname_split(recording, EVNAME_SPLIT_EVENT, NULL, to, &parts, &tally, NULL) == EVNAME_OK);
  CHECK(tally.samples == 374);
  CHECK(evname_parts_count(parts) == 3);
  for (size_t i = 0; i < evname_parts_count(parts); ++i) {
    CHECK(evname_parts_at(parts, i, &part) == EVNAME_OK);
    CHECK(part.samples == kSamples[i] && samples_of(part.path) == kSamples[i]);
    remove(part.path);
  }
  CHECK(evname_parts_at(parts, 3, &part) == EVNAME_OUT_OF_RANGE);
  evname_parts_free(parts);
  rmdir(to);
  memset(&filter, 0, sizeof filter);
  filter.event = "inst_*";
  CHECK(evname_extract(recording, &filter, to, &samples, &tally, NULL) == EVNAME_OK);
  CHECK(samples == 119 && samples_of(to) == 119);
  memset(&filter, 0, sizeof filter);
  filter.times = kSecondToFourth;
  filter.times_count = 1;
  CHECK(evname_extract(recording, &filter, to, &samples, &tally, NULL) == EVNAME_OK);
  CHECK(samples == 3 && samples_of(to) == 3);
  memset(&filter, 0, sizeof filter);
  filter.time_parts = "0%-50%";
  CHECK(evname_extract(recording, &filter, to, &samples, &tally, NULL) == EVNAME_OK);
  CHECK(samples == kInFirstHalf && samples_of(to) == kInFirstHalf);
  filter.time_parts = "half";
  CHECK(evname_extract(recording, &filter, to, NULL, NULL, NULL) == EVNAME_INVALID_ARGUMENT);
  filter.time_parts = NULL;
  filter.min_latency = 1; /* which the recording doesn't sample */
  CHECK(evname_extract(recording, &filter, to, NULL, NULL, NULL) == EVNAME_NOT_FOUND);
  filter.min_latency = 0;
  filter.operations = EVNAME_OPERATION_LOAD;
  CHECK(evname_extract(recording, &filter, to, NULL, NULL, NULL) == EVNAME_NOT_FOUND);
  filter.operations = 16;
  CHECK(evname_extract(recording, &filter, to, NULL, NULL, NULL) == EVNAME_INVALID_ARGUMENT);
  remove(to);
  evname_recording_free(recording);
}

/* Code of a JIT compiler, whose map every build can read; and what no symbol is known of. */
static void addresses_have_names(void) {
  char map[64], text[8];
  evname_symbols* symbols = NULL;
  evname_frames* frames = NULL;
  evname_mapping mapping;
  evname_frame frame;
  evname_symbol_options options;
  evname_error error;
  size_t needed = 1;
  snprintf(map, sizeof map, "/tmp/perf-%d.map", (int)getpid());
  FILE* file = fopen(map, "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("1000 40 first\n2000 40 second part\n", file);
  fclose(file);
  memset(&mapping, 0, sizeof mapping);
  mapping.file = "//anon";
  mapping.end = UINT64_MAX;
  mapping.pid = (int32_t)getpid();
  CHECK(evname_symbols_new(NULL, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
  CHECK(evname_frames_count(frames) == 0);
  CHECK(evname_symbols_find(symbols, 0x2010, &mapping, frames, NULL) == EVNAME_OK);
  CHECK(evname_frames_count(frames) == 1);
  CHECK(evname_frames_at(frames, 0, &frame) == EVNAME_OK);
  CHECK_TEXT(frame.function, "second part");
  CHECK(frame.offset == 0x10 && frame.line == 0 && frame.flags == 0);
  CHECK_TEXT(frame.source, "");
  CHECK(evname_frames_at(frames, 1, &frame) == EVNAME_OUT_OF_RANGE);
  CHECK(evname_symbols_find(symbols, 0x9000, &mapping, frames, NULL) == EVNAME_OK);
  CHECK(evname_frames_at(frames, 0, &frame) == EVNAME_OK);
  CHECK_TEXT(frame.function, "");
  CHECK(evname_symbols_problem(symbols, 0, text, sizeof text, &needed, NULL) == EVNAME_OK);
  CHECK(needed == 0 && text[0] == '\0');
  evname_frames_free(frames);
  evname_symbols_free(symbols);
  remove(map);
  memset(&options, 0, sizeof options);
  options.flags = 1u << 31;
  CHECK(evname_symbols_new(&options, &symbols, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(symbols == NULL);
}

/* Two functions at one address, one after the other: the specification of jitdump files. */
static void names_code_by_time(void) {
  const uint32_t header[] = {0x4a695444, 1, 40, 62, 0, 1, 0, 0, 0, 0}, ids[] = {1, 1};
  const struct {
    uint64_t time;
    const char* function;
  } cases[] = {{9, ""}, {10, "first"}, {19, "first"}, {20, "other"}, {0, ""}};
  char path[64];
  evname_symbols* symbols = NULL;
  evname_frames* frames = NULL;
  evname_mapping mapping;
  evname_frame frame;
  snprintf(path, sizeof path, "/tmp/evname-jit-%d.dump", (int)getpid());
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  fwrite(header, sizeof header, 1, file);
  for (uint64_t i = 0; i < 2; ++i) {
    const uint32_t head[] = {0, 16 + 40 + 6};
    const uint64_t time = 10 + 10 * i, code[] = {0x1000, 0x1000, 0x40, i};
    fwrite(head, sizeof head, 1, file);
    fwrite(&time, sizeof time, 1, file);
    fwrite(ids, sizeof ids, 1, file);
    fwrite(code, sizeof code, 1, file);
    fwrite(i == 0 ? "first" : "other", 6, 1, file);
  }
  fclose(file);
  memset(&mapping, 0, sizeof mapping);
  mapping.file = "//anon";
  mapping.end = UINT64_MAX;
  mapping.pid = (int32_t)getpid();
  mapping.jitdump = path;
  CHECK(evname_symbols_new(NULL, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    mapping.time = cases[i].time;
    CHECK(evname_symbols_find(symbols, 0x1010, &mapping, frames, NULL) == EVNAME_OK);
    CHECK(evname_frames_at(frames, 0, &frame) == EVNAME_OK);
    CHECK_TEXT(frame.function, cases[i].function);
  }
  evname_frames_free(frames);
  evname_symbols_free(symbols);
  remove(path);
}

/* Reads the build id from the notes of the running kernel. */
static size_t kernel_build_id(uint8_t* id, size_t room) {
  uint32_t head[3]; /* size of the name, size of the contents, type; 3: a build id */
  uint8_t told[4096];
  FILE* notes = fopen("/sys/kernel/notes", "rb");
  size_t size = 0;
  while (size == 0 && notes != NULL && fread(head, sizeof head, 1, notes) == 1) {
    const size_t name = (head[0] + 3u) & ~3u, padded = (head[1] + 3u) & ~3u;
    if (name + padded > sizeof told || fread(told, 1, name + padded, notes) < name + head[1]) break;
    if (head[2] != 3 || strcmp((const char*)told, "GNU") != 0 || head[1] > room) continue;
    size = head[1];
    memcpy(id, told + name, size);
  }
  if (notes != NULL) fclose(notes);
  return size;
}

/* Code that the kernel gives to processes is known if it is this kernel's. */
static void vdso_of_a_kernel(void) {
  uint8_t id[64];
  const size_t size = kernel_build_id(id, sizeof id);
  const uint64_t start = getauxval(AT_SYSINFO_EHDR);
  if (size == 0 || start == 0 || !EVNAME_TEST_HAS_SYMBOLS) return;
  for (int is_this = 1; is_this >= 0; --is_this) {
    evname_symbols* symbols = NULL;
    evname_frames* frames = NULL;
    evname_mapping mapping;
    evname_frame frame;
    int named = 0;
    memset(&mapping, 0, sizeof mapping);
    mapping.file = "[vdso]";
    mapping.start = start;
    mapping.end = start + 0x2000;
    mapping.kernel_build_id = id;
    mapping.kernel_build_id_size = size;
    CHECK(evname_symbols_new(NULL, &symbols, NULL) == EVNAME_OK);
    CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
    for (uint64_t at = start; at < mapping.end; at += 16) {
      CHECK(evname_symbols_find(symbols, at, &mapping, frames, NULL) == EVNAME_OK);
      CHECK(evname_frames_at(frames, 0, &frame) == EVNAME_OK);
      named += frame.function[0] != '\0';
    }
    CHECK((named > 0) == is_this);
    evname_frames_free(frames);
    evname_symbols_free(symbols);
    id[0] ^= 1;
  }
}

int main(int argc, char** argv) {
  char to[] = "evname-profiles-XXXXXX";
  if (argc < 2 || mkstemp(to) < 0) return 2;
  remove(to);
  profiles_are_written(argv[1], to);
  what_is_wrong_is_told(argv[1], to);
  samples_are_put_apart(argv[1], to);
  addresses_have_names();
  names_code_by_time();
  vdso_of_a_kernel();
  evname_symbols_free(NULL);
  evname_frames_free(NULL);
  evname_parts_free(NULL);
  return failed_checks != 0;
}
