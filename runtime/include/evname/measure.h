#ifndef EVNAME_MEASURE_H
#define EVNAME_MEASURE_H
/** @file
 * What to count together, and what it amounts to, for C and for whatever calls C: groups of events
 * that the counters of a PMU can count at the same time, and metrics. All that evname.h says of
 * threads, results, text and `reserved` holds here as well. An evname_metrics is for one thread at
 * a time while metrics are added to it, later for several.
 */

#include "evname/evname.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Which events fit the counters ---- */

/** MetricConstraint of a metric: when its events can't be a group. */
enum evname_group_constraint {
  EVNAME_GROUP_CAN = 0,     /**< they can */
  EVNAME_GROUP_NEVER = 1,   /**< never */
  EVNAME_GROUP_NOT_NMI = 2, /**< not while the NMI watchdog has a counter */
  EVNAME_GROUP_NOT_SMT = 3  /**< not while SMT is on */
};

/** What the tables can't know of a machine. */
typedef struct evname_schedule_options {
  uint32_t constraint;       /**< enum evname_group_constraint of the metric the events are for */
  int32_t nmi_watchdog;      /**< 1: it counts cycles on each core PMU of x86 and arm64 */
  int32_t smt;               /**< 0: Intel cores before Ice Lake have 8 generic counters */
  uint32_t generic_counters; /**< of the core PMU; 0: as the tables have it */
  uint64_t reserved[4];      /**< 0, for later */
} evname_schedule_options;

/** Those of the machine this runs on; `sysfs` and `procfs` as for evname_machine_live. */
EVNAME_API void evname_schedule_options_live(const char* sysfs, const char* procfs,
                                             evname_schedule_options* out);

/** The groups of all PMUs for some events. */
typedef struct evname_schedule evname_schedule;

/** The fewest groups for what `perf -e` takes. `options` NULL: no watchdog, SMT is on. Groups
 * written with braces stay whole. EVNAME_UNSUPPORTED or EVNAME_OUT_OF_RANGE: such a group, or an
 * event, can't be counted even alone; the message says why. The machine may be freed. */
EVNAME_API int evname_schedule_new(const evname_machine* machine, const char* events,
                                   const evname_schedule_options* options, evname_schedule** out,
                                   evname_error* error);
/** Frees a schedule. */
EVNAME_API void evname_schedule_free(evname_schedule* schedule);

/** How many events there are, each once. */
EVNAME_API size_t evname_schedule_event_count(const evname_schedule* schedule);
/** In the order in which perf opens them. `name` (may be NULL) lives as long as the schedule, as
 * does `pmu` of the attr. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_schedule_event_at(const evname_schedule* schedule, size_t index,
                                        evname_attr* out, const char** name);

/** What a PMU, or several instances of a unit whose groups are alike, counts together. Texts live
 * as long as the schedule. */
typedef struct evname_scheduled_group {
  const char* const* pmus;     /**< "cpu"; "uncore_cha_0", "uncore_cha_1"; "software" */
  size_t pmus_count;           /**< how many */
  const size_t* events;        /**< indexes of evname_schedule_event_at */
  const char* const* counters; /**< of each event: "2", "fixed 1"; "": needs none, or not known */
  size_t events_count;         /**< how many */
  uint32_t generic_counters;   /**< of the PMU; 0 of both: not known, or each event has its own */
  uint32_t fixed_counters;     /**< likewise */
  int32_t grouped;             /**< 0: each event is to be opened on its own */
  int32_t smallest;            /**< 0: the search was given up; fewer groups may do */
  const char* why;             /**< a sentence, if the PMU needs several groups; else "" */
  uint64_t reserved[4];        /**< 0, for later */
} evname_scheduled_group;

/** How many groups there are, of all PMUs. */
EVNAME_API size_t evname_schedule_group_count(const evname_schedule* schedule);
/** PMU by PMU. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_schedule_group_at(const evname_schedule* schedule, size_t index,
                                        evname_scheduled_group* out);
/** What the answer could not take into account, for people. "" after the last one. */
EVNAME_API const char* evname_schedule_note(const evname_schedule* schedule, size_t index);

/* ---- Metrics ---- */

/** Metrics of a machine: those that it has, or those that are to be computed together. */
typedef struct evname_metrics evname_metrics;

/** A metric. Texts live as long as the evname_metrics. */
typedef struct evname_metric {
  const char* name;          /**< as written */
  const char* desc;          /**< brief, may be "" */
  const char* long_desc;     /**< "" where there is no more to say */
  const char* expr;          /**< as written: events' slashes are @ */
  const char* threshold;     /**< an expression; "": there is none */
  const char* unit;          /**< that its value is in: "%", "MB/s"; may be "" */
  const char* pmu;           /**< table PMU: "default_core", "cpu_atom" */
  const char* model;         /**< whose table has it */
  const char* const* groups; /**< that it is in */
  size_t groups_count;       /**< how many */
  const size_t* events;      /**< that it needs: indexes of evname_metrics_event_at */
  size_t events_count;       /**< how many; 0 of a list */
  uint32_t constraint;       /**< enum evname_group_constraint */
  uint32_t padding;          /**< 0 */
  uint64_t reserved[4];      /**< 0, for later */
} evname_metric;

/** Every metric that the machine has whose name matches the glob and that is of the group (any
 * case; NULL: all), by name. A list: it has no events and no values. */
EVNAME_API int evname_metrics_list(const evname_machine* machine, const char* glob,
                                   const char* group, evname_metrics** out, evname_error* error);

/** None yet, of a machine whose facts ("#smt_on", "#num_cpus", …) it tells itself; with `live` not
 * 0, of the machine this runs on. The machine may be freed. */
EVNAME_API int evname_metrics_new(const evname_machine* machine, int live, evname_metrics** out,
                                  evname_error* error);
/** Frees metrics. */
EVNAME_API void evname_metrics_free(evname_metrics* metrics);

/** Sets a fact before metrics that need it are added. EVNAME_NOT_FOUND: there is no such fact.
 * EVNAME_INVALID_ARGUMENT: there are metrics already. */
EVNAME_API int evname_metrics_set_fact(evname_metrics* metrics, const char* name, double value,
                                       evname_error* error);
/** Adds the metric, or all of the metric group, of that name (any case). EVNAME_NOT_FOUND.
 * EVNAME_INVALID_ARGUMENT: it needs itself. EVNAME_UNSUPPORTED: a fact is not known. */
EVNAME_API int evname_metrics_add(evname_metrics* metrics, const char* name, evname_error* error);
/** Adds a metric of your own; its expression may name those of the tables. */
EVNAME_API int evname_metrics_add_expression(evname_metrics* metrics, const char* name,
                                             const char* expr, evname_error* error);
/** Those of a group that could not be added, with the reason. "" after the last one. */
EVNAME_API const char* evname_metrics_warning(const evname_metrics* metrics, size_t index);

/** How many there are. */
EVNAME_API size_t evname_metrics_count(const evname_metrics* metrics);
/** In the order in which they were added. Until more are added. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_at(const evname_metrics* metrics, size_t index, evname_metric* out);

/** An event that metrics need. */
typedef struct evname_metric_event {
  const char* text;      /**< what `perf -e` takes, and evname_resolve; until more is added */
  const char* problem;   /**< why it can't be counted; else "" */
  uint64_t encodings;    /**< how many attrs it stands for; 0 with a problem */
  int32_t is_tool;       /**< 1: duration_time and its like, which perf measures itself */
  int32_t for_threshold; /**< 1: only a threshold needs it */
  uint64_t reserved[4];  /**< 0, for later */
} evname_metric_event;

/** How many events there are, each once. */
EVNAME_API size_t evname_metrics_event_count(const evname_metrics* metrics);
/** In the order of first need. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_event_at(const evname_metrics* metrics, size_t index,
                                       evname_metric_event* out);

/** What an event counted. */
typedef struct evname_event_count {
  double value;     /**< extrapolated to the whole time, without the event's unit; seconds of
                       duration_time and its like; NaN: not counted */
  uint32_t sources; /**< hardware that it was summed over; 0: all that the machine has */
  uint32_t padding; /**< 0 */
} evname_event_count;

/** What a metric is. */
typedef struct evname_metric_value {
  double value;      /**< in the metric's unit; NaN: an event was not counted */
  int32_t has_value; /**< 0: perf would not print a number either */
  int32_t beyond;    /**< 1: the threshold calls the value remarkable; 0: it does not; -1: none */
} evname_metric_value;

/** `counts` are parallel to the events; those that are missing at their end were not counted.
 * `out` has room for a value per metric. Nothing is parsed. */
EVNAME_API int evname_metrics_evaluate(const evname_metrics* metrics,
                                       const evname_event_count* counts, size_t counts_count,
                                       evname_metric_value* out, size_t room, evname_error* error);

#ifdef __cplusplus
}
#endif

#endif
