#pragma once
// Decodes two words of samples: the source of data, and the flags of branches.

#include <cstdint>
#include <string>
#include <string_view>

#include "evname/export.h"
#include "evname/records.hpp"

namespace evname {

/// The parts of Sample::data_src(): where the data of an access came from. `remote`, `hops`,
/// `level_number` and `region` are numbers; each of the other parts is a set of bits. Source: union
/// perf_mem_data_src and PERF_MEM_*, shifted to bit 0, of include/uapi/linux/perf_event.h; texts:
/// tools/perf/util/mem-events.c.
struct EVNAME_API DataSource {
  /// Takes a word apart.
  explicit DataSource(std::uint64_t word);

  std::uint32_t op = 0;            ///< 1 unknown, 2 load, 4 store, 8 prefetch, 16 execution
  std::uint32_t level = 0;         ///< 2 hit, 4 miss, 8 L1, 16 fill buffer, 32 L2, 64 L3, …
  std::uint32_t level_number = 0;  ///< 1 to 4: L1 to L4; 13 memory, …; 0: see `level`
  std::uint32_t snoop = 0;         ///< 2 none, 4 hit, 8 miss, 16 hit of a modified line
  std::uint32_t snoop_more = 0;    ///< 1 forwarded, 2 from a peer
  std::uint32_t lock = 0;          ///< 1 unknown, 2 locked
  std::uint32_t tlb = 0;           ///< 2 hit, 4 miss, 8 L1, 16 L2, 32 walker, 64 fault
  std::uint32_t blocked = 0;       ///< 1 unknown, 2 by data, 4 by an address
  std::uint32_t hops = 0;          ///< 1 in the node, 2 in the socket, 3 on the board, 4 beyond
  std::uint32_t remote = 0;        ///< 1: of another core, node or socket
  std::uint32_t region = 0;        ///< of memory: 7 MMIO, 8 to 15 MEM0 to MEM7, …

  ///@{
  /// perf's texts: "LOAD", "L1 hit", "HitM", "L1 or L2 hit", "Yes", " Data".
  std::string op_text() const;
  std::string level_text() const;
  std::string snoop_text() const;
  std::string tlb_text() const;
  std::string lock_text() const;
  std::string blocked_text() const;
  ///@}
  /// All parts as perf script prints them: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK
  /// No|BLK  N/A"; and "|REG MMIO" if there is a region, which perf leaves out.
  std::string text() const;
};

/// A branch of Sample::branches(). Source: struct perf_branch_entry and PERF_BR_* of
/// include/uapi/linux/perf_event.h; texts: tools/perf/util/branch.c and evsel_fprintf.c.
struct EVNAME_API Branch {
  /// Takes three words of Sample::branches() apart.
  Branch(std::uint64_t from_address, std::uint64_t to_address, std::uint64_t word);
  /// Takes a branch apart: the newest one has index 0, and there are branches.size() / 3.
  Branch(const SampleWords& branches, std::size_t index)
      : Branch(branches[3 * index], branches[3 * index + 1], branches[3 * index + 2]) {}

  ///@{
  /// Addresses of the branch and of its target.
  std::uint64_t from = 0, to = 0;
  ///@}
  ///@{
  /// Both false: unknown.
  bool mispredicted = false, predicted = false;
  ///@}
  bool in_transaction = false;     ///< it was in a transaction
  bool abort = false;              ///< it aborted a transaction
  bool not_taken = false;          ///< it was not taken
  std::uint16_t cycles = 0;        ///< since the branch before; 0: unknown
  std::uint8_t type = 0;           ///< PERF_BR_*; 15: see `extended_type`
  std::uint8_t extended_type = 0;  ///< PERF_BR_NEW_*
  std::uint8_t speculation = 0;    ///< PERF_BR_SPEC_*
  std::uint8_t privilege = 0;      ///< PERF_BR_PRIV_*: 1 user, 2 kernel, 3 hypervisor; 0: unknown

  /// Returns "CALL"; "" if it is unknown. Some types have names on one architecture only: `arch` is
  /// what uname -m prints ("aarch64").
  std::string_view type_text(std::string_view arch = {}) const;
  std::string_view speculation_text() const;  ///< "SPEC_CORRECT_PATH"; "": none
  std::string_view privilege_text() const;    ///< "user"; "": unknown
  /// Returns perf's letters: "P" predicted, "M" mispredicted, "PN" and "MN" not taken, "-".
  std::string_view prediction_text() const;
  /// Returns all flags as perf script prints them after the addresses: "/P/-/-/0/CALL/-".
  std::string text(std::string_view arch = {}) const;
};

}  // namespace evname
