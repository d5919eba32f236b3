#ifndef EVNAME_DECODED_H
#define EVNAME_DECODED_H
/** @file
 * This header decodes two words of samples: the source of data, and the flags of branches. The
 * rules of evname.h apply. <evname/decoded.hpp> has the same for C++, and the sources of numbers
 * and texts.
 */

#include "evname/export.h"

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/** The parts of evname_sample.data_src: where the data of an access came from. `remote`, `hops`,
 * `level_number` and `region` are numbers; each of the other parts is a set of bits. Texts are
 * perf's, in the struct itself; a text without room for all of it is truncated. */
typedef struct evname_data_source {
  uint32_t op;           /**< 1 unknown, 2 load, 4 store, 8 prefetch, 16 execution */
  uint32_t level;        /**< 2 hit, 4 miss, 8 L1, 16 fill buffer, 32 L2, 64 L3, … */
  uint32_t level_number; /**< 1 to 4: L1 to L4; 13 memory, …; 0: see `level` */
  uint32_t snoop;        /**< 2 none, 4 hit, 8 miss, 16 hit of a modified line */
  uint32_t snoop_more;   /**< 1 forwarded, 2 from a peer */
  uint32_t lock;         /**< 1 unknown, 2 locked */
  uint32_t tlb;          /**< 2 hit, 4 miss, 8 L1, 16 L2, 32 walker, 64 fault */
  uint32_t blocked;      /**< 1 unknown, 2 by data, 4 by an address */
  uint32_t hops;         /**< 1 in the node, 2 in the socket, 3 on the board, 4 beyond */
  uint32_t remote;       /**< 1: of another core, node or socket */
  uint32_t region;       /**< of memory: 7 MMIO, 8 to 15 MEM0 to MEM7, … */
  uint32_t padding;      /**< 0 */
  char op_text[16];      /**< "LOAD" */
  char lock_text[16];    /**< "Yes" */
  char blocked_text[16]; /**< " Data" */
  char snoop_text[64];   /**< "HitM" */
  char tlb_text[64];     /**< "L1 or L2 hit" */
  char level_text[192];  /**< "L1 hit" */
  char text[384]; /**< all parts as perf script prints them: "|OP LOAD|LVL L1 hit|SNP None|…";
                       and "|REG MMIO" if there is a region, which perf leaves out */
  uint64_t reserved[4]; /**< 0, for later */
} evname_data_source;

/** Takes a word apart. Fails only with EVNAME_NO_MEMORY. */
EVNAME_API int evname_data_source_of(uint64_t word, evname_data_source* out);

/** A branch of evname_sample.branches. Texts are static, but for `text`, which is in the struct
 * itself. */
typedef struct evname_branch {
  uint64_t from;                /**< address of the branch */
  uint64_t to;                  /**< address of its target */
  uint32_t mispredicted;        /**< 1: it was; 0, as `predicted`: unknown */
  uint32_t predicted;           /**< 1: it was */
  uint32_t in_transaction;      /**< 1: it was in a transaction */
  uint32_t abort;               /**< 1: it aborted a transaction */
  uint32_t not_taken;           /**< 1: it was not taken */
  uint32_t cycles;              /**< since the branch before; 0: unknown */
  uint32_t type;                /**< PERF_BR_*; 15: see `extended_type` */
  uint32_t extended_type;       /**< PERF_BR_NEW_* */
  uint32_t speculation;         /**< PERF_BR_SPEC_* */
  uint32_t privilege;           /**< PERF_BR_PRIV_*: 1 user, 2 kernel, 3 hypervisor; 0: unknown */
  const char* type_text;        /**< "CALL"; "" if it is unknown */
  const char* speculation_text; /**< "SPEC_CORRECT_PATH"; "": none */
  const char* privilege_text;   /**< "user"; "": unknown */
  const char* prediction_text; /**< "P" predicted, "M" mispredicted, "PN" and "MN" not taken, "-" */
  char text[72];               /**< all flags as perf script prints them after the addresses:
                                    "/P/-/-/0/CALL/-" */
  uint64_t reserved[4];        /**< 0, for later */
} evname_branch;

/** Takes a branch apart: the three words at `words`, such as &sample.branches[3 * index]. The
 * newest branch has index 0, and there are branches_count / 3. Some types have names on one
 * architecture only: `arch` is "aarch64", or evname_cpu.arch of the machine; NULL: unknown. Fails
 * only with EVNAME_NO_MEMORY. */
EVNAME_API int evname_branch_of(const uint64_t* words, const char* arch, evname_branch* out);

#ifdef __cplusplus
}
#endif

#endif
