/* Live samples from C: page faults, one sample each, at addresses that are known. */

#define _DEFAULT_SOURCE
#include <evname/evname.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"

enum { kPages = 64, kMostSeconds = 20 }; /* the kernel may throttle samples */

static int is_in(const evname_sample* sample, const char* bytes, size_t size) {
  return sample->addr - (uint64_t)(uintptr_t)bytes < size;
}

static int opens_with(const evname_machine* machine, const evname_sampled_events* events,
                      const evname_sampler_options* options) {
  evname_sampler* sampler = NULL;
  int status = evname_sampler_open(machine, events, 1, NULL, options, &sampler, NULL);
  CHECK((sampler == NULL) == (status != EVNAME_OK));
  evname_sampler_free(sampler);
  return status;
}

/* Each page that it touches is a fault in it. */
__attribute__((noinline)) static void touch_pages(volatile char* bytes, size_t size) {
  size_t at;
  madvise((void*)bytes, size, MADV_DONTNEED);
  for (at = 0; at < size; at += size / kPages) bytes[at] = 1;
}

static void functions_of_a_block(evname_sampler* sampler, const evname_symbols* symbols,
                                 volatile char* bytes, size_t size) {
  evname_scope* scope = NULL;
  evname_sampled_function function;
  uint64_t before = 0;
  time_t end;
  unsigned round, tries;
  CHECK(evname_scope_new(sampler, symbols, &scope, NULL) == EVNAME_OK);
  for (round = 1; round <= 2; ++round) { /* they add up */
    for (end = time(NULL) + kMostSeconds, tries = 1; time(NULL) < end; ++tries) {
      touch_pages(bytes, size);
      CHECK(evname_scope_start(scope, NULL) == EVNAME_OK);
      touch_pages(bytes, size);
      CHECK(evname_scope_stop(scope, NULL) == EVNAME_OK);
      if (evname_scope_function(scope, 0, 0, &function) != EVNAME_OK) continue;
      if (function.samples > before) break;
    }
    CHECK(strstr(function.function, "touch_pages") != NULL || strstr(function.function, "+0x"));
    CHECK(function.dso[0] == '/');
    CHECK(function.samples > before && function.samples <= (uint64_t)tries * kPages + before);
    CHECK(function.period == function.samples);
    before = function.samples;
  }
  CHECK(evname_scope_function(scope, 0, 1000, &function) == EVNAME_OUT_OF_RANGE);
  CHECK(evname_scope_function(scope, 9, 0, &function) == EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(function.function, "");
  evname_scope_free(scope);
}

/* The samples that a thread reads, and what it found. */
struct reader {
  evname_samples* samples;
  atomic_uint seen;
  atomic_int status; /* to return */
};

static int read_samples(void* context) {
  struct reader* reader = context;
  evname_sample sample;
  while (evname_samples_next(reader->samples, &sample) == 1) ++reader->seen;
  return reader->status;
}

static void samples_in_a_thread(const evname_machine* machine, volatile char* bytes, size_t size) {
  evname_sampled_events events;
  evname_sampler_options options;
  evname_sampler* sampler = NULL;
  evname_recording* taken = NULL;
  evname_sample sample;
  evname_tally tally;
  evname_error error;
  struct reader reader = {NULL, 0, 0};
  const time_t end = time(NULL) + kMostSeconds;
  memset(&events, 0, sizeof events);
  memset(&options, 0, sizeof options);
  events.events = "page-faults:u";
  events.period = 1;
  options.flags = EVNAME_SAMPLER_THREAD;
  options.keep = 1 << 20;
  CHECK(evname_sampler_open(machine, &events, 1, NULL, &options, &sampler, NULL) == EVNAME_OK);
  CHECK(evname_sampler_samples(sampler, &reader.samples, NULL) == EVNAME_OK);
  CHECK(evname_sampler_stop(sampler, NULL) == EVNAME_OK); /* nothing to stop */
  CHECK(evname_sampler_start(sampler, read_samples, &reader, 1, NULL) == EVNAME_OK);
  CHECK(evname_sampler_start(sampler, read_samples, &reader, 1, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_sampler_enable(sampler, NULL) == EVNAME_OK);
  while (reader.seen == 0 && time(NULL) < end) touch_pages(bytes, size);
  CHECK(reader.seen > 0);
  CHECK(evname_samples_next(reader.samples, &sample) == -EVNAME_INVALID_ARGUMENT);
  CHECK(evname_samples_tally(reader.samples, &tally) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_sampler_wait(sampler, 0, NULL, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_sampler_take_recording(sampler, &taken, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_sampler_disable(sampler, NULL) == EVNAME_OK);
  CHECK(evname_sampler_stop(sampler, NULL) == EVNAME_OK);
  CHECK(evname_samples_tally(reader.samples, &tally) == EVNAME_OK);
  CHECK(tally.samples == reader.seen);
  reader.status = 7; /* ends it */
  CHECK(evname_sampler_start(sampler, read_samples, &reader, 1, NULL) == EVNAME_OK);
  CHECK(evname_sampler_stop(sampler, &error) == EVNAME_IO);
  CHECK(strstr(error.message, "7") != NULL);
  reader.status = 0;
  CHECK(evname_sampler_start(sampler, read_samples, &reader, 1, NULL) == EVNAME_OK);
  evname_sampler_free(sampler); /* stops it */
  CHECK(evname_samples_next(reader.samples, &sample) >= 0);
  evname_samples_free(reader.samples);
}

/* A buffer of one page has no room for the faults of many pages. */
static void what_is_lost(const evname_machine* machine, volatile char* bytes, size_t size) {
  evname_sampled_events events;
  evname_sampler_options options;
  evname_sampler* sampler = NULL;
  evname_losses losses;
  const time_t end = time(NULL) + kMostSeconds;
  unsigned round;
  memset(&events, 0, sizeof events);
  memset(&options, 0, sizeof options);
  memset(&losses, 0, sizeof losses);
  events.events = "page-faults:u";
  events.period = 1;
  options.buffer_pages = 1;
  CHECK(evname_sampler_open(machine, &events, 1, NULL, &options, &sampler, NULL) == EVNAME_OK);
  CHECK(evname_sampler_enable(sampler, NULL) == EVNAME_OK);
  while (losses.lost == 0 && time(NULL) < end) {
    evname_samples* samples = NULL;
    evname_sample sample;
    for (round = 0; round < 16; ++round) touch_pages(bytes, size);
    CHECK(evname_sampler_samples(sampler, &samples, NULL) == EVNAME_OK);
    while (evname_samples_next(samples, &sample) == 1) {
    }
    evname_samples_free(samples);
    CHECK(evname_sampler_losses(sampler, &losses) == EVNAME_OK);
  }
  CHECK(losses.lost > 0 && losses.damaged == 0 && losses.not_kept == 0);
  evname_sampler_free(sampler);
}

static void refusals(const evname_machine* machine) {
  evname_sampled_events events;
  evname_sampler_options options;
  memset(&events, 0, sizeof events);
  memset(&options, 0, sizeof options);
  CHECK(opens_with(machine, &events, NULL) == EVNAME_INVALID_ARGUMENT);
  events.events = "page-faults:u";
  events.fields = "adr";
  CHECK(opens_with(machine, &events, NULL) == EVNAME_INVALID_ARGUMENT);
  events.fields = NULL;
  events.chains = 9;
  CHECK(opens_with(machine, &events, NULL) == EVNAME_INVALID_ARGUMENT);
  events.chains = EVNAME_CHAINS_NONE;
  events.max_stack = 70000;
  CHECK(opens_with(machine, &events, NULL) == EVNAME_OUT_OF_RANGE);
  events.max_stack = 0;
  options.flags = 32;
  CHECK(opens_with(machine, &events, &options) == EVNAME_INVALID_ARGUMENT);
}

int main(void) {
  const size_t size = kPages * (size_t)sysconf(_SC_PAGESIZE);
  evname_machine* machine = NULL;
  evname_sampler* sampler = NULL;
  evname_samples* samples = NULL;
  evname_recording *recording = NULL, *taken = NULL;
  evname_symbols* symbols = NULL;
  evname_frames* frames = NULL;
  evname_sampled_events events;
  evname_sampler_options options;
  evname_recorded_event event;
  evname_sample sample;
  evname_losses losses;
  evname_tally tally;
  evname_error error;
  volatile char* bytes;
  int32_t alive = 0;
  const time_t end = time(NULL) + kMostSeconds;
  unsigned round, found, named = 0, total = 0;

  CHECK(evname_machine_open(NULL, NULL, &machine, NULL) == EVNAME_OK);
  memset(&events, 0, sizeof events);
  memset(&options, 0, sizeof options);
  events.events = "page-faults:u";
  events.period = 1;
  events.fields = "addr";
  options.keep = 1 << 20;
  if (evname_sampler_open(machine, &events, 1, NULL, &options, &sampler, &error) != EVNAME_OK) {
    fprintf(stderr, "skipped: %s\n", error.message);
    return 77;
  }
  refusals(machine);
  CHECK(evname_sampler_start(sampler, read_samples, NULL, 1, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_sampler_recording(sampler, &recording, NULL) == EVNAME_OK);
  CHECK(evname_recorded_event_at(recording, 0, &event) == EVNAME_OK);
  CHECK_TEXT(event.name, "page-faults");
  CHECK(evname_sampler_samples(sampler, &samples, NULL) == EVNAME_OK);
  CHECK(evname_symbols_new(NULL, &symbols, NULL) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, NULL) == EVNAME_OK);
  bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK((void*)bytes != MAP_FAILED);
  madvise((void*)bytes, size, MADV_NOHUGEPAGE);
  CHECK(evname_samples_next(samples, &sample) == 0);
  CHECK(evname_sampler_enable(sampler, NULL) == EVNAME_OK);
  for (round = 0; round < 2; ++round) { /* the samples go on after their end */
    for (found = 0; found == 0 && time(NULL) < end;) {
      touch_pages(bytes, size);
      CHECK(evname_sampler_wait(sampler, 0, &alive, NULL) == EVNAME_OK && alive == 1);
      while (evname_samples_next(samples, &sample) == 1) {
        if (!is_in(&sample, (const char*)bytes, size)) continue;
        ++found;
        CHECK((sample.fields & EVNAME_SAMPLE_ADDR) != 0 && sample.pid == getpid());
        CHECK(evname_samples_stack(samples, symbols, frames, NULL) == EVNAME_OK);
        named += evname_frames_count(frames) > 0;
      }
    }
    CHECK(found > 0);
    total += found;
  }
  CHECK(named == total);
  CHECK(evname_sampler_disable(sampler, NULL) == EVNAME_OK);
  while (evname_samples_next(samples, &sample) == 1) /* of before it was disabled */
    total += is_in(&sample, (const char*)bytes, size);
  CHECK(evname_sampler_losses(sampler, &losses) == EVNAME_OK);
  CHECK(losses.damaged == 0 && losses.not_kept == 0);
  CHECK(evname_samples_tally(samples, &tally) == EVNAME_OK && tally.samples >= total);
  CHECK(evname_sampler_take_recording(sampler, &taken, NULL) == EVNAME_OK);
  CHECK(evname_recorded_event_count(taken) == evname_recorded_event_count(recording));
  functions_of_a_block(sampler, symbols, bytes, size);
  samples_in_a_thread(machine, bytes, size);
  what_is_lost(machine, bytes, size);
  evname_machine_free(machine);
  evname_sampler_free(sampler); /* the samples keep it open */
  CHECK(evname_samples_next(samples, &sample) == 0);
  evname_samples_free(samples);
  evname_recording_free(recording);
  CHECK(evname_samples_open(taken, 0, &samples, NULL) == EVNAME_OK);
  for (found = 0; evname_samples_next(samples, &sample) == 1;)
    found += is_in(&sample, (const char*)bytes, size);
  CHECK(found == total);
  evname_samples_free(samples);
  evname_recording_free(taken);
  evname_frames_free(frames);
  evname_symbols_free(symbols);
  munmap((void*)bytes, size);
  return failed_checks > 0;
}
