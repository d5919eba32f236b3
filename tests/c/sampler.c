/* Live samples from C: page faults, one sample each, at addresses that are known. */

#define _DEFAULT_SOURCE
#include <evname/evname.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checks.h"

enum { kPages = 64 };

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
  options.flags = 16;
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
  size_t at;
  int32_t alive = 0;
  unsigned round, found, named = 0;

  CHECK(evname_machine_live(NULL, NULL, &machine, NULL) == EVNAME_OK);
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
  evname_machine_free(machine);
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
    madvise((void*)bytes, size, MADV_DONTNEED);
    for (at = 0; at < size; at += size / kPages) bytes[at] = 1;
    CHECK(evname_sampler_wait(sampler, 0, &alive, NULL) == EVNAME_OK && alive == 1);
    for (found = 0; evname_samples_next(samples, &sample) == 1;) {
      if (!is_in(&sample, (const char*)bytes, size)) continue;
      ++found;
      CHECK((sample.fields & EVNAME_SAMPLE_ADDR) != 0 && sample.pid == getpid());
      CHECK(evname_samples_stack(samples, symbols, frames, NULL) == EVNAME_OK);
      named += evname_frames_count(frames) > 0;
    }
    CHECK(found == kPages);
  }
  CHECK(named == 2 * kPages);
  CHECK(evname_sampler_disable(sampler, NULL) == EVNAME_OK);
  while (evname_samples_next(samples, &sample) == 1) continue; /* of before it was disabled */
  CHECK(evname_sampler_losses(sampler, &losses) == EVNAME_OK);
  CHECK(losses.lost == 0 && losses.damaged == 0 && losses.not_kept == 0);
  CHECK(evname_samples_tally(samples, &tally) == EVNAME_OK && tally.samples >= 2 * kPages);
  CHECK(evname_sampler_take_recording(sampler, &taken, NULL) == EVNAME_OK);
  CHECK(evname_recorded_event_count(taken) == evname_recorded_event_count(recording));
  evname_sampler_free(sampler); /* the samples keep it open */
  CHECK(evname_samples_next(samples, &sample) == 0);
  evname_samples_free(samples);
  evname_recording_free(recording);
  CHECK(evname_samples_open(taken, 0, &samples, NULL) == EVNAME_OK);
  for (found = 0; evname_samples_next(samples, &sample) == 1;)
    found += is_in(&sample, (const char*)bytes, size);
  CHECK(found == 2 * kPages);
  evname_samples_free(samples);
  evname_recording_free(taken);
  evname_frames_free(frames);
  evname_symbols_free(symbols);
  munmap((void*)bytes, size);
  return failed_checks > 0;
}
