/* Prints the events of a CPU whose names match a glob. Usage: list_events CPU GLOB */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  evname_machine* machine;
  evname_events* events;
  evname_event event;
  if (argc < 2) return 2;
  need(evname_machine_open(argv[1], NULL, &machine, &error));
  need(evname_events_list(machine, argc > 2 ? argv[2] : "*", &events, &error));
  for (size_t i = 0; evname_events_at(events, i, &event) == EVNAME_OK; ++i)
    printf("%s/%s/ %s: %s\n", event.pmu, event.terms, event.name, event.desc);
  evname_events_free(events);
  evname_machine_free(machine);
}
