#pragma once
// Describes the cache lines that several threads access, and the results of the accesses.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evname::report {

/// Numbers of sampled memory accesses by their outcome, as perf c2c counts them.
struct AccessCounts {
  std::uint64_t records = 0;  ///< all samples
  std::uint64_t locked = 0;   ///< locked loads and stores
  std::uint64_t loads = 0;    ///< all loads
  ///@{
  /// Loads of uncached memory, loads of a device, loads that missed in a known level, and loads
  /// without an address.
  std::uint64_t load_uncached = 0, load_io = 0, load_miss = 0, load_no_address = 0;
  ///@}
  ///@{
  /// Loads that hit in the fill buffer, the core's caches and the last-level cache.
  std::uint64_t load_fill_buffer = 0, load_l1 = 0, load_l2 = 0, load_llc = 0;
  ///@}
  ///@{
  /// Loads of lines that another cache had modified, on the same node or another one.
  std::uint64_t local_hitm = 0, remote_hitm = 0;
  ///@}
  ///@{
  /// Loads that another cache answered, modified or not, as Arm's CPUs report.
  std::uint64_t local_peer = 0, remote_peer = 0;
  ///@}
  std::uint64_t remote_hit = 0;  ///< loads of lines that another node's cache had, not modified
  ///@{
  /// Loads from memory of this or another node, and how many of them found the line in no other
  /// cache (exclusive) or in others (shared).
  std::uint64_t local_dram = 0, remote_dram = 0, dram_exclusive = 0, dram_shared = 0;
  ///@}
  ///@{
  /// Accesses that were blocked by an earlier store's data or address.
  std::uint64_t blocked_data = 0, blocked_address = 0;
  ///@}
  std::uint64_t stores = 0;  ///< all stores
  ///@{
  /// Stores to uncached memory, without an address, that hit or missed in L1, and of unknown level.
  std::uint64_t store_uncached = 0, store_no_address = 0, store_l1_hit = 0, store_l1_miss = 0,
                store_no_level = 0;
  ///@}
  std::uint64_t unmapped = 0;  ///< accesses with data or an instruction outside of all mappings
  std::uint64_t unparsed = 0;  ///< neither loads nor stores

  std::uint64_t hitm() const { return local_hitm + remote_hitm; }  ///< modified elsewhere
  std::uint64_t peer() const { return local_peer + remote_peer; }  ///< answered by other caches
  /// Returns the loads that a cache or memory answered.
  std::uint64_t answered_loads() const {
    return local_dram + remote_dram + remote_hitm + remote_hit + load_fill_buffer + load_l1 +
           load_l2 + load_llc + local_hitm;
  }
  /// Returns perf's "Total records": loads that were answered, and stores of known outcome.
  std::uint64_t accesses() const {
    return answered_loads() + store_l1_hit + store_l1_miss + store_no_level;
  }
  /// Adds each number `times` times.
  void add(const AccessCounts& other, std::uint64_t times = 1);
};

/// A member of AccessCounts with its name in output.
struct AccessCount {
  std::string_view name;                ///< "local_hitm"
  std::uint64_t AccessCounts::*member;  ///< the number
  std::string_view what;  ///< "loads of a line that another cache of the node had modified"
};
/// Returns all members of AccessCounts.
std::span<const AccessCount> access_counts();

/// The number that selects and orders lines.
enum class Contention : std::uint8_t {
  hitm,         ///< loads of lines that another cache had modified
  local_hitm,   ///< the same, on the same node only
  remote_hitm,  ///< those from another node
  peer,         ///< loads that other caches answered
  threads,  ///< accesses of lines that one thread stores to and others access; for CPUs that report
            ///< neither HITM nor peers
};

/// A number of samples, and the sum of their weights: mostly latencies in cycles.
struct MeanWeight {
  std::uint64_t samples = 0;  ///< number of samples
  std::uint64_t sum = 0;      ///< of their weights
  /// Returns the mean weight; 0 if there are no samples.
  double mean() const {
    return samples > 0 ? static_cast<double>(sum) / static_cast<double>(samples) : 0;
  }
};

/// The accesses of an instruction, in a thread, to a place in a line.
struct LineAccess {
  std::uint32_t offset = 0;  ///< of the access in the line, in bytes
  ///@{
  /// The thread; -1: not sampled.
  std::int32_t pid = -1, tid = -1;
  ///@}
  std::string comm = {};     ///< its name
  std::uint64_t ip = 0;      ///< address of the instruction
  std::string sym = {};      ///< its function, as SortKey::sym
  std::string dso = {};      ///< the file that has it; "-": unknown
  std::string source = {};   ///< its source line; "-": unknown
  AccessCounts counts = {};  ///< the outcomes of the accesses
  ///@{
  /// Each sample is counted only in the first of these that it belongs to, as in perf c2c.
  MeanWeight remote_hitm = {}, local_hitm = {}, remote_peer = {}, local_peer = {}, load = {};
  ///@}
  std::vector<std::uint32_t> cpus = {};   ///< CPUs on which the thread ran
  std::vector<std::uint32_t> nodes = {};  ///< their nodes; empty: unknown
};

/// A cache line.
struct SharedLine {
  std::uint64_t address = 0;              ///< in the first process that accessed it
  std::string place = {};                 ///< as SortKey::dcacheline
  std::uint64_t threads = 0;              ///< number of threads that access it
  AccessCounts counts = {};               ///< of all accesses
  std::vector<LineAccess> accesses = {};  ///< by offset, instruction and thread
};

/// The lines with most contention.
struct Sharing {
  Contention by = Contention::hitm;    ///< how lines were chosen
  AccessCounts all = {};               ///< of all samples
  AccessCounts shared = {};            ///< of lines that have a HITM or a peer
  std::uint64_t shared_lines = 0;      ///< number of these lines
  std::vector<SharedLine> lines = {};  ///< by falling `by`
  std::uint64_t left_out = 0;  ///< lines with less than 0.1 % of `by`, which perf leaves out, too
};

/// Returns the number that selects and orders a line.
std::uint64_t contention_of(const AccessCounts& counts, Contention by);

}  // namespace evname::report
