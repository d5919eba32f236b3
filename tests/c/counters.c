/* Live counters from C: page faults, which any kernel counts. */

#include <evname/evname.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { kBytes = 1 << 24 };

/* Each runs for at least as long as the counters were enabled. */
static void cpus_are_counted(const evname_machine* machine) {
  const uint32_t cpus[] = {0};
  evname_count_target target;
  evname_counters* counters;
  evname_counter_value value;
  int status, at;
  memset(&target, 0, sizeof target);
  target.kind = EVNAME_COUNT_CPUS;
  target.cpus = cpus;
  target.cpus_count = 1;
  status = evname_counters_open(machine, "cpu-clock", &target, 0, 0, &counters, NULL);
  if (status == EVNAME_IO) return; /* only root may, or CAP_PERFMON */
  CHECK(status == EVNAME_OK);
  CHECK(evname_counters_enable(counters, NULL) == EVNAME_OK);
  for (at = 0; at < 100; ++at) CHECK(evname_counters_read(counters, &value, 1, NULL) == EVNAME_OK);
  CHECK(value.value > 0 && value.enabled >= value.running);
  evname_counters_free(counters);
}

int main(void) {
  evname_machine* machine = NULL;
  evname_counters* counters = NULL;
  evname_error error;
  evname_attr attr;
  evname_counter_value values[3] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {7, 7, 7, 7}};
  evname_count_target target;
  const char* name;
  volatile char* bytes;
  int at;
  CHECK(evname_machine_open(NULL, NULL, &machine, NULL) == EVNAME_OK);
  if (evname_counters_open(machine, "{page-faults:u,task-clock:u}", NULL, EVNAME_COUNT_REGROUPED, 0,
                           &counters, &error) != EVNAME_OK) {
    fprintf(stderr, "skipped: %s\n", error.message);
    return 77;
  }
  CHECK(evname_counters_count(counters) == 2);
  CHECK(evname_counters_event_at(counters, 1, &attr, &name) == EVNAME_OK);
  CHECK_TEXT(name, "task-clock");
  CHECK_TEXT(attr.pmu, "software");
  CHECK(evname_counters_event_at(counters, 2, &attr, &name) == EVNAME_OUT_OF_RANGE);
  CHECK(evname_counters_problem(counters, 0, &error) == EVNAME_OK);
  CHECK(evname_counters_problem(counters, 2, &error) == EVNAME_OUT_OF_RANGE);
  CHECK(evname_counters_enable(counters, NULL) == EVNAME_OK);
  bytes = malloc(kBytes);
  CHECK(bytes != NULL);
  for (at = 0; bytes != NULL && at < kBytes; at += 512) bytes[at] = 1; /* volatile: not left out */
  CHECK(evname_counters_disable(counters, NULL) == EVNAME_OK);
  CHECK(evname_counters_read(counters, values, 3, NULL) == EVNAME_OK); /* more room than events */
  CHECK(values[2].value == 7 && values[2].enabled == 7);
  CHECK(evname_counters_read(counters, values, 2, NULL) == EVNAME_OK);
  CHECK(values[0].value > 0 && values[0].running == values[1].running && values[1].value > 0);
  CHECK(evname_counters_read(counters, values, 1, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_counters_user_readable(counters) == 0);
  evname_counters_free(counters);
  free((void*)bytes);

  memset(&target, 0, sizeof target);
  target.kind = EVNAME_COUNT_PROCESSES;
  CHECK(evname_counters_open(machine, "page-faults:u", &target, 0, 0, &counters, &error) ==
        EVNAME_INVALID_ARGUMENT);
  CHECK(counters == NULL);
  target.kind = 99;
  CHECK(evname_counters_open(machine, "page-faults:u", &target, 0, 0, &counters, &error) ==
        EVNAME_INVALID_ARGUMENT);
  CHECK(evname_counters_open(machine, "page-faults:u", NULL, 9, 0, &counters, &error) ==
        EVNAME_INVALID_ARGUMENT);
  CHECK(evname_counters_open(machine, "page-faults:u", NULL, 0, 128, &counters, &error) ==
        EVNAME_INVALID_ARGUMENT);
  cpus_are_counted(machine);
  evname_machine_free(machine);
  return failed_checks > 0;
}
