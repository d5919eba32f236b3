/* Prints the functions of this program that miss the cache. Usage: cache_misses EVENT */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

static unsigned numbers[1 << 24];

int main(int argc, char** argv) {
  const evname_sampled_events events = {.events = argc > 1 ? argv[1] : "cache-misses:u"};
  evname_machine* machine;
  evname_sampler* sampler;
  evname_scope* scope;
  evname_sampled_function one;
  need(evname_machine_open(NULL, NULL, &machine, &error));
  need(evname_sampler_open(machine, &events, 1, NULL, NULL, &sampler, &error));
  need(evname_scope_new(sampler, NULL, &scope, &error));
  need(evname_scope_start(scope, &error));
  for (size_t i = 0; i < 1 << 24; ++i) ++numbers[i * 99991 % (1 << 24)]; /* your function */
  need(evname_scope_stop(scope, &error));
  for (size_t i = 0; evname_scope_function(scope, 0, i, &one) == EVNAME_OK; ++i)
    printf("%u %s (%s)\n", (unsigned)one.samples, one.function, one.dso);
}
