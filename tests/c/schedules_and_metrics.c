/* Schedules and metrics from C. */

#include <evname/evname.h>
#include <math.h>

#include "checks.h"

static evname_machine* machine_of(const char* cpu) {
  evname_machine* machine = NULL;
  CHECK(evname_machine_open(cpu, NULL, &machine, NULL) == EVNAME_OK);
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
    for (size_t e = 0; e < group.events_count; ++e)
      CHECK_TEXT(strncmp(group.counters[e], "fixed ", 6) == 0 ? "fixed" : "generic",
                 group.events[e] == 0 ? "fixed" : "generic"); /* inst_retired.any */
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

/* The watchdog counts cycles, which fill a counter
 * (Documentation/admin-guide/lockup-watchdogs.rst). */
static void the_watchdog_takes_a_counter(void) {
  evname_machine* machine = machine_of("skylakex");
  evname_schedule_options options;
  memset(&options, 0, sizeof options);
  for (unsigned on = 0; on < 2; ++on) {
    evname_schedule* schedule = NULL;
    options.smt = 1;
    options.nmi_watchdog = (int32_t)on;
    CHECK(evname_schedule_new(machine, "cycles,inst_retired.any,r1,r2,r3,r4", &options, &schedule,
                              NULL) == EVNAME_OK);
    CHECK(evname_schedule_group_count(schedule) == 1 + on);
    evname_schedule_free(schedule);
  }
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
  char why[100];
  size_t needed;
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
  CHECK(isnan(value.value) && value.has_value == 0);
  CHECK(evname_metrics_explain(metrics, 0, counts, 1, why, sizeof why, &needed, NULL) == EVNAME_OK);
  CHECK_TEXT(why, "cycles was not counted");
  CHECK(needed == strlen(why));
  CHECK(evname_metrics_explain(metrics, 0, counts, 2, why, sizeof why, &needed, NULL) == EVNAME_OK);
  CHECK(needed == 0 && why[0] == '\0');
  CHECK(evname_metrics_explain(metrics, 1, counts, 2, why, sizeof why, NULL, &error) ==
        EVNAME_OUT_OF_RANGE);
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

/* 1,000 cycles of 4 slots, without SMT: 400 not delivered, 3,000 issued, 2,800 retired, 50 cycles
 * of recovery. */
static void a_tree_is_computed_from_counts(void) {
  static const struct {
    const char* event;
    double value;
  } counted[] = {{"CPU_CLK_UNHALTED.THREAD", 1000},
                 {"IDQ_UOPS_NOT_DELIVERED.CORE", 400},
                 {"UOPS_ISSUED.ANY", 3000},
                 {"UOPS_RETIRED.RETIRE_SLOTS", 2800},
                 {"INT_MISC.RECOVERY_CYCLES", 50}};
  evname_machine* machine = machine_of("skylakex");
  evname_metrics* metrics = NULL;
  evname_topdown* tree = NULL;
  evname_topdown_node node;
  evname_metric_event event;
  evname_event_count counts[256];
  double values[256];
  uint8_t flagged[256];
  char text[80];
  size_t count, i, k, retiring = 0, latency = 0, needed;
  CHECK(evname_metrics_new(machine, 0, &metrics, NULL) == EVNAME_OK);
  evname_machine_free(machine);
  CHECK(evname_metrics_set_fact(metrics, "#smt_on", 0, NULL) == EVNAME_OK);
  CHECK(evname_metrics_set_fact(metrics, "#core_wide", 1, NULL) == EVNAME_OK);
  CHECK(evname_topdown_new(metrics, "no_such_pmu", &tree, NULL) == EVNAME_NOT_FOUND);
  CHECK(evname_topdown_new(metrics, NULL, &tree, NULL) == EVNAME_OK);
  evname_metrics_free(metrics);
  count = evname_topdown_event_count(tree);
  CHECK(count > 0 && count < 256 && evname_topdown_count(tree) < 256);
  for (i = 0; i < count; ++i) {
    CHECK(evname_topdown_event_at(tree, i, &event) == EVNAME_OK);
    counts[i].value = NAN;
    counts[i].sources = counts[i].padding = 0;
    for (k = 0; k < sizeof counted / sizeof *counted; ++k)
      if (strcmp(event.text, counted[k].event) == 0) counts[i].value = counted[k].value;
  }
  CHECK(evname_topdown_event_at(tree, count, &event) == EVNAME_OUT_OF_RANGE);
  for (i = 0; i < evname_topdown_count(tree); ++i) {
    CHECK(evname_topdown_at(tree, i, &node) == EVNAME_OK);
    CHECK(node.level >= 1 && (node.parent == EVNAME_NO_NODE || node.parent < i));
    if (strcmp(node.name, "tma_retiring") == 0) retiring = i;
    if (strcmp(node.name, "tma_fetch_latency") == 0) latency = i;
  }
  CHECK(evname_topdown_at(tree, retiring, &node) == EVNAME_OK);
  CHECK(node.share == EVNAME_SHARE_OF_SLOTS && node.samples_count == 1 && node.events_count == 2);
  CHECK_TEXT(node.samples[0], "UOPS_RETIRED.RETIRE_SLOTS");
  CHECK(strstr(node.desc, "retired") != NULL);
  CHECK(evname_topdown_evaluate(tree, counts, count, values, flagged, 256, NULL) == EVNAME_OK);
  CHECK(values[retiring] == 70 && flagged[retiring] == 0 && isnan(values[latency]));
  for (size_t i = 0; i < 256; ++i) values[i] = -7, flagged[i] = 9;
  CHECK(evname_topdown_evaluate(tree, counts, count, values, flagged, retiring + 1, NULL) ==
        EVNAME_OK);
  CHECK(values[retiring] == 70 && flagged[retiring] == 0);
  CHECK(values[retiring + 1] == -7 && flagged[retiring + 1] == 9);
  CHECK(evname_topdown_evaluate(tree, counts, count, values, flagged, 256, NULL) == EVNAME_OK);
  CHECK(evname_topdown_next(tree, values, flagged, evname_topdown_count(tree)) == EVNAME_NO_NODE);
  CHECK(evname_topdown_explain(tree, latency, counts, count, text, sizeof text, &needed, NULL) ==
        EVNAME_OK);
  CHECK_TEXT(text, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE was not counted");
  CHECK(needed == strlen(text));
  CHECK(evname_topdown_explain(tree, 256, counts, count, text, 4, NULL, NULL) ==
        EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(text, "");
  evname_topdown_free(tree);
}

static double frontend_bound_of(const char* cpu) {
  static const struct {
    const char* event;
    double value;
  } counted[] = {{"cpu_cycles", 1000},        {"stall_slot", 2000}, {"stall_slot_frontend", 1500},
                 {"stall_slot_backend", 500}, {"op_retired", 2400}, {"op_spec", 3000},
                 {"br_mis_pred", 10}};
  evname_machine* machine = machine_of(cpu);
  evname_metrics* metrics = NULL;
  evname_topdown* tree = NULL;
  evname_topdown_node node;
  evname_metric_event event;
  evname_event_count counts[256];
  double values[256], found = NAN;
  memset(counts, 0, sizeof counts);
  CHECK(evname_metrics_new(machine, 0, &metrics, NULL) == EVNAME_OK);
  CHECK(evname_topdown_new(metrics, NULL, &tree, NULL) == EVNAME_OK);
  for (size_t i = 0; i < evname_topdown_event_count(tree); ++i) {
    CHECK(evname_topdown_event_at(tree, i, &event) == EVNAME_OK);
    counts[i].value = NAN;
    for (size_t k = 0; k < sizeof counted / sizeof *counted; ++k)
      if (strcmp(event.text, counted[k].event) == 0) counts[i].value = counted[k].value;
  }
  CHECK(evname_topdown_evaluate(tree, counts, evname_topdown_event_count(tree), values, NULL, 256,
                                NULL) == EVNAME_OK);
  for (size_t i = 0; i < evname_topdown_count(tree); ++i)
    if (evname_topdown_at(tree, i, &node) == EVNAME_OK && strcmp(node.name, "frontend_bound") == 0)
      found = values[i];
  evname_topdown_free(tree);
  evname_metrics_free(metrics);
  evname_machine_free(machine);
  return found;
}

/* Arm's formulas: N2 has 5 slots; its first revisions count one of them as stalled in each cycle;
 * V2, which shares its directory, has 8. (1,500 - 1,000) / 5,000 - 0.01; 1,500 / 8,000 - 0.01. */
static void a_name_has_the_tree_of_its_own_core(void) {
  CHECK(fabs(frontend_bound_of("n2") - 9) < 1e-9);
  CHECK(fabs(frontend_bound_of("cobalt100") - 9) < 1e-9);
  CHECK(fabs(frontend_bound_of("v2") - 17.75) < 1e-9);
  CHECK(fabs(frontend_bound_of("grace") - 17.75) < 1e-9);
  CHECK(fabs(frontend_bound_of("Google Axion") - 17.75) < 1e-9);
}

int main(void) {
  events_are_grouped_as_counters_allow();
  what_does_not_fit_is_an_error();
  the_watchdog_takes_a_counter();
  metrics_are_computed_from_counts();
  metrics_can_be_listed();
  a_tree_is_computed_from_counts();
  a_name_has_the_tree_of_its_own_core();
  evname_schedule_free(NULL);
  evname_metrics_free(NULL);
  evname_topdown_free(NULL);
  return failed_checks != 0;
}
