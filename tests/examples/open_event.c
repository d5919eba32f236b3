/* Opens an event by perf_event_open(2), and counts it in this thread. Usage: open_event EVENT */
#include <evname/evname.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  struct perf_event_attr attr = {.type = 0}; /* period, sample_type, … are yours */
  evname_machine* machine;
  evname_attr event; /* on the first PMU that has it */
  size_t found;
  unsigned long long count;
  need(evname_machine_open(NULL, NULL, &machine, &error));
  need(evname_resolve(machine, argc > 1 ? argv[1] : "instructions:u", &event, 1, &found, &error));
  need(evname_attr_fill(&event, &attr, sizeof attr, &error));
  const int file = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
  if (file < 0 || read(file, &count, sizeof count) != sizeof count) return 1;
  printf("%s: %llu\n", event.pmu, count);
  evname_machine_free(machine);
}
