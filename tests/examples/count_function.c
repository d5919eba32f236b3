/* Counts events while a function runs. Usage: count_function EVENTS */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

static volatile long numbers[1 << 20];

int main(int argc, char** argv) {
  evname_machine* machine;
  evname_counters* counters;
  evname_attr event;
  evname_counter_value values[16];
  const char* name;
  need(evname_machine_open(NULL, NULL, &machine, &error));
  need(evname_counters_open(machine, argc > 1 ? argv[1] : "instructions:u", NULL, 0, 0, &counters,
                            &error));
  need(evname_counters_enable(counters, &error));
  for (size_t i = 0; i < 1 << 20; ++i) numbers[i] = 3; /* your function */
  need(evname_counters_disable(counters, &error));
  need(evname_counters_read(counters, values, 16, &error));
  for (size_t i = 0; evname_counters_event_at(counters, i, &event, &name) == EVNAME_OK; ++i)
    printf("%s: %.0f\n", name, values[i].scaled);
}
