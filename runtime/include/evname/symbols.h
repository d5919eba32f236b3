#ifndef EVNAME_SYMBOLS_H
#define EVNAME_SYMBOLS_H
/** @file
 * Addresses to functions, source lines and inlined calls, for C and languages that call C. Needs no
 * recording. The rules of evname.h on threads, results, text and `reserved` apply; any number of
 * threads may use an evname_symbols at the same time, each with its own evname_frames.
 */

#include "evname/evname.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What to look for and where. */
enum evname_symbols_flags {
  EVNAME_SYMBOLS_NO_LINES = 1,   /**< no source and line */
  EVNAME_SYMBOLS_NO_INLINES = 2, /**< no frames of inlined functions */
  EVNAME_SYMBOLS_MANGLED = 4,    /**< names of C++ and Rust as the linker knows them */
  EVNAME_SYMBOLS_DEBUGINFOD = 8  /**< ask the servers of $DEBUGINFOD_URLS for what is not here */
};

/** Where and how to look for symbols. Zeroed: as perf does. */
typedef struct evname_symbol_options {
  const char* symfs;          /**< goes before the path of each file; NULL: nothing */
  const char* vmlinux;        /**< the kernel's image; NULL: looked for */
  const char* kallsyms;       /**< instead of /proc/kallsyms; NULL: looked for */
  const char* kernel_release; /**< of the recorded kernel, as uname -r says; NULL: this machine's */
  const char* cache;          /**< perf's cache of files; NULL: ~/.debug */
  uint64_t flags;             /**< enum evname_symbols_flags */
  uint64_t reserved[4];       /**< 0, for later */
} evname_symbol_options;

/** Names addresses. Reads each file when it is first asked about, and once. A file whose build id
 * is known and not that of the mapping is never used. */
typedef struct evname_symbols evname_symbols;

/** Makes an evname_symbols, which has read nothing yet. `options` may be NULL.
 * EVNAME_INVALID_ARGUMENT: unknown flags. */
EVNAME_API int evname_symbols_new(const evname_symbol_options* options, evname_symbols** out,
                                  evname_error* error);
/** Frees it. */
EVNAME_API void evname_symbols_free(evname_symbols* symbols);

/** Code that is mapped into memory, as MMAP2 records of a recording describe it. */
typedef struct evname_mapping {
  const char* file;        /**< path, or a name as "[vdso]" or "[kernel.kallsyms]" */
  const uint8_t* build_id; /**< of the file; NULL: unknown */
  size_t build_id_size;    /**< its bytes */
  uint64_t start;          /**< address of its first byte */
  uint64_t end;            /**< address after its last byte */
  uint64_t offset;         /**< of the first byte in the file; kernel: the address of _text, or 0 */
  const char* jitdump; /**< what the process' JIT compiler writes: ".../jit-PID.dump"; NULL: none */
  int32_t pid;         /**< whose memory it is, for code of JIT compilers; -1: unknown */
  uint32_t kernel;     /**< 1: the kernel or one of its modules */
  /** Of the kernel that ran the process: "[vdso]" is this machine's if its kernel is the same.
   * NULL: unknown. */
  const uint8_t* kernel_build_id;
  size_t kernel_build_id_size; /**< its bytes */
  uint64_t reserved[2];        /**< 0, for later */
} evname_mapping;

/** What is known of an evname_frame. */
enum evname_frame_flags {
  EVNAME_FRAME_INLINED = 1,       /**< its caller is the frame that follows */
  EVNAME_FRAME_HAS_DEBUG_INFO = 2 /**< the file tells lines, though maybe not of this address */
};

/** A function at an address. Texts live as long as the list is not changed. */
typedef struct evname_frame {
  const char* function; /**< "": no symbol is known */
  const char* source;   /**< path of the source file; "": unknown */
  uint64_t offset;      /**< of the address from the start of the function's symbol */
  uint64_t address;     /**< in the file's own addresses, as objdump prints them */
  uint32_t line;        /**< in `source`; 0: unknown */
  uint32_t flags;       /**< enum evname_frame_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_frame;

/** The function at an address, after the calls inlined into it, innermost first. */
typedef struct evname_frames evname_frames;

/** Makes an empty list, to be used for many addresses. */
EVNAME_API int evname_frames_new(evname_frames** out, evname_error* error);
/** Frees a list. */
EVNAME_API void evname_frames_free(evname_frames* frames);

/** Names an address of a mapping: replaces what is in the list by at least one frame. What can't be
 * read has no symbols; evname_symbols_problem says why. Fails only with EVNAME_NO_MEMORY, and then
 * leaves the list empty. */
EVNAME_API int evname_symbols_find(const evname_symbols* symbols, uint64_t address,
                                   const evname_mapping* mapping, evname_frames* frames,
                                   evname_error* error);
/** Returns the number of frames. */
EVNAME_API size_t evname_frames_count(const evname_frames* frames);
/** Gets a frame. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_frames_at(const evname_frames* frames, size_t index, evname_frame* out);

/** Writes which file could not be used and why, for people, as much of it as fits, always with a
 * NUL at its end. `needed` is set to its bytes without NUL, 0 after the last problem. Fails with
 * EVNAME_NO_MEMORY. */
EVNAME_API int evname_symbols_problem(const evname_symbols* symbols, size_t index, char* buffer,
                                      size_t size, size_t* needed, evname_error* error);

#ifdef __cplusplus
}
#endif

#endif
