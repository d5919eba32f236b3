#ifndef EVNAME_MEASURE_H
#define EVNAME_MEASURE_H
/** @file
 * Schedules and metrics for C and languages that call C: groups of events that the counters of a
 * PMU can count at the same time, and numbers computed from counts. The rules of evname.h on
 * threads, results, text and `reserved` apply. An evname_metrics may be used by one thread at a
 * time while metrics are added to it, afterwards by several at once.
 */

#include "evname/evname.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Schedules ---- */

/** MetricConstraint of a metric: when its events can't be counted as a group. */
enum evname_group_constraint {
  EVNAME_GROUP_CAN = 0,              /**< they always can */
  EVNAME_GROUP_NEVER = 1,            /**< never */
  EVNAME_GROUP_NOT_NMI = 2,          /**< not while the NMI watchdog uses a counter */
  EVNAME_GROUP_NOT_SMT = 3,          /**< not while SMT is on */
  EVNAME_GROUP_NOT_NMI_THRESHOLD = 4 /**< not while the NMI watchdog uses a counter and thresholds
                                          are wanted */
};

/** What the tables can't know about a machine. */
typedef struct evname_schedule_options {
  uint32_t constraint;  /**< enum evname_group_constraint of the metric that needs the events */
  int32_t nmi_watchdog; /**< 1: it permanently counts cycles on each core PMU of x86 and arm64 */
  int32_t smt;          /**< 0: off, so that Intel cores before Ice Lake have 8 generic counters */
  uint32_t generic_counters; /**< of the core PMU; 0: as in the tables */
  uint64_t reserved[4];      /**< 0, for later */
} evname_schedule_options;

/** Gets the options for the machine that this program runs on; `sysfs` and `procfs` as for
 * evname_machine_live. Fails only with EVNAME_NO_MEMORY; the options are then the defaults. */
EVNAME_API int evname_schedule_options_live(const char* sysfs, const char* procfs,
                                            evname_schedule_options* out);

/** The groups, on all PMUs, for some events. */
typedef struct evname_schedule evname_schedule;

/** Finds the fewest groups for a list of events in the syntax of `perf -e`. `options` NULL: no
 * watchdog, SMT is on. Groups in braces stay whole. EVNAME_UNSUPPORTED or EVNAME_OUT_OF_RANGE: such
 * a group, or an event, can't be counted even alone; the message gives the reason. The machine may
 * be freed. */
EVNAME_API int evname_schedule_new(const evname_machine* machine, const char* events,
                                   const evname_schedule_options* options, evname_schedule** out,
                                   evname_error* error);
/** Frees a schedule. */
EVNAME_API void evname_schedule_free(evname_schedule* schedule);

/** Returns the number of distinct events. */
EVNAME_API size_t evname_schedule_event_count(const evname_schedule* schedule);
/** Gets an event; they are in the order in which perf opens them. `name` (may be NULL) and `pmu` of
 * the attr live as long as the schedule. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_schedule_event_at(const evname_schedule* schedule, size_t index,
                                        evname_attr* out, const char** name);

/** A group that a PMU, or each of several instances of a unit, counts together. Texts live as long
 * as the schedule. */
typedef struct evname_scheduled_group {
  const char* const* pmus; /**< "cpu"; "uncore_cha_0", "uncore_cha_1"; "software" */
  size_t pmus_count;       /**< number of PMUs */
  const size_t* events;    /**< indexes of evname_schedule_event_at */
  const char* const*
      counters;        /**< of each event: "2", "fixed 1"; "": none is needed, or it is unknown */
  size_t events_count; /**< number of events */
  uint32_t generic_counters; /**< of the PMU; if both are 0: unknown, or each event has its own */
  uint32_t fixed_counters;   /**< likewise */
  int32_t grouped;           /**< 0: open each event on its own */
  int32_t smallest;          /**< 0: the search was abandoned, fewer groups may be enough */
  const char* why;           /**< why the PMU needs several groups, in a sentence; else "" */
  uint64_t reserved[4];      /**< 0, for later */
} evname_scheduled_group;

/** Returns the number of groups on all PMUs. */
EVNAME_API size_t evname_schedule_group_count(const evname_schedule* schedule);
/** Gets a group; those of a PMU are adjacent. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_schedule_group_at(const evname_schedule* schedule, size_t index,
                                        evname_scheduled_group* out);
/** Returns what the schedule could not take into account, for people; "" after the last one. */
EVNAME_API const char* evname_schedule_note(const evname_schedule* schedule, size_t index);

/* ---- Metrics ---- */

/** Metrics of a machine: a list, or a set to be computed together. */
typedef struct evname_metrics evname_metrics;

/** A metric. Texts live as long as the evname_metrics. */
typedef struct evname_metric {
  const char* name;          /**< as in the topic file */
  const char* desc;          /**< one sentence; may be "" */
  const char* long_desc;     /**< the full description; "" if `desc` is all there is */
  const char* expr;          /**< as in the topic file: @ stands for the slashes of events */
  const char* threshold;     /**< an expression; "" if there is none */
  const char* unit;          /**< unit of the value: "%", "MB/s"; may be "" */
  const char* pmu;           /**< PMU as in the tables: "default_core", "cpu_atom" */
  const char* model;         /**< model whose tables have it */
  const char* const* groups; /**< the metric groups that it is in */
  size_t groups_count;       /**< number of groups */
  const size_t* events;      /**< that it needs: indexes for evname_metrics_event_at */
  size_t events_count;       /**< number of events; 0 in a list */
  uint32_t constraint;       /**< enum evname_group_constraint */
  uint32_t padding;          /**< 0 */
  uint64_t reserved[4];      /**< 0, for later */
} evname_metric;

/** Lists every metric of the machine whose name matches the glob and that is in the group (ignoring
 * case; NULL: all), sorted by name. A list has no events and no values. */
EVNAME_API int evname_metrics_list(const evname_machine* machine, const char* glob,
                                   const char* group, evname_metrics** out, evname_error* error);

/** Makes an empty set. The facts that metrics refer to ("#smt_on", "#num_cpus", …) are those of
 * `machine` or, if `live` is not 0, of the machine that this program runs on. The machine may be
 * freed. */
EVNAME_API int evname_metrics_new(const evname_machine* machine, int live, evname_metrics** out,
                                  evname_error* error);
/** Frees metrics. */
EVNAME_API void evname_metrics_free(evname_metrics* metrics);

/** Sets a fact. EVNAME_NOT_FOUND: there is no such fact. EVNAME_INVALID_ARGUMENT: metrics have
 * already been added. */
EVNAME_API int evname_metrics_set_fact(evname_metrics* metrics, const char* name, double value,
                                       evname_error* error);
/** Adds the metric, or all metrics of the group, with this name, ignoring case. Fails with
 * EVNAME_NOT_FOUND. EVNAME_INVALID_ARGUMENT: it depends on itself. EVNAME_UNSUPPORTED: a fact is
 * unknown. After EVNAME_NO_MEMORY there are no metrics until the next call that adds one. */
EVNAME_API int evname_metrics_add(evname_metrics* metrics, const char* name, evname_error* error);
/** Adds a metric of your own; its expression may refer to metrics of the tables. */
EVNAME_API int evname_metrics_add_expression(evname_metrics* metrics, const char* name,
                                             const char* expr, evname_error* error);
/** Returns which metrics of a group could not be added, and why; "" after the last one. */
EVNAME_API const char* evname_metrics_warning(const evname_metrics* metrics, size_t index);

/** Returns the number of metrics. */
EVNAME_API size_t evname_metrics_count(const evname_metrics* metrics);
/** Gets a metric; they are in the order in which they were added. Valid until more are added. Fails
 * with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_at(const evname_metrics* metrics, size_t index, evname_metric* out);

/** An event that metrics need. */
typedef struct evname_metric_event {
  const char* text;      /**< in the syntax of `perf -e`; valid until more metrics are added */
  const char* problem;   /**< why it can't be counted; else "" */
  uint64_t encodings;    /**< number of attrs that it stands for; 0 with a problem */
  int32_t is_tool;       /**< 1: duration_time or similar, which perf measures itself */
  int32_t for_threshold; /**< 1: only a threshold needs it */
  uint64_t reserved[4];  /**< 0, for later */
} evname_metric_event;

/** Returns the number of distinct events. */
EVNAME_API size_t evname_metrics_event_count(const evname_metrics* metrics);
/** Gets an event; they are in the order in which metrics first need them. Fails with
 * EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_event_at(const evname_metrics* metrics, size_t index,
                                       evname_metric_event* out);

/** The count of an event. */
typedef struct evname_event_count {
  double value; /**< extrapolated to the time the event was enabled, but not scaled to the event's
                   unit; in seconds for duration_time and similar events; NaN: not counted */
  uint32_t sources; /**< number of units that it is the sum of; 0: all that the machine has */
  uint32_t padding; /**< 0 */
} evname_event_count;

/** The value of a metric. */
typedef struct evname_metric_value {
  double value;      /**< in the metric's unit; NaN: an event was not counted */
  int32_t has_value; /**< 0: there is none; perf would not print one either */
  int32_t beyond;    /**< 1: the threshold is exceeded; 0: it is not; -1: there is none */
} evname_metric_value;

/** Computes the value of each metric. `counts` is parallel to the events; if it is shorter, the
 * remaining events were not counted. `out` needs room for one value per metric. Parses nothing. */
EVNAME_API int evname_metrics_evaluate(const evname_metrics* metrics,
                                       const evname_event_count* counts, size_t counts_count,
                                       evname_metric_value* out, size_t room, evname_error* error);

#ifdef __cplusplus
}
#endif

#endif
