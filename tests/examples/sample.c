/* Prints the functions of this program where the CPU misses its caches, or spends its time if there
 * is no core PMU; a thread counts page faults meanwhile. Usage: sample [EVENT]. */
#include <evname/evname.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static evname_sampler* sampler_of(const evname_machine* machine, const char* event,
                                  uint32_t flags) {
  evname_sampled_events events;
  evname_sampler_options options;
  evname_sampler* sampler;
  evname_error error;
  memset(&events, 0, sizeof events);
  memset(&options, 0, sizeof options);
  events.events = event;
  options.flags = flags;
  if (evname_sampler_open(machine, &events, 1, NULL, &options, &sampler, &error) != EVNAME_OK)
    fprintf(stderr, "%s\n", error.message);
  return sampler;
}

struct reader {
  evname_samples* samples;
  uint64_t faults;
};

static int count_faults(void* context) {
  struct reader* reader = context;
  evname_sample sample;
  while (evname_samples_next(reader->samples, &sample) == 1) reader->faults += sample.period;
  return 0;
}

/* Follows a chain through memory, the next place being far away. */
static size_t places[1 << 23];
enum { kPlaces = sizeof places / sizeof *places };
__attribute__((noinline)) static size_t chase(size_t steps) {
  size_t at = 0;
  while (steps-- > 0) at = places[at];
  return at;
}

static size_t work(void) {
  for (size_t at = 0; at < kPlaces; ++at) places[at] = (at * 1664525 + 1013904223) % kPlaces;
  return chase(kPlaces / 8);
}

int main(int argc, char** argv) {
  evname_machine* machine = NULL;
  evname_symbols* symbols = NULL;
  evname_scope* scope = NULL;
  evname_sampled_function one;
  evname_sampler *sampler, *faults;
  struct reader reader = {NULL, 0};
  size_t end, i;
  if (evname_machine_live(NULL, NULL, &machine, NULL) != EVNAME_OK) return 1;
  sampler = sampler_of(machine, argc > 1 ? argv[1] : "cache-misses:u", 0);
  if (sampler == NULL && argc == 1) sampler = sampler_of(machine, "cpu-clock:u", 0);
  faults = sampler_of(machine, "page-faults:u", EVNAME_SAMPLER_THREAD);
  if (sampler == NULL || faults == NULL) return 77; /* skipped, for Meson */
  evname_symbols_new(NULL, &symbols, NULL);
  evname_scope_new(sampler, symbols, &scope, NULL);
  evname_sampler_samples(faults, &reader.samples, NULL);
  evname_sampler_start(faults, count_faults, &reader, 10, NULL);
  evname_sampler_enable(faults, NULL);
  evname_scope_start(scope, NULL);
  end = work();
  evname_scope_stop(scope, NULL);
  evname_sampler_disable(faults, NULL);
  evname_sampler_stop(faults, NULL);
  printf("%" PRIu64 " page faults until place %zu\n", reader.faults, end);
  for (i = 0; evname_scope_function(scope, 0, i, &one) == EVNAME_OK; ++i)
    printf("%8" PRIu64 "  %s (%s)\n", one.samples, one.function, one.dso);
  evname_scope_free(scope);
  evname_symbols_free(symbols);
  evname_samples_free(reader.samples);
  evname_sampler_free(faults);
  evname_sampler_free(sampler);
  evname_machine_free(machine);
  return 0;
}
