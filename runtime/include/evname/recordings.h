#ifndef EVNAME_RECORDINGS_H
#define EVNAME_RECORDINGS_H
/** @file
 * This header declares recordings of perf with their events and samples, and the outputs made from
 * them: text, reports, functions, profiles and new recordings. The rules of evname.h apply.
 */

#include "evname/decoded.h"
#include "evname/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Recordings ---- */

/** A recording of perf. */
typedef struct evname_recording evname_recording;

/** Opens a perf.data file, a directory of `perf record --threads`, the output of
 * `perf record -o -`, or "-" for standard input. Fails only if nothing at all can be read. The file
 * must not be truncated while it is open. */
EVNAME_API int evname_recording_open(const char* path, evname_recording** out, evname_error* error);
/** Does the same with flags (enum evname_open_flags). EVNAME_INVALID_ARGUMENT: unknown flags. */
EVNAME_API int evname_recording_open_with(const char* path, uint32_t flags, evname_recording** out,
                                          evname_error* error);
/** Does the same for a recording whose bytes are in memory: a file, or the output of
 * `perf record -o -`. The bytes are copied. `name` is its path in messages. */
EVNAME_API int evname_recording_open_bytes(const void* bytes, size_t size, const char* name,
                                           uint32_t flags, evname_recording** out,
                                           evname_error* error);
/** Does the same for a descriptor: a file is mapped as a whole, a pipe is read from where it is. It
 * stays the caller's, who may close it at once. */
EVNAME_API int evname_recording_open_descriptor(int descriptor, const char* name, uint32_t flags,
                                                evname_recording** out, evname_error* error);
/** Closes a recording. */
EVNAME_API void evname_recording_free(evname_recording* recording);

/** Returns the machine that the recording was made on. It belongs to the recording: do not free it.
 */
EVNAME_API const evname_machine* evname_recording_machine(const evname_recording* recording);

/** Returns a warning about the file; "" after the last one. Lives as long as the recording. */
EVNAME_API const char* evname_recording_warning(const evname_recording* recording, size_t index);

/** The sources of names of recorded events. */
enum evname_named_by {
  EVNAME_NAMED_BY_RECORDING = 0, /**< the name that the user or perf gave it */
  EVNAME_NAMED_BY_KERNEL = 1,    /**< a generic event as perf spells it */
  EVNAME_NAMED_BY_TABLES = 2,    /**< the machine's tables have that very code */
  EVNAME_NAMED_BY_CODE = 3       /**< nowhere: the code is spelled out */
};

/** An event of a recording. Texts and `ids` live as long as the recording. */
typedef struct evname_recorded_event {
  const char* name;                 /**< symbolic, without modifiers; "cpu_core/cycles/" if another
                                         PMU of the recording or its machine has the name */
  const char* recorded_name;        /**< as perf prints it, with modifiers: "r11:u" */
  const char* modifiers;            /**< "u", "ppp" */
  const char* pmu;                  /**< "cpu", "hardware", …; "type N" if unnamed */
  const uint64_t* ids;              /**< the kernel's ids, found in the event's samples */
  size_t ids_count;                 /**< number of ids */
  evname_code code;                 /**< the code of its attr */
  uint64_t sample_type;             /**< PERF_SAMPLE_… bits: the fields of its samples */
  int32_t exact;                    /**< 0: no name has exactly this code; `name` spells it out */
  uint32_t named_by;                /**< enum evname_named_by */
  uint64_t user_register_mask;      /**< a bit for each of a sample's user_registers */
  uint64_t interrupt_register_mask; /**< a bit for each of its interrupt_registers */
  uint64_t reserved[2];             /**< 0, for later */
} evname_recorded_event;

/** Returns the number of events. */
EVNAME_API size_t evname_recorded_event_count(const evname_recording* recording);
/** Gets an event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_recorded_event_at(const evname_recording* recording, size_t index,
                                        evname_recorded_event* out);

/* ---- Samples ---- */

/** Gets the number of bytes read so far and their total (0: unknown). If it returns other than 0,
 * the call ends. */
typedef int (*evname_progress)(void* context, uint64_t done, uint64_t total);

/** A pass over the samples of a recording. */
typedef struct evname_samples evname_samples;

/** Flags of evname_samples_open and evname_filter: how samples are read. */
enum evname_samples_flags {
  EVNAME_SAMPLES_FILE_ORDER = 1, /**< in the order of the file, not of time */
  EVNAME_SAMPLES_SALVAGE = 2     /**< after damage, continue at the next place that looks like
                                    records */
};

/** Bits of evname_sample.fields: one for each number and each list that a sample may lack.
 * EVNAME_SAMPLE_TID stands for `comm`, too. */
enum evname_sample_fields {
  EVNAME_SAMPLE_TID = 1 << 0,
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
  EVNAME_SAMPLE_CALLCHAIN = 1 << 13,
  EVNAME_SAMPLE_PID = 1 << 14,
  EVNAME_SAMPLE_INS_LAT = 1 << 15,
  EVNAME_SAMPLE_RETIRE_LAT = 1 << 16,
  EVNAME_SAMPLE_BRANCHES = 1 << 17,
  EVNAME_SAMPLE_BRANCH_COUNTERS = 1 << 18,
  EVNAME_SAMPLE_USER_REGISTERS = 1 << 19,
  EVNAME_SAMPLE_INTERRUPT_REGISTERS = 1 << 20
};

/** A sample. Numbers and lists that it does not have are 0. Lists and `raw` are valid until the
 * next call with this evname_samples. */
typedef struct evname_sample {
  uint64_t event;          /**< index of its event: evname_recorded_event_at */
  uint64_t fields;         /**< enum evname_sample_fields: the fields that it has */
  const char* comm;        /**< name of the thread at that time, ":TID" if unknown; lives as long as
                              the evname_samples */
  const char* cgroup_path; /**< "" if it is unknown; lives as long as the evname_samples */
  const void* raw;         /**< raw data, such as the fields of a tracepoint */
  size_t raw_size;         /**< number of bytes; 0: there are none */
  int32_t pid;             /**< process */
  int32_t tid;             /**< thread */
  uint32_t cpu;            /**< CPU */
  uint32_t misc;           /**< mode of the CPU, as PERF_RECORD_MISC_* bits of the record header */
  uint64_t time;           /**< time by the recording's clock, in ns */
  uint64_t period; /**< how many of the events it stands for; the event's if the sample has none */
  uint64_t transaction;      /**< flags of a transaction's abort, as PERF_TXN_* bits */
  uint64_t id;               /**< the kernel's id of the event */
  uint64_t addr;             /**< address that the event is about */
  uint64_t data_src;         /**< where data came from, as union perf_mem_data_src */
  uint64_t weight;           /**< cost: mostly a latency in cycles */
  uint32_t ins_lat;          /**< latency of the instruction, in cycles */
  uint32_t retire_lat;       /**< cycles until it retired */
  uint64_t cgroup;           /**< id of the cgroup */
  uint64_t ip;               /**< address of the instruction */
  uint64_t phys_addr;        /**< physical address */
  uint64_t data_page_size;   /**< page size of the data, in bytes */
  uint64_t code_page_size;   /**< page size of the code, in bytes */
  const uint64_t* callchain; /**< return addresses, leaf first, with perf's context markers (from
                                UINT64_MAX - 4094 on) */
  size_t callchain_count;    /**< number of words */
  const uint64_t* branches;  /**< from, to and flags of each branch, newest first */
  size_t branches_count;     /**< number of words */
  const uint64_t* branch_counters; /**< counts of the group's events in each branch, by the PMU's
                                      caps branch_counter_* */
  size_t branch_counters_count;    /**< number of words */
  const uint64_t* user_registers;  /**< registers of user space, lowest bit of the event's mask
                                      first */
  size_t user_registers_count;     /**< number of words */
  const uint64_t* interrupt_registers; /**< registers at the interrupt, lowest bit of the event's
                                          mask first */
  size_t interrupt_registers_count;    /**< number of words */
  uint64_t reserved[8];                /**< 0, for later */
} evname_sample;

/** Begins a pass over all samples, in constant memory. `flags`: enum evname_samples_flags. The
 * recording may be freed before the pass ends, and the pass before its last sample. A recording
 * that comes through a pipe can be read only once. */
EVNAME_API int evname_samples_open(const evname_recording* recording, uint32_t flags,
                                   evname_samples** out, evname_error* error);
/** Does the same with `progress`, which may be NULL and is called with `context` as by a filter,
 * but by evname_samples_next and evname_records_next. They return -EVNAME_CANCELLED if it ends the
 * pass.
 */
EVNAME_API int evname_samples_open_with(const evname_recording* recording, uint32_t flags,
                                        evname_progress progress, void* context,
                                        evname_samples** out, evname_error* error);
/** Ends a pass. */
EVNAME_API void evname_samples_free(evname_samples* samples);

/** Gets the next sample. Returns 1 if there is one, 0 at the end, and the negated enum
 * evname_status on failure, which also ends the pass. */
EVNAME_API int evname_samples_next(evname_samples* samples, evname_sample* out);

/** Bits of evname_record.fields: one for each row of record_fields.def. */
enum evname_record_fields {
#define EVNAME_RECORD_NUMBER(name, NAME, ...) EVNAME_RECORD_BIT_##NAME,
#define EVNAME_RECORD_BYTES(name, NAME, ...) EVNAME_RECORD_BIT_##NAME,
#define EVNAME_RECORD_WORDS(name, NAME, ...) EVNAME_RECORD_BIT_##NAME,
#include "evname/record_fields.def"
};

/** A record of any type. record_fields.def describes its numbers, its texts and bytes, such as
 * `name` with `name_size`, and its lists, such as `words` with `words_count`. Fields that it does
 * not have are 0 and have no bit in `fields`; if it has `bytes` alone, its type has no fields, or
 * it is too short for them. Texts do not end with NUL. All is valid until the next call with this
 * evname_samples. */
typedef struct evname_record {
  uint32_t type;               /**< PERF_RECORD_*: 9 is a sample */
  uint32_t misc;               /**< PERF_RECORD_MISC_* */
  uint64_t fields;             /**< 1 << enum evname_record_fields: the fields that it has */
  uint64_t event;              /**< index of its event; UINT64_MAX: unknown */
  uint64_t place;              /**< offset in the file or in unpacked records */
  const evname_sample* sample; /**< the sample; NULL: it is another record */
#define EVNAME_RECORD_NUMBER(name, NAME, type, ...) type name;
#define EVNAME_RECORD_BYTES(name, NAME, type, ...) \
  const type* name;                                \
  size_t name##_size;
#define EVNAME_RECORD_WORDS(name, ...) \
  const uint64_t* name;                \
  size_t name##_count;
#include "evname/record_fields.def"
} evname_record;

/** Gets the next record, whether it is a sample or not; evname_samples_next skips those that are
 * not. Records come in the same order as samples, but records without a time come as they are read,
 * before those that wait for their turn. Live samples come alone. Returns as evname_samples_next.
 */
EVNAME_API int evname_records_next(evname_samples* samples, evname_record* out);

/** Returns the name of a type of records as perf has it: "MMAP2"; "UNKNOWN" for others. Static. */
EVNAME_API const char* evname_record_name(uint32_t type);

/** A value of a field of a tracepoint's sample. Its text lives as long as `raw`. */
typedef struct evname_field {
  const char* text;  /**< a text, not ended by NUL; NULL: a number or an array */
  size_t text_size;  /**< its bytes */
  int64_t number;    /**< of a number, or of the item of an array; its bits if it is unsigned */
  size_t count;      /**< number of items of an array; 0: not an array */
  int32_t is_signed; /**< 1: `number` is signed */
  uint32_t padding;  /**< 0 */
} evname_field;

/** Gets a field of a tracepoint's sample, such as "prev_state", by the formats that the recording
 * has. `event`, `raw` and `raw_size` come from the evname_sample; `raw` may be a copy. `index` is
 * the item of an array, else 0. EVNAME_NOT_FOUND: the event has no such field, or the sample is too
 * short. EVNAME_OUT_OF_RANGE: the array has fewer items. */
EVNAME_API int evname_sample_field(const evname_recording* recording, uint64_t event,
                                   const void* raw, size_t raw_size, const char* name, size_t index,
                                   evname_field* out);

/** Returns the name of a marker in a callchain, such as "PERF_CONTEXT_USER"; "" for an address. The
 * addresses that follow a marker, up to the next one, are in that part of the machine. Static. */
EVNAME_API const char* evname_context_name(uint64_t word);

/** The numbers that a pass has counted so far. No problem that is counted here ends the pass. */
typedef struct evname_tally {
  uint64_t samples; /**< read; one with counter values (`:S`) is passed on as one of each event it
                       counts */
  uint64_t unknown_ids; /**< samples of no event of the file: skipped */
  uint64_t malformed;   /**< samples shorter than their event requires: skipped */
  uint64_t lost;        /**< samples that the recorder reported as lost */
  uint64_t selected;    /**< accepted by the filter of evname_annotate or a report; 0 if there is
                             no filter, as in evname_samples */
  uint64_t reserved[3]; /**< 0, for later */
} evname_tally;

/** Gets the numbers that the pass has counted so far. Fails only with EVNAME_NO_MEMORY. */
EVNAME_API int evname_samples_tally(const evname_samples* samples, evname_tally* out);

/** Returns a warning about the records; "" after the last one. All are there only at the end of the
 * pass. Lives as long as the evname_samples. */
EVNAME_API const char* evname_samples_warning(const evname_samples* samples, size_t index);

/* ---- Selecting samples ---- */

/** A range of times of the recording's clock; both ends are inclusive. */
typedef struct evname_time_range {
  uint64_t first; /**< ns */
  uint64_t last;  /**< ns */
} evname_time_range;

/** Parses times in the syntax of `perf script --time` ("12.5,13", "10%-20%"). Shares become times
 * of this recording. `count` is set to the number of ranges; ranges beyond `room` are not written.
 * Fails with EVNAME_INVALID_ARGUMENT. EVNAME_NOT_FOUND: shares are requested and the recording does
 * not contain the times of its first and last sample. */
EVNAME_API int evname_parse_times(const evname_recording* recording, const char* text,
                                  evname_time_range* out, size_t room, size_t* count,
                                  evname_error* error);

/** The kinds of sampled operations, as bits of evname_filter.operations. */
enum evname_sampled_operation {
  EVNAME_OPERATION_LOAD = 1,     /**< the sample's data_src describes a load */
  EVNAME_OPERATION_STORE = 2,    /**< of a store */
  EVNAME_OPERATION_PREFETCH = 4, /**< of a prefetch */
  EVNAME_OPERATION_BRANCH = 8    /**< the sample is a branch of SPE */
};

/** A filter selects samples: an empty list accepts all, and a sample must satisfy all lists that
 * are set. Zeroed, it accepts all samples. */
typedef struct evname_filter {
  const char* event;              /**< glob for event names, ignoring case; NULL: all */
  const uint32_t* cpus;           /**< the sample must match one */
  size_t cpus_count;              /**< number of CPUs */
  const int32_t* pids;            /**< the sample must match one */
  size_t pids_count;              /**< number of processes */
  const int32_t* tids;            /**< the sample must match one */
  size_t tids_count;              /**< number of threads */
  const char* const* comms;       /**< the sample must match one */
  size_t comms_count;             /**< number of names */
  const evname_time_range* times; /**< the sample must match one */
  size_t times_count;             /**< number of ranges */
  uint32_t samples_flags;         /**< enum evname_samples_flags: how to read the recording */
  uint32_t jobs;                  /**< maximum number of threads to use; 0: one per core */
  const char* sym; /**< glob for a function at the sample's address, also one inlined there;
                        NULL: all */
  const char* dso; /**< glob for the file that has the address, with or without its directory;
                        NULL: all */
  const char* time_parts; /**< times in the syntax of evname_parse_times; shares are of the time of
                               each recording; NULL: all */
  uint64_t min_latency;   /**< the least evname_sample.weight; 0: all; EVNAME_NOT_FOUND if no event
                               samples it */
  uint32_t operations;    /**< enum evname_sampled_operation: the sample must be of one; 0: all;
                               EVNAME_NOT_FOUND if no event samples data_src */
  uint32_t padding;       /**< 0 */
  /** Called at the beginning and then now and then with `progress_context`, the number of bytes
   * read so far and their total (0: unknown), from any thread, one call at a time. If it returns
   * other than 0, the call fails with EVNAME_CANCELLED, no file is written, and a report is as
   * before. NULL: none. */
  evname_progress progress;
  void* progress_context; /**< for `progress`; a report needs both as long as it is added to */
  uint64_t reserved[4];   /**< 0, for later */
} evname_filter;

/* ---- Samples as text ---- */

/** Output format of samples. */
enum evname_format {
  EVNAME_FORMAT_TEXT = 0,  /**< perf script's layout */
  EVNAME_FORMAT_CSV = 1,   /**< RFC 4180, with a header */
  EVNAME_FORMAT_JSONL = 2, /**< one JSON object per line */
  EVNAME_FORMAT_FOLDED = 3 /**< "event;comm;root;…;leaf count": input for flame graph tools */
};

/** Flags of evname_annotate_options. */
enum evname_annotate_flags {
  EVNAME_ANNOTATE_RECORDED_NAMES = 1, /**< text: name events as perf script does */
  EVNAME_ANNOTATE_COUNT_PERIODS = 2   /**< folded: sum periods instead of samples */
};

/** Options of evname_annotate. Zeroed, they ask for all samples, as text with the default fields.
 */
typedef struct evname_annotate_options {
  const char* fields;   /**< "comm,pid,ip", or "+ip,-tid" to change the default; NULL: default */
  uint64_t limit;       /**< maximum number of samples to write; 0: all */
  uint32_t format;      /**< enum evname_format */
  uint32_t flags;       /**< enum evname_annotate_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_annotate_options;

/** Writes the samples to the file descriptor `file`, which stays open. `options`, `filter` and
 * `tally` may be NULL. <evname/annotate.hpp> documents the keys of CSV and JSON.
 * EVNAME_NOT_FOUND: no event samples a requested field. EVNAME_IO: the output could not be written.
 */
EVNAME_API int evname_annotate(const evname_recording* recording,
                               const evname_annotate_options* options, const evname_filter* filter,
                               int file, evname_tally* tally, evname_error* error);

/* ---- Reports ---- */

/** A report adds samples up by event, file, thread, CPU, cgroup or function. One thread at a time
 * may use it. */
typedef struct evname_report evname_report;

/** Makes an empty report. `keys` distinguish its rows: "event,comm", or any other keys of
 * evname::SortKey (<evname/report.hpp>), or fields of tracepoints with their event:
 * "sched:sched_switch.prev_comm". NULL: "event". `filter` may be NULL.
 * EVNAME_INVALID_ARGUMENT: there is no such key. */
EVNAME_API int evname_report_new(const char* keys, const evname_filter* filter, evname_report** out,
                                 evname_error* error);
/** Frees a report. */
EVNAME_API void evname_report_free(evname_report* report);

/** Adds the samples of a recording. Rows with the same keys are merged, whatever their recording.
 * `tally` may be NULL. EVNAME_NOT_FOUND: the filter is by CPU, and an event does not sample it. */
EVNAME_API int evname_report_add(evname_report* report, const evname_recording* recording,
                                 evname_tally* tally, evname_error* error);

/** A row adds up the samples that have the same value of each key. */
typedef struct evname_report_row {
  const char* const*
      keys;          /**< one value per key, "-": not sampled; valid until samples are added */
  size_t keys_count; /**< number of keys */
  uint64_t samples;  /**< number of samples */
  uint64_t period;   /**< sum of their periods: an estimate of the event's count */
  double share; /**< 0 to 1, of all samples or, if "event" is one of several keys, of the event's */
  uint64_t first;       /**< time of the first sample in ns; first > last if no sample has a time */
  uint64_t last;        /**< time of the last sample in ns */
  uint64_t lost;        /**< samples that the kernel reported as lost; only by event (and file) */
  uint64_t throttled;   /**< how often the kernel throttled the event; likewise */
  uint64_t of;          /**< the number of samples that `share` is a share of */
  uint64_t reserved[3]; /**< 0, for later */
} evname_report_row;

/** Returns the number of rows. */
EVNAME_API size_t evname_report_row_count(const evname_report* report);
/** Gets a row. Rows are sorted by falling number of samples, then by keys; if "event" is one of
 * several keys, the rows of an event are adjacent. With "event", an event without samples has a
 * row, too; its other keys are "-". Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_report_row_at(const evname_report* report, size_t index,
                                    evname_report_row* out);

/* ---- Functions ---- */

/** Flags of evname_symbol_options. */
enum evname_symbols_flags {
  EVNAME_SYMBOLS_NO_LINES = 1,   /**< no source and line */
  EVNAME_SYMBOLS_NO_INLINES = 2, /**< no frames of inlined functions */
  EVNAME_SYMBOLS_MANGLED = 4,    /**< names of C++ and Rust as the linker knows them */
  EVNAME_SYMBOLS_DEBUGINFOD = 8  /**< ask the servers of $DEBUGINFOD_URLS for missing files */
};

/** Options for looking for symbols. Zeroed, they have perf's defaults. */
typedef struct evname_symbol_options {
  const char* symfs;          /**< goes before the path of each file; NULL: nothing */
  const char* vmlinux;        /**< the kernel's image; NULL: looked for */
  const char* kallsyms;       /**< instead of /proc/kallsyms; NULL: looked for */
  const char* kernel_release; /**< release of the recorded kernel, as uname -r prints it; NULL: from
                                 the recording in reports and profiles, else from this machine */
  const char* cache;          /**< perf's cache of files; NULL: ~/.debug */
  uint64_t flags;             /**< enum evname_symbols_flags */
  uint64_t reserved[4];       /**< 0, for later */
} evname_symbol_options;

/** An evname_symbols finds functions at addresses. It reads each file once, when it is first asked
 * for an address in it. A file with a known build id is used only if the mapping has the same. Any
 * number of threads may use it at once, each with its own evname_frames. */
typedef struct evname_symbols evname_symbols;

/** Makes an evname_symbols, which has read nothing yet. `options` may be NULL.
 * EVNAME_INVALID_ARGUMENT: unknown flags. */
EVNAME_API int evname_symbols_new(const evname_symbol_options* options, evname_symbols** out,
                                  evname_error* error);
/** Frees an evname_symbols. */
EVNAME_API void evname_symbols_free(evname_symbols* symbols);

/** A mapping of a file into memory, as MMAP2 records of a recording describe it. */
typedef struct evname_mapping {
  const char* file;        /**< path, or a name as "[vdso]" or "[kernel.kallsyms]" */
  const uint8_t* build_id; /**< of the file; NULL: unknown */
  size_t build_id_size;    /**< its bytes */
  uint64_t start;          /**< address of its first byte */
  uint64_t end;            /**< address after its last byte */
  uint64_t offset;         /**< of the first byte in the file; kernel: the address of _text, or 0 */
  const char* jitdump;     /**< file of the process' JIT compiler: ".../jit-PID.dump"; NULL: none */
  int32_t pid;             /**< the process, for functions of JIT compilers; -1: unknown */
  uint32_t kernel;         /**< 1: the kernel or one of its modules */
  /** Build id of the kernel that ran the process; "[vdso]" is this machine's if its kernel is the
   * same. NULL: unknown. */
  const uint8_t* kernel_build_id;
  size_t kernel_build_id_size; /**< its bytes */
  const char* kernel_release;  /**< of that kernel, as uname -r prints it; NULL: unknown */
  /** The time of the sample, for code that a JIT compiler replaced by other code: ns of
   * CLOCK_MONOTONIC. 0: unknown; code is then named only if the address never had other code. */
  uint64_t time;
  uint64_t counter; /**< the same as a count of the CPU's counter, which some dumps have */
} evname_mapping;

/** Flags of evname_frame. */
enum evname_frame_flags {
  EVNAME_FRAME_INLINED = 1,        /**< its caller is the frame that follows */
  EVNAME_FRAME_HAS_DEBUG_INFO = 2, /**< the file has lines, though perhaps not of this address */
  EVNAME_FRAME_KERNEL = 4          /**< the kernel or one of its modules */
};

/** A function at an address. Texts live as long as the list is not changed. */
typedef struct evname_frame {
  const char* function; /**< "": no symbol is known */
  const char* source;   /**< path of the source file; "": unknown */
  uint64_t offset;      /**< of the address from the start of the function's symbol */
  uint64_t address;     /**< in the file's own addresses, as objdump prints them */
  uint32_t line;        /**< in `source`; 0: unknown */
  uint32_t flags;       /**< enum evname_frame_flags */
  const char*
      dso; /**< file that has the address, as perf names it; "[unknown]" if no mapping is known */
  uint64_t ip;          /**< the address in the process or the kernel */
  const char* label;    /**< `function`; if it is unknown, "libc.so.6+0x1234" or the address */
  uint64_t reserved[1]; /**< 0, for later */
} evname_frame;

/** A list of frames: the calls that are inlined at an address, innermost first, then the function.
 * For a stack, the frames of each caller follow. */
typedef struct evname_frames evname_frames;

/** Makes an empty list, to be used for many addresses. */
EVNAME_API int evname_frames_new(evname_frames** out, evname_error* error);
/** Frees a list. */
EVNAME_API void evname_frames_free(evname_frames* frames);

/** Sets a list to the frames of an address in a mapping, at least one. A file that can't be read
 * has no symbols; evname_symbols_problem says why. Fails only with EVNAME_NO_MEMORY, and then
 * leaves the list empty. */
EVNAME_API int evname_symbols_find(const evname_symbols* symbols, uint64_t address,
                                   const evname_mapping* mapping, evname_frames* frames,
                                   evname_error* error);
/** Sets a list to the frames of the stack of the sample that evname_samples_next returned last: of
 * its instruction and its callers, innermost first. Callers in user space are also found by its
 * registers and its copy of the stack (perf record --call-graph dwarf). The list is empty if the
 * sample has no address. The functions of an address are looked up once in a pass, as long as
 * `symbols` is the same. EVNAME_INVALID_ARGUMENT: the pass is at no sample. */
EVNAME_API int evname_samples_stack(evname_samples* samples, const evname_symbols* symbols,
                                    evname_frames* frames, evname_error* error);
/** Gets the mapping that has an address of the sample that evname_samples_next returned last;
 * `kernel`: 1 for an address of the kernel. It can be given to evname_symbols_find, and is valid
 * until the next call with this evname_samples. EVNAME_NOT_FOUND: no mapping is known there.
 * EVNAME_INVALID_ARGUMENT: as for evname_samples_stack. */
EVNAME_API int evname_samples_mapping(evname_samples* samples, uint64_t address, uint32_t kernel,
                                      evname_mapping* out, evname_error* error);

/** Returns the number of frames. */
EVNAME_API size_t evname_frames_count(const evname_frames* frames);
/** Gets a frame. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_frames_at(const evname_frames* frames, size_t index, evname_frame* out);

/** Writes the name of a file that could not be used, and the reason, truncated to fit and always
 * ended by NUL. `needed` is set to its bytes without NUL, 0 after the last problem. Fails with
 * EVNAME_NO_MEMORY. */
EVNAME_API int evname_symbols_problem(const evname_symbols* symbols, size_t index, char* buffer,
                                      size_t size, size_t* needed, evname_error* error);

/* ---- Instructions ---- */

/** A report that counts the samples of each instruction of functions. One thread at a time may use
 * it. */
typedef struct evname_instruction_report evname_instruction_report;

/** Makes an empty report. `symbols` finds functions and their code, and may be freed before the
 * report; NULL: as made without options. `filter` may be NULL. */
EVNAME_API int evname_instruction_report_new(const evname_symbols* symbols,
                                             const evname_filter* filter,
                                             evname_instruction_report** out, evname_error* error);
/** Frees a report. */
EVNAME_API void evname_instruction_report_free(evname_instruction_report* report);

/** Adds the samples of a recording; functions of the same file are merged. `tally` may be NULL.
 * Errors: as of evname_report_add. */
EVNAME_API int evname_instruction_report_add(evname_instruction_report* report,
                                             const evname_recording* recording, evname_tally* tally,
                                             evname_error* error);

/** Returns the name of an event, by whose index samples are counted; "" after the last one. Valid
 * until samples are added. */
EVNAME_API const char* evname_instruction_report_event(const evname_instruction_report* report,
                                                       size_t index);

/** A function that has samples. Texts and `samples` are valid until samples are added. */
typedef struct evname_function {
  const char* name;     /**< of its symbol; "libc.so.6 (no name)" for all of a file without one */
  const char* dso;      /**< the file, as perf names it */
  const char* build_id; /**< of the file, hexadecimal; "": unknown */
  uint64_t all;         /**< its samples of all events */
  const uint64_t* samples; /**< the same by event */
  size_t samples_count;    /**< number of events */
  uint64_t reserved[4];    /**< 0, for later */
} evname_function;

/** Returns the number of functions. */
EVNAME_API size_t evname_instruction_report_function_count(const evname_instruction_report* report);
/** Gets a function. Those with most samples come first. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_instruction_report_function_at(const evname_instruction_report* report,
                                                     size_t index, evname_function* out);

/** Flags of evname_instructions_new. */
enum evname_instructions_flags {
  EVNAME_INSTRUCTIONS_ATT = 1 /**< x86 in the syntax of AT&T instead of Intel's */
};

/** The instructions of a function, by address. */
typedef struct evname_instructions evname_instructions;

/** Makes a list of the instructions of a function of a report, which may be freed before the list.
 * `flags`: enum evname_instructions_flags. A library without a decoder has no texts.
 * EVNAME_OUT_OF_RANGE: there is no such function. */
EVNAME_API int evname_instructions_new(const evname_instruction_report* report, size_t function,
                                       uint32_t flags, evname_instructions** out,
                                       evname_error* error);
/** Frees a list. */
EVNAME_API void evname_instructions_free(evname_instructions* instructions);

/** Flags of evname_instruction. */
enum evname_instruction_flags {
  EVNAME_INSTRUCTION_JUMP = 1,  /**< it may continue elsewhere, and does not come back */
  EVNAME_INSTRUCTION_CALL = 2,  /**< it calls a function */
  EVNAME_INSTRUCTION_TARGET = 4 /**< it is a direct jump or call, and has a `target` */
};

/** An instruction with its samples. All is valid as long as the list. */
typedef struct evname_instruction {
  uint64_t address;        /**< in the file's own addresses, as objdump prints them */
  const uint8_t* bytes;    /**< NULL: unknown */
  size_t bytes_size;       /**< number of bytes */
  const char* text;        /**< as an assembler reads it; ".byte 0x06" or ".inst 0x00000000" for
                              bytes that are no instruction; "": unknown bytes */
  const char* symbol;      /**< of the target of a call or of a jump out of the function, or of data
                              at an address relative to the instruction; "": none */
  uint64_t target;         /**< address that a direct jump or call continues at */
  uint64_t flags;          /**< enum evname_instruction_flags */
  const uint64_t* samples; /**< by event of the report */
  size_t samples_count;    /**< number of events */
  uint64_t reserved[4];    /**< 0, for later */
} evname_instruction;

/** Returns the number of instructions. */
EVNAME_API size_t evname_instructions_count(const evname_instructions* instructions);
/** Gets an instruction. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_instructions_at(const evname_instructions* instructions, size_t index,
                                      evname_instruction* out);
/** Sets a list to the frames of an instruction, whose `ip` is its `address`: inlined calls,
 * innermost first, then the function. Fails with EVNAME_OUT_OF_RANGE or EVNAME_NO_MEMORY, and then
 * leaves the list empty. */
EVNAME_API int evname_instructions_frames(const evname_instructions* instructions, size_t index,
                                          evname_frames* frames, evname_error* error);
/** Returns the samples of an event of the report that are of none of the instructions. With theirs,
 * they add up to the function's. */
EVNAME_API uint64_t evname_instructions_outside(const evname_instructions* instructions,
                                                size_t event);
/** Returns a sentence on why bytes are unknown; "": they are all known. Instructions with samples
 * are in the list nevertheless. Valid as long as the list. */
EVNAME_API const char* evname_instructions_problem(const evname_instructions* instructions);

/* ---- Profiles ---- */

/** The formats of profiles, as profile_formats.def lists them. Each keeps the events apart. */
enum evname_profile_format {
#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) EVNAME_PROFILE_##NAME,
#include "evname/profile_formats.def"
};

/** Flags of evname_profile_options. */
enum evname_profile_flags {
  EVNAME_PROFILE_GZIP = 1 /**< compress also formats that are uncompressed by default */
};

/** Options of evname_profile_write. Zeroed, they ask for pprof, with addresses in place of
 * functions. */
typedef struct evname_profile_options {
  const evname_symbols* symbols; /**< names functions; NULL: they stay addresses */
  uint32_t format;               /**< enum evname_profile_format */
  uint32_t flags;                /**< enum evname_profile_flags */
  uint64_t reserved[4];          /**< 0, for later */
} evname_profile_options;

/** Writes a profile of one or more recordings to `path`, which appears only when it is complete,
 * and only if there are samples; "-" is standard output. Events of the same name and PMU in several
 * recordings are one event. `options` and `filter` may be NULL; `samples` (may be NULL) is set to
 * the number of samples written, `tallies` (may be NULL) has one for each recording.
 * EVNAME_UNSUPPORTED: the library was built without a library that the format needs.
 * EVNAME_NOT_FOUND: no event samples a field that the filter asks for. EVNAME_INVALID_ARGUMENT:
 * `path` is one of the recordings, which are never replaced. Fails with EVNAME_IO. */
EVNAME_API int evname_profile_write(const evname_recording* const* recordings, size_t count,
                                    const evname_profile_options* options,
                                    const evname_filter* filter, const char* path,
                                    uint64_t* samples, evname_tally* tallies, evname_error* error);

/* ---- Event names in a new recording ---- */

/** A list of renamed events. */
typedef struct evname_renames evname_renames;

/** A renamed event. Texts live as long as the list. */
typedef struct evname_rename {
  uint64_t event;       /**< its index in the recording */
  const char* from;     /**< recorded name: "r11:u" */
  const char* to;       /**< new name: "cpu_cycles:u" */
  uint64_t reserved[2]; /**< 0, for later */
} evname_rename;

/** Writes the recording to `path`, with names for the events that are recorded as codes; everything
 * else is copied byte for byte. `path` appears complete or not at all; "-" is standard output; NULL
 * writes nothing. `out` (may be NULL) is set to the events that got a name, or would get one. Fails
 * with EVNAME_IO. EVNAME_UNSUPPORTED: a form that no perf since 3.2 writes. */
EVNAME_API int evname_inject(const evname_recording* recording, const char* path,
                             evname_renames** out, evname_error* error);
/** Does the same with `progress`, which may be NULL and is called with `context` as by a filter. */
EVNAME_API int evname_inject_with(const evname_recording* recording, const char* path,
                                  evname_progress progress, void* context, evname_renames** out,
                                  evname_error* error);
/** Returns the number of renamed events. */
EVNAME_API size_t evname_renames_count(const evname_renames* renames);
/** Gets a renamed event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_renames_at(const evname_renames* renames, size_t index, evname_rename* out);
/** Frees a list. */
EVNAME_API void evname_renames_free(evname_renames* renames);

/* ---- Smaller recordings ---- */

/** Writes the recording as evname_inject does, but only with the samples that `filter` accepts. All
 * other records and all features are kept. `samples` (may be NULL) is set to the number of SAMPLE
 * records written; if it is 0, nothing is written. `tally` may be NULL. EVNAME_UNSUPPORTED: the
 * recording comes through a pipe, or is a compressed directory. EVNAME_INVALID_ARGUMENT: `path` is
 * the recording, which is never replaced. Fails with EVNAME_IO, EVNAME_NOT_FOUND. */
EVNAME_API int evname_extract(const evname_recording* recording, const evname_filter* filter,
                              const char* path, uint64_t* samples, evname_tally* tally,
                              evname_error* error);

/** Writes the recording to `path` with the functions, lines and inlined calls at all addresses of
 * its samples, found by `symbols` (NULL: default options), so that it needs no other file. Copied
 * stacks become callers. `places` (may be NULL) is set to the number of places that have a name.
 * `progress` may be NULL and is called with `context` as by a filter. Fails as evname_extract. */
EVNAME_API int evname_pack(const evname_recording* recording, const evname_symbols* symbols,
                           const char* path, evname_progress progress, void* context,
                           uint64_t* places, evname_error* error);

/** The keys of evname_split. */
enum evname_split_key {
  EVNAME_SPLIT_EVENT = 0,  /**< of the SAMPLE record: the leader of a group with `:S` */
  EVNAME_SPLIT_THREAD = 1, /**< thread id */
  EVNAME_SPLIT_COMM = 2,   /**< name of the thread at the time of the sample */
  EVNAME_SPLIT_CPU = 3     /**< CPU */
};

/** A list of the recordings that evname_split wrote. */
typedef struct evname_parts evname_parts;

/** A recording of evname_split. Texts live as long as the list. */
typedef struct evname_part {
  const char* key;      /**< event, "comm (tid)", comm, or number of the CPU; "-": not sampled */
  const char* path;     /**< path of the file */
  uint64_t samples;     /**< SAMPLE records in it */
  uint64_t reserved[2]; /**< 0, for later */
} evname_part;

/** Writes a recording for each value of `key` (enum evname_split_key) that the samples accepted by
 * `filter` (may be NULL) have, to a directory, which is made if it is not there. Each is written as
 * by evname_extract, but with the recorded names of events. EVNAME_IO: the name of a file is taken.
 * `tally` may be NULL. Fails as evname_extract. EVNAME_INVALID_ARGUMENT: there is no such key. */
EVNAME_API int evname_split(const evname_recording* recording, uint32_t key,
                            const evname_filter* filter, const char* directory, evname_parts** out,
                            evname_tally* tally, evname_error* error);
/** Returns the number of recordings. */
EVNAME_API size_t evname_parts_count(const evname_parts* parts);
/** Gets a recording; they are in the order of their first samples. Fails with EVNAME_OUT_OF_RANGE.
 */
EVNAME_API int evname_parts_at(const evname_parts* parts, size_t index, evname_part* out);
/** Frees a list. */
EVNAME_API void evname_parts_free(evname_parts* parts);

#ifdef __cplusplus
}
#endif

#endif
