#ifndef EVNAME_H
#define EVNAME_H
/** @file
 * evname for C and for whatever calls C: PMU event names to perf_event_attr and back, and the
 * events and samples of perf.data.
 *
 * Threads: nothing has to be initialised. A machine, a recording and a list of events can be used
 * by several threads at once; an evname_samples by one at a time. Free a handle when nobody uses it
 * any more; to free NULL does nothing.
 *
 * Results: functions that can fail return an enum evname_status, EVNAME_OK being 0. `error`, always
 * the last parameter, may be NULL; it is written on failure only. Handles are set to NULL then.
 *
 * Pointers are not NULL, but where a comment allows it.
 *
 * Text: in and out, text ends with NUL. A `const char *` that is handed out is never NULL ("" if
 * there is nothing to say) and is as long-lived as the thing that its comment names. Where text
 * goes to a buffer of the caller, that is as with snprintf: what does not fit is cut off, NUL is
 * always written (unless the size is 0), and what would have been needed is told.
 *
 * ABI: structs keep their size and layout while the library's soname stays. Each of those that may
 * get more to tell ends with `reserved` words: the library sets them to 0 in what it hands out; set
 * them to 0 in what you hand in.
 */

#include <stddef.h>
#include <stdint.h>

#include "evname/code.h"
#include "evname/export.h"

/** Of this header: changes with the soname. */
#define EVNAME_VERSION_MAJOR 0
/** Of this header: something was added. */
#define EVNAME_VERSION_MINOR 1
/** Of this header: nothing was. */
#define EVNAME_VERSION_PATCH 0
/** All three. */
#define EVNAME_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/** EVNAME_VERSION of the library that runs, which may be later than that of this header. */
EVNAME_API const char* evname_version(void);

/* ---- Errors ---- */

/** What functions return. */
enum evname_status {
  EVNAME_OK = 0,
  EVNAME_INVALID_ARGUMENT = 1, /**< the text or value can't be used as it is: a syntax error, say */
  EVNAME_NOT_FOUND = 2,        /**< no such event, CPU, model, PMU or file */
  EVNAME_OUT_OF_RANGE = 3,     /**< a number or index does not fit the place it is meant for */
  EVNAME_CORRUPT = 4,          /**< bytes of a file contradict its format */
  EVNAME_IO = 5,               /**< the operating system refused */
  EVNAME_UNSUPPORTED = 6,      /**< well-formed, but this build can't do it */
  EVNAME_NO_MEMORY = 7,
  EVNAME_INTERNAL = 8 /**< a defect of the library; message says what is known */
};

/** There is no place in the text to point at. */
#define EVNAME_NO_OFFSET UINT64_MAX

/** One failure, in words for people; what is too long is cut off. */
typedef struct evname_error {
  int32_t status;    /**< enum evname_status */
  uint32_t padding;  /**< 0 */
  uint64_t offset;   /**< byte at which the text or the file is wrong; else EVNAME_NO_OFFSET */
  char message[320]; /**< what was wrong, one sentence */
  char where[256];   /**< file, file:line, file\@offset or place in the text; may be "" */
  char hint[256];    /**< what to try next; may be "" */
} evname_error;

/** "where: message (hint)". Returns the length of the whole text. */
EVNAME_API size_t evname_error_text(const evname_error* error, char* buffer, size_t size);

/** "not found"; "unknown status" for numbers that are none. Lives forever. */
EVNAME_API const char* evname_status_text(int status);

/* ---- Models: what this build knows ---- */

/** A model of the tables of this build. */
typedef struct evname_model {
  const char* arch;     /**< "x86", "arm64", … */
  const char* name;     /**< "skylakex", "arm/neoverse-n1": what evname_machine_named takes */
  uint64_t events;      /**< how many it has, on all its PMUs */
  uint64_t reserved[5]; /**< 0, for later */
} evname_model;

/** How many models this build has. */
EVNAME_API size_t evname_model_count(void);
/** In the order of architectures, then names. Texts live forever. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_model_at(size_t index, evname_model* out);

/* ---- Machines: what names are resolved against ---- */

/** What names are resolved against. */
typedef struct evname_machine evname_machine;

/** The machine this runs on. `sysfs` and `procfs` are the roots of trees that were captured
 * elsewhere; NULL: /sys and /proc. */
EVNAME_API int evname_machine_live(const char* sysfs, const char* procfs, evname_machine** out,
                                   evname_error* error);

/** A CPUID string of either spelling ("GenuineIntel-6-55-4", "GenuineIntel,6,85,4"), a model
 * ("skylakex", "arm/neoverse-n1"), a code name ("zen4") or the name of a core PMU as the kernel
 * spells it ("armv8_cortex_a72", "alderlake_hybrid"). `sysfs`: root of a tree whose PMUs it has;
 * NULL: those that this build describes. */
EVNAME_API int evname_machine_named(const char* cpu, const char* sysfs, evname_machine** out,
                                    evname_error* error);

/** The machine that a perf.data file or directory was recorded on. */
EVNAME_API int evname_machine_recorded(const char* path, evname_machine** out, evname_error* error);

/** The same machine with the events of a directory laid over those of this build, for a CPU newer
 * than it: a kernel-layout tree (ARCH/mapfile.csv, ARCH/MODEL/…json), a copy of Intel's perfmon
 * repository, or the JSON files of that CPU. `machine` stays as it is, and may be freed.
 * EVNAME_NOT_FOUND: the directory has no events for this CPU. */
EVNAME_API int evname_machine_with_events(const evname_machine* machine, const char* directory,
                                          evname_machine** out, evname_error* error);

/** Likewise evname_machine_named, for a CPU or model that only the directory may know. */
EVNAME_API int evname_machine_named_with_events(const char* cpu, const char* sysfs,
                                                const char* directory, evname_machine** out,
                                                evname_error* error);

/** Frees a machine. */
EVNAME_API void evname_machine_free(evname_machine* machine);

/** How the model was found. */
enum evname_matched_by {
  EVNAME_MATCHED_BY_NONE = 0,        /**< no table fits; only names that the kernel knows resolve */
  EVNAME_MATCHED_BY_CPUID = 1,       /**< the mapfile has the CPUID string */
  EVNAME_MATCHED_BY_NAME = 2,        /**< the caller named the model */
  EVNAME_MATCHED_BY_CAPS = 3,        /**< fallback: the PMU's pmu_name */
  EVNAME_MATCHED_BY_ARCHITECTURE = 4 /**< fallback: the architecture's standard events */
};

/** What a machine is, and how that was found out. */
typedef struct evname_cpu {
  const char* arch;     /**< as long as the machine, like the others */
  const char* cpuid;    /**< in lookup form; "" if unknown */
  const char* model;    /**< "" if no table fits */
  const char* note;     /**< a sentence where the model is a fallback; else "" */
  uint32_t matched_by;  /**< enum evname_matched_by */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[4]; /**< 0, for later */
} evname_cpu;

/** Tells what it is. */
EVNAME_API void evname_machine_cpu(const evname_machine* machine, evname_cpu* out);

/** What was left out when the machine was read, for people. "" after the last one. Lives as long
 * as the machine. */
EVNAME_API const char* evname_machine_warning(const evname_machine* machine, size_t index);

/** Of evname_pmu.flags. */
enum evname_pmu_flags {
  EVNAME_PMU_HAS_TYPE = 1, /**< `type` is known */
  EVNAME_PMU_CORE = 2,
  EVNAME_PMU_UNCORE = 4,
  EVNAME_PMU_PRESENT = 8 /**< the machine itself shows it; else only this build describes it */
};

/** One PMU as the machine knows it. */
typedef struct evname_pmu {
  const char* name;     /**< as long as the machine */
  const char* cpus;     /**< "0-3"; "": all, or not known; as long as the machine */
  uint32_t type;        /**< of perf_event_attr */
  uint32_t flags;       /**< enum evname_pmu_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_pmu;

/** How many PMUs it has. */
EVNAME_API size_t evname_pmu_count(const evname_machine* machine);
/** Core PMUs first. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_pmu_at(const evname_machine* machine, size_t index, evname_pmu* out);

/* ---- Names to codes ---- */

/** Of evname_attr.flags. */
enum evname_attr_flags {
  /* What the modifiers ask for; without modifiers none is set. */
  EVNAME_ATTR_EXCLUDE_USER = 1 << 1,
  EVNAME_ATTR_EXCLUDE_KERNEL = 1 << 2,
  EVNAME_ATTR_EXCLUDE_HV = 1 << 3,
  EVNAME_ATTR_EXCLUDE_HOST = 1 << 4,
  EVNAME_ATTR_EXCLUDE_GUEST = 1 << 5,
  EVNAME_ATTR_EXCLUDE_IDLE = 1 << 6,
  EVNAME_ATTR_PINNED = 1 << 7,
  EVNAME_ATTR_EXCLUSIVE = 1 << 8,
  EVNAME_ATTR_MODIFIERS =
      1 << 9 /**< there were modifiers, so that bits that are 0 are asked for, too */
};

/** What of perf_event_attr an event sets. */
typedef struct evname_attr {
  const char* pmu; /**< "cpu", "uncore_imc_0"; "hardware", "hw_cache", … for the generic types; as
                      long as the machine */
  evname_code code; /**< what is counted; of a breakpoint config[1] is bp_addr, config[2] bp_len */
  uint64_t
      period; /**< sample period that the event's table suggests; 0: none. Nobody sets it for you */
  uint32_t bp_type;    /**< of a breakpoint: read 1, write 2, execute 4 */
  uint32_t flags;      /**< enum evname_attr_flags */
  uint32_t precise_ip; /**< 0 to 3; for the modifier `P` 3, from which perf probes downwards */
  uint32_t
      leader; /**< index, among the attrs of one text, of its group's leader; its own: it leads */
  uint64_t reserved[4]; /**< 0, for later */
} evname_attr;

/** What `perf -e` takes ("mem_load_retired.l3_miss:u", "{cycles,cpu/event=0xc0/}") to an attr for
 * each event and PMU that it stands for. `count` is set to how many there are; those that are more
 * than `room` are left out. One name of the tables, with or without modifiers, takes no allocation.
 */
EVNAME_API int evname_resolve(const evname_machine* machine, const char* text, evname_attr* out,
                              size_t room, size_t* count, evname_error* error);

/** What became of one text of several. */
typedef struct evname_answer {
  size_t first;         /**< index of its first attr */
  size_t count;         /**< how many attrs it stands for; 0 if it failed */
  int32_t status;       /**< enum evname_status */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[2]; /**< 0, for later */
} evname_answer;

/** Each of `texts` by itself: one that fails does not keep the others from being resolved. The
 * attrs of all go to `out` one text after the other, and `total` is set to how many there are, of
 * which those beyond `room` are left out. `answers` and, unless it is NULL, `errors` have an
 * element per text; that of a text which did not fail has the status EVNAME_OK. Returns the
 * first failure.
 */
EVNAME_API int evname_resolve_batch(const evname_machine* machine, const char* const* texts,
                                    size_t texts_count, evname_attr* out, size_t room,
                                    size_t* total, evname_answer* answers, evname_error* errors);

/** Writes what the event says, and nothing else, to a struct perf_event_attr of `size` bytes
 * (sizeof, at least 64 of them): type, config; config1 to config4 (for a breakpoint with
 * bp_type) where the struct has them; the exclude_*, pinned and exclusive bits and precise_ip that
 * modifiers ask for, which are added to what is set there; and the member `size` where it is 0. The
 * rest is policy and stays as it is: sample_period, sample_type, disabled, inherit, …
 * EVNAME_NOT_FOUND: the type is not known. EVNAME_OUT_OF_RANGE: the event needs a member that a
 * struct of this size does not have. Nothing is written then. */
EVNAME_API int evname_attr_fill(const evname_attr* attr, void* perf_event_attr, size_t size,
                                evname_error* error);

/* ---- Codes to names ---- */

/** The best of the names that have exactly this code, on the PMU of that name, whatever the code's
 * type, or (`pmu` is NULL) on the PMU of the type; "" if none has. Lives as long as the machine.
 * By type, it takes no allocation but for the first code of each PMU. */
EVNAME_API const char* evname_exact_name(const evname_machine* machine, const char* pmu,
                                         const evname_code* code);

/** All of them; the texts are in the caller's buffer. */
typedef struct evname_names {
  const char* names;      /**< best first, each after the NUL of the one before */
  size_t count;           /**< 0: no name has this code, not even with qualifiers */
  const char* qualifiers; /**< what has to be added to the names: "cmask=0x1,inv=1"; "" if exact */
  const char* pmu;        /**< "cpu" */
  const char* terms;      /**< the exact term form, "event=0xd1,umask=0x20": always right */
  int32_t exact;          /**< 1: the names have exactly this code */
  uint32_t padding;       /**< 0 */
  uint64_t reserved[3];   /**< 0, for later */
} evname_names;

/** `needed` (may be NULL) is set to how many bytes all texts take. If there is less room, nothing
 * is written to the buffer, all texts are "" and the count is what it would be. */
EVNAME_API int evname_names_of(const evname_machine* machine, const char* pmu,
                               const evname_code* code, evname_names* out, char* buffer,
                               size_t size, size_t* needed, evname_error* error);

/* ---- The events of a machine ---- */

/** A list of events. */
typedef struct evname_events evname_events;

/** Of evname_event.flags. */
enum evname_event_flags {
  EVNAME_EVENT_DEPRECATED = 1,
  EVNAME_EVENT_PER_PACKAGE = 2,
  EVNAME_EVENT_OF_SYSFS = 4 /**< of the machine's sysfs, not of a table */
};

/** One event that can be named on a machine. */
typedef struct evname_event {
  const char* name;      /**< as long as the list, like the others */
  const char* pmu;       /**< as in the tables: "cpu", "uncore_imc" (no instance number) */
  const char* topic;     /**< "memory"; "" for sysfs events */
  const char* terms;     /**< "event=0xd1,period=100007,umask=0x20" */
  const char* desc;      /**< one sentence; may be "" */
  const char* long_desc; /**< "" where there is no more to say */
  const char* unit;      /**< of a scaled count ("Bytes") */
  const char* model;     /**< where it was found */
  double scale;          /**< a count times this is in `unit` */
  uint32_t flags;        /**< enum evname_event_flags */
  uint32_t padding;      /**< 0 */
  uint64_t reserved[4];  /**< 0, for later */
} evname_event;

/** Those whose name matches the glob (any case; NULL: all), sorted by PMU, then name. */
EVNAME_API int evname_events_list(const evname_machine* machine, const char* glob,
                                  evname_events** out, evname_error* error);
/** How many there are. */
EVNAME_API size_t evname_events_count(const evname_events* events);
/** EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_events_at(const evname_events* events, size_t index, evname_event* out);
/** Frees a list. */
EVNAME_API void evname_events_free(evname_events* events);

/* ---- Recordings ---- */

/** A perf.data. */
typedef struct evname_recording evname_recording;

/** A perf.data file, a directory of `perf record --threads`, what `perf record -o -` wrote, or "-":
 * standard input. Fails only where nothing at all can be read. The file must not be shortened while
 * it is open. */
EVNAME_API int evname_recording_open(const char* path, evname_recording** out, evname_error* error);
/** Closes a recording. */
EVNAME_API void evname_recording_free(evname_recording* recording);

/** Where it was recorded. As long as the recording; not to be freed. */
EVNAME_API const evname_machine* evname_recording_machine(const evname_recording* recording);

/** What is wrong with the file, for people. "" after the last one. Lives as long as the recording.
 */
EVNAME_API const char* evname_recording_warning(const evname_recording* recording, size_t index);

/** Who named a recorded event. */
enum evname_named_by {
  EVNAME_NAMED_BY_RECORDING = 0, /**< what the user or perf called it */
  EVNAME_NAMED_BY_KERNEL = 1,    /**< a generic event as perf spells it */
  EVNAME_NAMED_BY_TABLES = 2,    /**< the machine's tables have that very code */
  EVNAME_NAMED_BY_CODE = 3       /**< nobody: the code is spelled out */
};

/** One event of a recording. */
typedef struct evname_recorded_event {
  const char* name; /**< symbolic, without modifiers; as long as the recording, like the others */
  const char* recorded_name; /**< as perf prints it, with modifiers: "r11:u" */
  const char* modifiers;     /**< "u", "ppp" */
  const char* pmu;           /**< "cpu", "hardware", …; "type N" if unnamed */
  const uint64_t* ids;       /**< that samples of the event carry */
  size_t ids_count;          /**< how many */
  evname_code code;          /**< of its attr */
  uint64_t sample_type;      /**< PERF_SAMPLE_… bits: what its samples tell */
  int32_t exact;             /**< 0: no name has exactly this code, `name` spells it out */
  uint32_t named_by;         /**< enum evname_named_by */
  uint64_t reserved[4];      /**< 0, for later */
} evname_recorded_event;

/** How many events it has. */
EVNAME_API size_t evname_recorded_event_count(const evname_recording* recording);
/** EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_recorded_event_at(const evname_recording* recording, size_t index,
                                        evname_recorded_event* out);

/* ---- Samples ---- */

/** A pass over the samples of a recording. */
typedef struct evname_samples evname_samples;

/** How to go through samples. */
enum evname_samples_flags {
  EVNAME_SAMPLES_FILE_ORDER = 1, /**< the order of records in the file, instead of time */
  EVNAME_SAMPLES_SALVAGE = 2 /**< after damage, go on at the next place that looks like records */
};

/** Of evname_sample.fields. */
enum evname_sample_fields {
  EVNAME_SAMPLE_TID = 1, /**< pid, tid and comm */
  EVNAME_SAMPLE_CPU = 1 << 1,
  EVNAME_SAMPLE_TIME = 1 << 2,
  EVNAME_SAMPLE_IP = 1 << 3,
  EVNAME_SAMPLE_ADDR = 1 << 4,
  EVNAME_SAMPLE_ID = 1 << 5,
  EVNAME_SAMPLE_WEIGHT = 1 << 6,
  EVNAME_SAMPLE_DATA_SRC = 1 << 7,
  EVNAME_SAMPLE_TRANSACTION = 1 << 8,
  EVNAME_SAMPLE_PHYS_ADDR = 1 << 9,
  EVNAME_SAMPLE_CGROUP = 1 << 10,
  EVNAME_SAMPLE_DATA_PAGE_SIZE = 1 << 11,
  EVNAME_SAMPLE_CODE_PAGE_SIZE = 1 << 12,
  EVNAME_SAMPLE_CALLCHAIN = 1 << 13
};

/** One sample. */
typedef struct evname_sample {
  uint64_t event;  /**< index of its event: evname_recorded_event_at */
  uint64_t period; /**< the event's where the sample has none */
  uint64_t fields; /**< enum evname_sample_fields: which of the following are there; others are 0 */
  uint64_t time;   /**< ns of the recording's clock */
  uint64_t ip;     /**< of the instruction */
  uint64_t addr;   /**< that the event is about */
  uint64_t id;     /**< the kernel's, of the event */
  uint64_t weight; /**< mostly a latency in cycles */
  uint64_t data_src;       /**< union perf_mem_data_src */
  uint64_t transaction;    /**< PERF_TXN_… bits */
  uint64_t phys_addr;      /**< of the data */
  uint64_t cgroup;         /**< its id */
  uint64_t data_page_size; /**< bytes */
  uint64_t code_page_size; /**< bytes */
  const char* comm;        /**< name of the thread at that time, ":TID" if not told; as long as the
                              evname_samples */
  const uint64_t*
      callchain;          /**< return addresses, leaf first, with perf's context markers (from
                             UINT64_MAX - 4094 on); until the next call with this evname_samples */
  size_t callchain_count; /**< how many addresses */
  int32_t pid;            /**< process */
  int32_t tid;            /**< thread */
  uint32_t cpu;           /**< where it was taken */
  uint32_t misc;          /**< of the record: bits 0 to 2 are PERF_RECORD_MISC_CPUMODE */
  uint64_t reserved[8];   /**< 0, for later */
} evname_sample;

/** Goes through all samples, in constant memory. `flags`: enum evname_samples_flags. The recording
 * may be freed meanwhile. What comes through a pipe can be gone through once. Freeing it early is
 * fine. */
EVNAME_API int evname_samples_open(const evname_recording* recording, uint32_t flags,
                                   evname_samples** out, evname_error* error);
/** Ends a pass. */
EVNAME_API void evname_samples_free(evname_samples* samples);

/** 1: here is the next one. 0: there are no more. Below 0: a status of the above, negated; there
 * are no more. */
EVNAME_API int evname_samples_next(evname_samples* samples, evname_sample* out);

/** What the pass met so far. Nothing of it stops a pass. */
typedef struct evname_tally {
  uint64_t samples; /**< read; one of counter values (`:S`) is handed out as one of each event it
                       counts */
  uint64_t unknown_ids; /**< samples of no event of the file: not handed out */
  uint64_t malformed;   /**< samples shorter than their event says: not handed out */
  uint64_t lost;        /**< samples the recorder reports as lost */
  uint64_t reserved[4]; /**< 0, for later */
} evname_tally;

/** Tells what was met so far. */
EVNAME_API void evname_samples_tally(const evname_samples* samples, evname_tally* out);

/** What was wrong with the records, for people; told at the end of the samples. "" after the last
 * one. Lives as long as the evname_samples. */
EVNAME_API const char* evname_samples_warning(const evname_samples* samples, size_t index);

#ifdef __cplusplus
}
#endif

#endif
