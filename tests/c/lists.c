/* What can be enumerated: models, PMUs, events. */

#include <evname/evname.h>
#include <stdlib.h>

#include "checks.h"

static int has_model(const char* arch, const char* name) {
  evname_model model;
  int found = 0;
  for (size_t i = 0; evname_model_at(i, &model) == EVNAME_OK; ++i)
    found += strcmp(model.arch, arch) == 0 && strcmp(model.name, name) == 0 && model.events > 10;
  return found;
}

static void every_model_makes_a_machine(void) {
  evname_model model;
  evname_machine* machine;
  char name[200];
  CHECK(evname_model_count() > 50);
  CHECK(evname_model_at(evname_model_count(), &model) == EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(model.name, "");
  for (size_t i = 0; i < evname_model_count(); ++i) {
    CHECK(evname_model_at(i, &model) == EVNAME_OK);
    snprintf(name, sizeof name, "%s/%s", model.arch, model.name);
    CHECK(evname_machine_open(name, NULL, &machine, NULL) == EVNAME_OK);
    evname_machine_free(machine);
  }
  CHECK(has_model("x86", "skylakex") == 1);
  CHECK(has_model("arm64", "arm/neoverse-n1") == 1);
  CHECK(has_model("s390", "cf_z15") == 1);
}

static void events_are_listed_by_glob(const evname_machine* machine) {
  evname_events* events;
  evname_event event;
  CHECK(evname_events_list(machine, "MEM_LOAD_RETIRED.L3_*", &events, NULL) == EVNAME_OK);
  CHECK(evname_events_count(events) == 2);
  CHECK(evname_events_at(events, 1, &event) == EVNAME_OK);
  CHECK_TEXT(event.name, "mem_load_retired.l3_miss");
  CHECK_TEXT(event.pmu, "cpu");
  CHECK_TEXT(event.terms, "event=0xd1,period=100007,umask=0x20");
  CHECK_TEXT(event.model, "skylakex");
  CHECK(event.desc[0] != '\0' && event.scale == 1.0);
  CHECK(event.flags == (EVNAME_EVENT_PRECISE | EVNAME_EVENT_PRECISE_ADDRESS));
  CHECK_TEXT(event.errata, "");
  CHECK(evname_events_at(events, 2, &event) == EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(event.name, "");
  CHECK_TEXT(event.errata, "");
  evname_events_free(events);
  CHECK(evname_events_list(machine, "no such event", &events, NULL) == EVNAME_OK);
  CHECK(evname_events_count(events) == 0);
  evname_events_free(events);
  evname_events_free(NULL);
}

static void whatever_is_listed_can_be_resolved(const evname_machine* machine) {
  evname_events* events;
  evname_event event;
  evname_error error;
  size_t count;
  CHECK(evname_events_list(machine, NULL, &events, NULL) == EVNAME_OK);
  CHECK(evname_events_count(events) > 1000);
  for (size_t i = 0; evname_events_at(events, i, &event) == EVNAME_OK; ++i)
    if (evname_resolve(machine, event.name, NULL, 0, &count, &error) != EVNAME_OK || count == 0) {
      fprintf(stderr, "%s: %s\n", event.name, error.message);
      CHECK(0);
    }
  evname_events_free(events);
}

static void pmus_are_listed(const evname_machine* machine) {
  evname_pmu pmu;
  int uncore = 0;
  CHECK(evname_pmu_at(machine, 0, &pmu) == EVNAME_OK);
  CHECK_TEXT(pmu.name, "cpu");
  CHECK(pmu.type == 4 && pmu.flags == (EVNAME_PMU_HAS_TYPE | EVNAME_PMU_CORE));
  for (size_t i = 1; i < evname_pmu_count(machine); ++i) {
    CHECK(evname_pmu_at(machine, i, &pmu) == EVNAME_OK);
    uncore += (pmu.flags & EVNAME_PMU_UNCORE) != 0 && strcmp(pmu.name, "uncore_imc") == 0;
  }
  CHECK(uncore == 1);
}

int main(void) {
  evname_machine* machine;
  CHECK_TEXT(evname_version(), EVNAME_VERSION);
  every_model_makes_a_machine();
  if (evname_machine_open("skylakex", NULL, &machine, NULL) != EVNAME_OK) return 2;
  CHECK_TEXT(evname_machine_warning(machine, 0), "");
  events_are_listed_by_glob(machine);
  whatever_is_listed_can_be_resolved(machine);
  pmus_are_listed(machine);
  evname_machine_free(machine);
  return failed_checks != 0;
}
