#ifndef EVNAME_EVENTS_H
#define EVNAME_EVENTS_H
/** @file
 * This header declares machines, names and codes, schedules and metrics. The rules of evname.h
 * apply.
 */

#include <stddef.h>
#include <stdint.h>

#include "evname/code.h"
#include "evname/export.h"
#include "evname/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the EVNAME_VERSION of the running library, which may be later than this header's.
 * Static. */
EVNAME_API const char* evname_version(void);

/* ---- Errors ---- */

/** The result of a function. */
enum evname_status {
  EVNAME_OK = 0,
  EVNAME_INVALID_ARGUMENT = 1, /**< the text or value can't be used as it is: a syntax error, say */
  EVNAME_NOT_FOUND = 2,        /**< no such event, CPU, model, PMU or file */
  EVNAME_OUT_OF_RANGE = 3,     /**< a number or index does not fit its destination */
  EVNAME_CORRUPT = 4,          /**< bytes of a file contradict its format */
  EVNAME_IO = 5,               /**< the operating system reported an error */
  EVNAME_UNSUPPORTED = 6,      /**< well-formed, but this build can't do it */
  EVNAME_NO_MEMORY = 7,        /**< there is not enough memory */
  EVNAME_INTERNAL = 8,         /**< a bug in the library; the message describes it */
  EVNAME_CANCELLED = 9         /**< evname_filter.progress returned other than 0 */
};

/** This offset stands for an error without a single place in a text or file. */
#define EVNAME_NO_OFFSET UINT64_MAX

/** A failure, described for people. Texts that are too long are truncated. */
typedef struct evname_error {
  int32_t status;    /**< enum evname_status */
  uint32_t padding;  /**< 0 */
  uint64_t offset;   /**< of the fault in the text or file, in bytes; EVNAME_NO_OFFSET if none */
  char message[320]; /**< the failure, in a sentence */
  char where[256];   /**< file, with :LINE or \@OFFSET if it is known; may be "" */
  char hint[256];    /**< a proposal; may be "" */
} evname_error;

/** Writes "where: message (hint)". Returns the length of the whole text. */
EVNAME_API size_t evname_error_text(const evname_error* error, char* buffer, size_t size);

/** Returns a status as text, such as "not found"; "unknown status" for other numbers. Static. */
EVNAME_API const char* evname_status_text(int status);

/* ---- Models: the event tables of this build ---- */

/** A model (a directory of event tables) of this build. The texts are static. */
typedef struct evname_model {
  const char* arch;     /**< "x86", "arm64", … */
  const char* name;     /**< "skylakex", "arm/neoverse-n1": as taken by evname_machine_open */
  uint64_t events;      /**< number of events on all its PMUs */
  uint64_t reserved[5]; /**< 0, for later */
} evname_model;

/** Returns the number of models of this build; 0 if there is no memory for the list, which the
 * first call makes. */
EVNAME_API size_t evname_model_count(void);
/** Gets a model; they are sorted by architecture, then name. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_model_at(size_t index, evname_model* out);

/* ---- Machines, which names are resolved for ---- */

/** A CPU, its event tables and its PMUs. */
typedef struct evname_machine evname_machine;

/** Flags of evname_machine_options and evname_recording_open_with. */
enum evname_open_flags {
  EVNAME_NO_USER_EVENTS = 1 /**< leave out the event files of the user */
};

/** How a machine is made. Zeroed, it has the defaults. */
typedef struct evname_machine_options {
  const char* sysfs;  /**< root of a tree captured on another machine; NULL: /sys or, for a machine
                           that is named, the PMUs that this build describes */
  const char* procfs; /**< the same for /proc; a machine that is named needs none */
  const char* events; /**< a directory as for evname_machine_with_events, which alone may have the
                           CPU or model; NULL: none */
  uint32_t flags;     /**< enum evname_open_flags */
  uint32_t padding;   /**< 0 */
  uint64_t reserved[4]; /**< 0, for later */
} evname_machine_options;

/** Makes a machine. `cpu` NULL: the machine that this program runs on; else a CPUID string in
 * either spelling ("GenuineIntel-6-55-4", "GenuineIntel,6,85,4"), a model ("skylakex",
 * "arm/neoverse-n1"), a short name ("skx", "n1"), a code name ("zen4"), a product ("i9-13900K",
 * "Graviton4") or the kernel's name of a core PMU ("armv8_cortex_a72", "alderlake_hybrid"), each in
 * any case. `options` NULL: the defaults. Without EVNAME_NO_USER_EVENTS, all functions that make
 * machines lay the event files of the user over the tables of the build. These are in the
 * directories that the environment variable EVNAME_EVENTS lists (separated by ':'; set but empty:
 * there are none), and in the directories inside $XDG_DATA_HOME/evname/events and
 * /usr/share/evname/events. EVNAME_INVALID_ARGUMENT: unknown flags. */
EVNAME_API int evname_machine_open(const char* cpu, const evname_machine_options* options,
                                   evname_machine** out, evname_error* error);

/** Makes the machine that a perf.data file or directory was recorded on. */
EVNAME_API int evname_machine_recorded(const char* path, evname_machine** out, evname_error* error);

/** Makes the same machine with the events of a directory added to the events of this build, for a
 * CPU newer than the build: a kernel-layout tree (ARCH/mapfile.csv, ARCH/MODEL/…json), a copy of
 * Intel's perfmon repository, or the JSON files of that CPU. `machine` is not changed and may be
 * freed. EVNAME_NOT_FOUND: the directory has no events for this CPU. */
EVNAME_API int evname_machine_with_events(const evname_machine* machine, const char* directory,
                                          evname_machine** out, evname_error* error);

/** A directory whose events are laid over the tables of the build. Texts live as long as the
 * machine. */
typedef struct evname_event_directory {
  const char* directory; /**< as it was given or found */
  const char* version;   /**< version of this CPU's events, as it states: "V1.20"; may be "" */
  uint32_t is_users;     /**< 1: found as evname_machine_open describes; 0: given to a function */
  uint32_t padding;      /**< 0 */
  uint64_t reserved[4];  /**< 0, for later */
} evname_event_directory;

/** Returns the number of such directories of a machine; usually 0. */
EVNAME_API size_t evname_event_directory_count(const evname_machine* machine);
/** Gets one of these directories. If several have an event, the one with the lowest index counts.
 * Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_event_directory_at(const evname_machine* machine, size_t index,
                                         evname_event_directory* out);

/** Frees a machine. */
EVNAME_API void evname_machine_free(evname_machine* machine);

/** The ways to find the model of a machine. */
enum evname_matched_by {
  EVNAME_MATCHED_BY_NONE = 0,        /**< no table fits; only the kernel's own names resolve */
  EVNAME_MATCHED_BY_CPUID = 1,       /**< a mapfile pattern matched the CPUID string */
  EVNAME_MATCHED_BY_NAME = 2,        /**< the caller named the model */
  EVNAME_MATCHED_BY_CAPS = 3,        /**< fallback: the PMU's pmu_name */
  EVNAME_MATCHED_BY_ARCHITECTURE = 4 /**< fallback: the architecture's standard events */
};

/** The CPU of a machine, and how its model was found. Texts live as long as the machine. */
typedef struct evname_cpu {
  const char* arch;     /**< "x86", "arm64", … */
  const char* cpuid;    /**< in lookup form; "" if unknown */
  const char* model;    /**< "" if no table fits */
  const char* note;     /**< a sentence if the model is a fallback; else "" */
  uint32_t matched_by;  /**< enum evname_matched_by */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[4]; /**< 0, for later */
} evname_cpu;

/** Gets the CPU of a machine. */
EVNAME_API void evname_machine_cpu(const evname_machine* machine, evname_cpu* out);

/** Returns a warning about something that was skipped while the machine was read; "" after the last
 * one. Lives as long as the machine. */
EVNAME_API const char* evname_machine_warning(const evname_machine* machine, size_t index);

/** Flags of evname_pmu. */
enum evname_pmu_flags {
  EVNAME_PMU_HAS_TYPE = 1, /**< `type` is known */
  EVNAME_PMU_CORE = 2,
  EVNAME_PMU_UNCORE = 4,
  EVNAME_PMU_PRESENT = 8 /**< found on the machine; not set: only described by this build */
};

/** A PMU of a machine. Texts live as long as the machine. */
typedef struct evname_pmu {
  const char* name;     /**< "cpu_atom", "uncore_imc_0" */
  const char* cpus;     /**< "0-3"; "": all, or unknown */
  uint32_t type;        /**< perf_event_attr.type */
  uint32_t flags;       /**< enum evname_pmu_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_pmu;

/** Returns the number of PMUs. */
EVNAME_API size_t evname_pmu_count(const evname_machine* machine);
/** Gets a PMU; core PMUs come first. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_pmu_at(const evname_machine* machine, size_t index, evname_pmu* out);

/* ---- Names to codes ---- */

/** Flags of evname_attr. */
enum evname_attr_flags {
/* Modifiers set these; none is set without modifiers. */
#define EVNAME_ATTR_BIT(name, NAME, Name, flag) EVNAME_ATTR_##NAME = 1 << flag,
#include "evname/attr_bits.def"
  EVNAME_ATTR_MODIFIERS = 1 << 9 /**< there were modifiers: bits that are 0 are requested as well */
};

/** The fields of perf_event_attr that an event sets. */
typedef struct evname_attr {
  const char* pmu; /**< "cpu", "uncore_imc_0"; "hardware", "hw_cache", … for the generic types;
                      lives as long as the machine */
  evname_code
      code; /**< the event to count; for a breakpoint, config[1] is bp_addr and config[2] bp_len */
  uint64_t period; /**< sample period that the event's table suggests; 0: none. Never set for you */
  uint32_t bp_type;    /**< for a breakpoint: read 1, write 2, execute 4 */
  uint32_t flags;      /**< enum evname_attr_flags */
  uint32_t precise_ip; /**< 0 to 3; the modifier `P` gives 3, and perf then tries lower values */
  uint32_t
      leader; /**< index, among the attrs of one text, of its group's leader; its own if it leads */
  uint32_t
      aux_action;   /**< perf_event_attr.aux_action: 1 start paused, 2 pause, 4 resume; 0: none */
  uint32_t padding; /**< 0 */
  uint64_t reserved[3]; /**< 0, for later */
} evname_attr;

/** Resolves a list of events in the syntax of `perf -e` ("mem_load_retired.l3_miss:u",
 * "{cycles,cpu/event=0xc0/}") to one attr per event and PMU. `count` is set to the number of attrs;
 * attrs beyond `room` are not written. Allocates nothing for a single name of the tables, with or
 * without modifiers. */
EVNAME_API int evname_resolve(const evname_machine* machine, const char* text, evname_attr* out,
                              size_t room, size_t* count, evname_error* error);

/** The result for one of several texts. */
typedef struct evname_answer {
  size_t first;         /**< index of its first attr */
  size_t count;         /**< number of its attrs; 0 if it failed */
  int32_t status;       /**< enum evname_status */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[2]; /**< 0, for later */
} evname_answer;

/** Resolves each of `texts` by itself, even if others fail. The attrs are written to `out`, one
 * text after the other; `total` is set to their number; attrs beyond `room` are not written.
 * `answers` and, unless NULL, `errors` have one element per text, with status EVNAME_OK if the text
 * did not fail. Returns the first failure. */
EVNAME_API int evname_resolve_batch(const evname_machine* machine, const char* const* texts,
                                    size_t texts_count, evname_attr* out, size_t room,
                                    size_t* total, evname_answer* answers, evname_error* errors);

/** Writes the members that the event specifies, and no others, to a struct perf_event_attr of
 * `size` bytes (its sizeof, at least 64): type, config; config1 to config4 (for a breakpoint with
 * bp_type) if the struct has them; aux_action if there is one; the exclude_*, pinned and exclusive
 * bits and precise_ip that modifiers ask for, in addition to the bits already set; and the member
 * `size` if it is 0. All other members are the caller's choice and are left alone: sample_period,
 * sample_type, disabled, inherit, … EVNAME_NOT_FOUND: the type is unknown. EVNAME_OUT_OF_RANGE: the
 * event needs a member that a struct of this size does not have. On failure, nothing is written. */
EVNAME_API int evname_attr_fill(const evname_attr* attr, void* perf_event_attr, size_t size,
                                evname_error* error);

/* ---- Codes to names ---- */

/** Writes the best name of a code, "NAME with QUALIFIERS" if no name has exactly this code,
 * "PMU/TERMS/" if no name has it at all. Looks on the PMU `pmu`, whatever the code's type; if `pmu`
 * is NULL, on the PMU of the code's type, which is the first core PMU if the code has none. Returns
 * the length of the whole text; 0 if there is no memory. */
EVNAME_API size_t evname_name_of(const evname_machine* machine, const char* pmu,
                                 const evname_code* code, char* buffer, size_t size);

/** Returns the best name with exactly this code; "" if there is none. `pmu` is as for
 * evname_name_of. If it is NULL, allocates only for the first code of each PMU. Lives as long as
 * the machine. */
EVNAME_API const char* evname_exact_name(const evname_machine* machine, const char* pmu,
                                         const evname_code* code);

/** The names of a code. The texts are in the caller's buffer. */
typedef struct evname_names {
  const char* names;      /**< best first, each after the NUL of the one before */
  size_t count;           /**< 0: no name has this code, not even with qualifiers */
  const char* qualifiers; /**< to be added to the names: "cmask=0x1,inv=1"; "" if exact */
  const char* pmu;        /**< "cpu" */
  const char* terms;      /**< the code as terms, always exact: "event=0xd1,umask=0x20" */
  int32_t exact;          /**< 1: the names have exactly this code */
  uint32_t padding;       /**< 0 */
  uint64_t reserved[3];   /**< 0, for later */
} evname_names;

/** Gets all names of a code; `pmu` as for evname_name_of. `needed` (may be NULL) is set to the
 * number of bytes that all texts take. If `size` is less, nothing is written to the buffer, all
 * texts are "", and the count is correct nevertheless. */
EVNAME_API int evname_names_of(const evname_machine* machine, const char* pmu,
                               const evname_code* code, evname_names* out, char* buffer,
                               size_t size, size_t* needed, evname_error* error);

/* ---- The events of a machine ---- */

/** A list of events. */
typedef struct evname_events evname_events;

/** Flags of evname_event. */
enum evname_event_flags {
  EVNAME_EVENT_DEPRECATED = 1,
  EVNAME_EVENT_PER_PACKAGE = 2,
  EVNAME_EVENT_OF_SYSFS = 4,         /**< from the machine's sysfs, not from a table */
  EVNAME_EVENT_PRECISE = 8,          /**< precise samples can be taken: modifier p */
  EVNAME_EVENT_MUST_BE_PRECISE = 16, /**< only precise samples can be taken; PRECISE is set */
  EVNAME_EVENT_PRECISE_ADDRESS = 32  /**< a precise sample has the address of its data */
};

/** An event of a machine. Texts live as long as the list. */
typedef struct evname_event {
  const char* name;      /**< in lower case, except for sysfs events whose file name is not */
  const char* pmu;       /**< as in the tables: "cpu", "uncore_imc" (no instance number) */
  const char* topic;     /**< "memory"; "" for sysfs events */
  const char* terms;     /**< "event=0xd1,period=100007,umask=0x20" */
  const char* desc;      /**< one sentence; may be "" */
  const char* long_desc; /**< the full description; "" if `desc` is all there is */
  const char* unit;      /**< unit of a scaled count ("Bytes"); "": a number of events */
  const char* model;     /**< the model whose tables have it; "" if none */
  double scale;          /**< multiply a count by this to get `unit` */
  uint32_t flags;        /**< enum evname_event_flags */
  uint32_t padding;      /**< 0 */
  const char* errata;    /**< the maker's numbers of its faults: "SKL089, SKL044" */
  uint64_t reserved[3];  /**< 0, for later */
} evname_event;

/** Lists the events whose name matches the glob (ignoring case; NULL: all), sorted by PMU, then
 * name. */
EVNAME_API int evname_events_list(const evname_machine* machine, const char* glob,
                                  evname_events** out, evname_error* error);
/** Returns the number of events. */
EVNAME_API size_t evname_events_count(const evname_events* events);
/** Gets an event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_events_at(const evname_events* events, size_t index, evname_event* out);
/** Frees a list. */
EVNAME_API void evname_events_free(evname_events* events);

/* ---- Schedules ---- */

/** A metric's MetricConstraint: when its events can't be counted as a group. */
enum evname_group_constraint {
  EVNAME_GROUP_CAN = 0,              /**< they always can */
  EVNAME_GROUP_NEVER = 1,            /**< never */
  EVNAME_GROUP_NOT_NMI = 2,          /**< not while the NMI watchdog uses a counter */
  EVNAME_GROUP_NOT_SMT = 3,          /**< not while SMT is on */
  EVNAME_GROUP_NOT_NMI_THRESHOLD = 4 /**< not while the NMI watchdog uses a counter and thresholds
                                          are wanted */
};

/** Facts about a machine that the tables can't know. */
typedef struct evname_schedule_options {
  uint32_t constraint;  /**< enum evname_group_constraint of the metric that needs the events */
  int32_t nmi_watchdog; /**< 1: it permanently counts cycles on each core PMU of x86 and arm64 */
  int32_t smt;          /**< 0: off, so that Intel cores before Ice Lake have 8 generic counters */
  uint32_t generic_counters; /**< of the core PMU; 0: as in the tables */
  uint64_t reserved[4];      /**< 0, for later */
} evname_schedule_options;

/** Gets the options for the machine that this program runs on; `sysfs` and `procfs` as for
 * evname_machine_options. Fails only with EVNAME_NO_MEMORY; the options are then the defaults. */
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
/** Gets an event; events are in perf's order of opening. `name` (may be NULL) and `pmu` of the attr
 * live as long as the schedule. Fails with EVNAME_OUT_OF_RANGE. */
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
/** Gets a group; the groups of a PMU are adjacent. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_schedule_group_at(const evname_schedule* schedule, size_t index,
                                        evname_scheduled_group* out);
/** Returns a warning about something that the schedule could not take into account; "" after the
 * last one. Lives as long as the schedule. */
EVNAME_API const char* evname_schedule_warning(const evname_schedule* schedule, size_t index);

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
  const size_t* events;      /**< events that it needs, as indexes of evname_metrics_event_at */
  size_t events_count;       /**< number of events; 0 in a list */
  uint32_t constraint;       /**< enum evname_group_constraint */
  uint32_t padding;          /**< 0 */
  uint64_t reserved[4];      /**< 0, for later */
} evname_metric;

/** Lists every metric of the machine whose name matches the glob and that is in the group (ignoring
 * case; NULL: all), sorted by name. A list has no events and no values. */
EVNAME_API int evname_metrics_list(const evname_machine* machine, const char* glob,
                                   const char* group, evname_metrics** out, evname_error* error);

/** Makes an empty set. The facts that metrics refer to ("#smt_on", "#num_cpus", …) describe
 * `machine` or, if `live` is not 0, the machine that this program runs on. The machine may be
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
/** Returns a warning about a metric of a group that could not be added; "" after the last one.
 * Valid until more are added. */
EVNAME_API const char* evname_metrics_warning(const evname_metrics* metrics, size_t index);

/** Returns the number of metrics. */
EVNAME_API size_t evname_metrics_count(const evname_metrics* metrics);
/** Gets a metric; metrics are in the order of their addition. Valid until more are added. Fails
 * with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_at(const evname_metrics* metrics, size_t index, evname_metric* out);

/** An event that metrics need. */
typedef struct evname_metric_event {
  const char* text;      /**< in the syntax of `perf -e`; valid until more metrics are added */
  const char* problem;   /**< why it can't be counted; else "" */
  uint64_t encodings;    /**< number of attrs that it stands for; 0 with a problem */
  int32_t is_tool;       /**< 1: duration_time, num_cpus and others, which perf counts itself */
  int32_t for_threshold; /**< 1: only a threshold needs it */
  uint64_t reserved[4];  /**< 0, for later */
} evname_metric_event;

/** Returns the number of distinct events. */
EVNAME_API size_t evname_metrics_event_count(const evname_metrics* metrics);
/** Gets an event; events are in the order of the metrics that need them. Fails with
 * EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_event_at(const evname_metrics* metrics, size_t index,
                                       evname_metric_event* out);

/** The count of an event. */
typedef struct evname_event_count {
  double value; /**< extrapolated to the time the event was enabled, but not scaled to the event's
                   unit; of duration_time, user_time and system_time: s; NaN: not counted */
  uint32_t sources; /**< number of units that it is the sum of; 0: all that the machine has */
  uint32_t padding; /**< 0 */
} evname_event_count;

/** The value of a metric. */
typedef struct evname_metric_value {
  double value;      /**< in the metric's unit */
  int32_t has_value; /**< 1: `value` is a finite number; 0: evname_metrics_explain says why not */
  int32_t beyond;    /**< 1: the threshold is exceeded; 0: it is not; -1: there is none */
} evname_metric_value;

/** Computes the value of each metric. `counts` is parallel to the events; if it is shorter, the
 * remaining events were not counted. `out` needs room for one value per metric. Parses nothing. */
EVNAME_API int evname_metrics_evaluate(const evname_metrics* metrics,
                                       const evname_event_count* counts, size_t counts_count,
                                       evname_metric_value* out, size_t room, evname_error* error);

/** Writes why a metric has no value for these counts, ended by NUL and cut off to `size` bytes; ""
 * if it has one. `needed` (which may be NULL) becomes the length of the whole text. Fails with
 * EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_metrics_explain(const evname_metrics* metrics, size_t index,
                                      const evname_event_count* counts, size_t counts_count,
                                      char* buffer, size_t size, size_t* needed,
                                      evname_error* error);

/* ---- Top-down trees ---- */

/** The top-down tree of a core: the uses of its issue slots and cycles. */
typedef struct evname_topdown evname_topdown;

/** Stands for no node of a tree. */
#define EVNAME_NO_NODE SIZE_MAX

/** The whole that the value of a node is a share of. */
enum evname_topdown_share {
  EVNAME_SHARE_UNKNOWN,
  EVNAME_SHARE_OF_SLOTS,
  EVNAME_SHARE_OF_CLOCKS,
  EVNAME_SHARE_OF_OPERATIONS,
  EVNAME_SHARE_OF_PARENT /**< of the stalled cycles of the node above */
};

/** A node of a tree. Texts live as long as the tree. */
typedef struct evname_topdown_node {
  const char* name;           /**< of its metric: "tma_l1_bound" */
  const char* desc;           /**< one sentence; may be "" */
  const char* threshold;      /**< the condition on which it is flagged; "": never */
  const char* problem;        /**< why this machine can't compute it; else "" */
  const char* const* samples; /**< events to sample if it is high, in the syntax of -e */
  size_t samples_count;       /**< number of samples */
  const size_t* events;       /**< events that it needs, as indexes of evname_topdown_event_at */
  size_t events_count;        /**< number of events */
  size_t parent;              /**< the node above it; EVNAME_NO_NODE at level 1 */
  uint32_t level;             /**< from 1 */
  uint32_t share;             /**< enum evname_topdown_share */
  uint64_t reserved[4];       /**< 0, for later */
} evname_topdown_node;

/** Builds the tree of a core PMU (NULL: of the first that has one). The machine and its facts come
 * from `metrics`, which evname_metrics_new() made; it may be freed. Fails with EVNAME_NOT_FOUND.
 * EVNAME_INVALID_ARGUMENT: `metrics` is a list. */
EVNAME_API int evname_topdown_new(const evname_metrics* metrics, const char* pmu,
                                  evname_topdown** out, evname_error* error);
/** Frees a tree. */
EVNAME_API void evname_topdown_free(evname_topdown* topdown);

/** Returns the number of nodes. */
EVNAME_API size_t evname_topdown_count(const evname_topdown* topdown);
/** Gets a node; parents come before their children. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_topdown_at(const evname_topdown* topdown, size_t index,
                                 evname_topdown_node* out);

/** Returns the number of distinct events of all nodes. */
EVNAME_API size_t evname_topdown_event_count(const evname_topdown* topdown);
/** Gets an event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_topdown_event_at(const evname_topdown* topdown, size_t index,
                                       evname_metric_event* out);

/** Computes every node, in percent. `counts` is parallel to the events; if it is shorter, the
 * remaining events were not counted. `values` and `flagged` (which may be NULL) need room for one
 * number for each node: NaN if it has no value; 1 if it and all nodes above it are beyond their
 * thresholds. Parses nothing. */
EVNAME_API int evname_topdown_evaluate(const evname_topdown* topdown,
                                       const evname_event_count* counts, size_t counts_count,
                                       double* values, uint8_t* flagged, size_t room,
                                       evname_error* error);

/** Returns the node to look at next: from level 1 downwards the flagged child with the largest
 * value, until none is flagged. EVNAME_NO_NODE: nothing is flagged. */
EVNAME_API size_t evname_topdown_next(const evname_topdown* topdown, const double* values,
                                      const uint8_t* flagged, size_t count);

/** Does the same as evname_metrics_explain for a node. */
EVNAME_API int evname_topdown_explain(const evname_topdown* topdown, size_t index,
                                      const evname_event_count* counts, size_t counts_count,
                                      char* buffer, size_t size, size_t* needed,
                                      evname_error* error);

#ifdef __cplusplus
}
#endif

#endif
