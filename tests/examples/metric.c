/* Computes a metric from counts, or prints the events to count. Usage: metric CPU NAME COUNT… */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  evname_machine* machine;
  evname_metrics* metrics;
  evname_metric_event event;
  evname_event_count counts[16] = {{.value = 0}};
  evname_metric_value value;
  if (argc < 3 || argc > 19) return 2;
  need(evname_machine_open(argv[1], NULL, &machine, &error));
  need(evname_metrics_new(machine, 0, &metrics, &error));
  need(evname_metrics_add(metrics, argv[2], &error));
  for (size_t i = 0; evname_metrics_event_at(metrics, i, &event) == EVNAME_OK; ++i)
    if (argc == 3) puts(event.text);
  for (int i = 3; i < argc; ++i) counts[i - 3].value = atof(argv[i]);
  need(evname_metrics_evaluate(metrics, counts, (size_t)argc - 3, &value, 1, &error));
  if (value.has_value) printf("%s: %g\n", argv[2], value.value);
}
