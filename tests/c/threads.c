/* Several threads use one machine and one recording from its first moment on. Argument: RECORDING.
 */

#include <evname/evname.h>
#include <pthread.h>

#include "checks.h"

enum { kThreads = 8, kRounds = 40 };

typedef struct job {
  const evname_machine* machine;
  const evname_recording* recording;
  uint64_t samples;
  int wrong;
} job;

/* Codes as in resolve.c. */
static const struct {
  const char* text;
  uint64_t config;
} kEvents[] = {
    {"mem_load_retired.l3_miss", 0x20d1},
    {"br_inst_retired.all_branches:u", 0xc4},
    {"cpu/event=0xc4,umask=0x20/", 0x20c4},
    {"instructions", 1},
};

static int resolve_all(const evname_machine* machine) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof kEvents / sizeof *kEvents; ++i) {
    evname_attr attr;
    size_t count;
    wrong += evname_resolve(machine, kEvents[i].text, &attr, 1, &count, NULL) != EVNAME_OK ||
             attr.code.config[0] != kEvents[i].config;
  }
  return wrong;
}

static int name_one(const evname_machine* machine) {
  evname_code code;
  memset(&code, 0, sizeof code);
  code.type = 4;
  code.has_type = 1;
  code.config[0] = 0x20d1;
  return strcmp(evname_exact_name(machine, NULL, &code), "mem_load_retired.l3_miss") != 0;
}

static int fail_one(const evname_machine* machine) {
  evname_error error;
  size_t count;
  return evname_resolve(machine, "no_such_event", NULL, 0, &count, &error) != EVNAME_NOT_FOUND;
}

static uint64_t count_samples(const evname_recording* recording) {
  evname_samples* samples;
  evname_sample sample;
  uint64_t count = 0;
  if (evname_samples_open(recording, 0, &samples, NULL) != EVNAME_OK) return 0;
  while (evname_samples_next(samples, &sample) == 1) ++count;
  evname_samples_free(samples);
  return count;
}

static void* work(void* argument) {
  job* mine = argument;
  for (int i = 0; i < kRounds; ++i)
    mine->wrong += resolve_all(mine->machine) + name_one(mine->machine) + fail_one(mine->machine);
  mine->samples = count_samples(mine->recording);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  job jobs[kThreads];
  evname_machine* machine;
  evname_recording* recording;
  if (argc < 2 || evname_machine_open("skylakex", NULL, &machine, NULL) != EVNAME_OK) return 2;
  if (evname_recording_open(argv[1], &recording, NULL) != EVNAME_OK) return 2;
  for (int i = 0; i < kThreads; ++i) {
    jobs[i] = (job){machine, recording, 0, 0};
    CHECK(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(jobs[i].wrong == 0);
    CHECK(jobs[i].samples == 374); /* tests/data/README.md */
  }
  evname_recording_free(recording);
  evname_machine_free(machine);
  return failed_checks != 0;
}
