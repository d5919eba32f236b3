/* Schedules and metrics from C. */

#include <evname/evname.h>
#include <math.h>

#include "checks.h"

static evname_machine* machine_of(const char* cpu) {
  evname_machine* machine = NULL;
  CHECK(evname_machine_named(cpu, NULL, &machine, NULL) == EVNAME_OK);
  return machine;
}

/* Intel SDM vol. 3, 20.3.8: 4 generic counters with SMT, 3 fixed ones. */
static void events_are_grouped_as_counters_allow(void) {
  static const char kEvents[] =
      "inst_retired.any,br_inst_retired.all_branches,br_misp_retired.all_branches,"
      "mem_load_retired.l3_miss,mem_load_retired.l2_miss,mem_load_retired.l1_miss";
  evname_machine* machine = machine_of("skylakex");
  evname_schedule* schedule = NULL;
  evname_scheduled_group group;
  evname_attr attr;
  const char* name;
  size_t total = 0;
  CHECK(evname_schedule_new(machine, kEvents, NULL, &schedule, NULL) == EVNAME_OK);
  evname_machine_free(machine);
  CHECK(evname_schedule_event_count(schedule) == 6);
  CHECK(evname_schedule_event_at(schedule, 3, &attr, &name) == EVNAME_OK);
  CHECK_TEXT(name, "mem_load_retired.l3_miss");
  CHECK_TEXT(attr.pmu, "cpu");
  CHECK(attr.code.config[0] == 0x20d1);
  CHECK(evname_schedule_event_at(schedule, 6, &attr, &name) == EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(name, "");
  CHECK(evname_schedule_group_count(schedule) == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(evname_schedule_group_at(schedule, i, &group) == EVNAME_OK);
    CHECK(group.pmus_count == 1 && group.generic_counters == 4 && group.fixed_counters == 3);
    CHECK_TEXT(group.pmus[0], "cpu");
    CHECK(group.grouped == 1 && group.why[0] != '\0');
    total += group.events_count;
  }
  CHECK(total == 6);
  CHECK(evname_schedule_group_at(schedule, 2, &group) == EVNAME_OUT_OF_RANGE);
  CHECK(group.events_count == 0);
  evname_schedule_free(schedule);
}

static void what_does_not_fit_is_an_error(void) {
  evname_machine* machine = machine_of("skylakex");
  evname_schedule* schedule = NULL;
  evname_schedule_options options;
  evname_error error;
  memset(&options, 0, sizeof options);
  options.smt = 1;
  options.generic_counters = 1;
  CHECK(evname_schedule_new(machine, "{br_inst_retired.all_branches,br_misp_retired.all_branches}",
                            &options, &schedule, &error) != EVNAME_OK);
  CHECK(schedule == NULL && error.message[0] != '\0');
  options.constraint = 4;
  CHECK(evname_schedule_new(machine, "cycles", &options, &schedule, &error) ==
        EVNAME_INVALID_ARGUMENT);
  CHECK(evname_schedule_new(machine, "cycles,,", NULL, &schedule, &error) ==
        EVNAME_INVALID_ARGUMENT);
  CHECK(error.offset == 7);
  evname_machine_free(machine);
}

static void metrics_are_computed_from_counts(void) {
  evname_machine* machine = machine_of("skylakex");
  evname_metrics* metrics = NULL;
  evname_metric metric;
  evname_metric_event event;
  evname_event_count counts[2] = {{300, 0, 0}, {100, 0, 0}};
  evname_metric_value value;
  evname_error error;
  CHECK(evname_metrics_new(machine, 0, &metrics, NULL) == EVNAME_OK);
  evname_machine_free(machine);
  CHECK(evname_metrics_set_fact(metrics, "#no_such_fact", 1, NULL) == EVNAME_NOT_FOUND);
  CHECK(evname_metrics_set_fact(metrics, "#smt_on", 1, NULL) == EVNAME_OK);
  CHECK(evname_metrics_add_expression(metrics, "mine", "instructions / cycles", NULL) == EVNAME_OK);
  CHECK(evname_metrics_add_expression(metrics, "wrong", "1 + ", &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(error.offset == 4);
  CHECK(evname_metrics_add(metrics, "no_such_metric", NULL) == EVNAME_NOT_FOUND);
  CHECK(evname_metrics_set_fact(metrics, "#smt_on", 0, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK(evname_metrics_count(metrics) == 1);
  CHECK(evname_metrics_at(metrics, 0, &metric) == EVNAME_OK);
  CHECK_TEXT(metric.name, "mine");
  CHECK(metric.events_count == 2);
  CHECK(evname_metrics_event_count(metrics) == 2);
  CHECK(evname_metrics_event_at(metrics, metric.events[0], &event) == EVNAME_OK);
  CHECK_TEXT(event.text, "instructions");
  CHECK_TEXT(event.problem, "");
  CHECK(event.encodings == 1 && !event.is_tool);
  CHECK(evname_metrics_evaluate(metrics, counts, 2, &value, 1, NULL) == EVNAME_OK);
  CHECK(value.value == 3 && value.has_value == 1 && value.beyond == -1);
  CHECK(evname_metrics_evaluate(metrics, counts, 1, &value, 1, NULL) == EVNAME_OK);
  CHECK(isnan(value.value));
  CHECK_TEXT(evname_metrics_warning(metrics, 0), "");
  evname_metrics_free(metrics);
}

static void metrics_can_be_listed(void) {
  evname_machine* machine = machine_of("skylakex");
  evname_metrics* metrics = NULL;
  evname_metric metric;
  CHECK(evname_metrics_list(machine, NULL, NULL, &metrics, NULL) == EVNAME_OK);
  CHECK(evname_metrics_count(metrics) > 0);
  CHECK(evname_metrics_at(metrics, 0, &metric) == EVNAME_OK);
  CHECK(metric.name[0] != '\0' && metric.expr[0] != '\0' && metric.events_count == 0);
  CHECK(evname_metrics_event_count(metrics) == 0);
  CHECK(evname_metrics_add(metrics, metric.name, NULL) == EVNAME_INVALID_ARGUMENT);
  evname_metrics_free(metrics);
  CHECK(evname_metrics_list(machine, "no_such_*", NULL, &metrics, NULL) == EVNAME_OK);
  CHECK(evname_metrics_count(metrics) == 0);
  CHECK(evname_metrics_at(metrics, 0, &metric) == EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(metric.name, "");
  evname_metrics_free(metrics);
  evname_machine_free(machine);
}

int main(void) {
  events_are_grouped_as_counters_allow();
  what_does_not_fit_is_an_error();
  metrics_are_computed_from_counts();
  metrics_can_be_listed();
  evname_schedule_free(NULL);
  evname_metrics_free(NULL);
  return failed_checks != 0;
}
