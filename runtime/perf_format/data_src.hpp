#pragma once
// The parts of a data source, and their words as perf writes them.
// Source: union perf_mem_data_src of include/uapi/linux/perf_event.h; words:
// tools/perf/util/mem-events.c.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace evname::perf_format::data_source {

struct Bits {
  int from, width;
  std::uint64_t of(std::uint64_t value) const { return value >> from & ((1u << width) - 1); }
  constexpr std::uint64_t mask() const { return ((std::uint64_t{1} << width) - 1) << from; }
};

inline constexpr Bits kOp{0, 5}, kLevel{5, 14}, kSnoop{19, 5}, kLock{24, 2}, kTlb{26, 7},
    kLevelNumber{33, 4}, kRemote{37, 1}, kSnoopX{38, 2}, kBlock{40, 3}, kHops{43, 3},
    kRegion{46, 5};
inline constexpr std::uint64_t kHit = 2, kMiss = 4;  // of levels and TLBs

inline constexpr std::string_view kOps[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
inline constexpr std::string_view kLevels[] = {"N/A",
                                               "",
                                               "",
                                               "L1",
                                               "LFB/MAB",
                                               "L2",
                                               "L3",
                                               "Local RAM",
                                               "Remote RAM (1 hop)",
                                               "Remote RAM (2 hops)",
                                               "Remote Cache (1 hop)",
                                               "Remote Cache (2 hops)",
                                               "I/O",
                                               "Uncached"};
// perf prints "Unknown level 7" for L0.
inline constexpr std::string_view kLevelNumbers[16] = {
    "",     "L1",       "L2",  "L3",  "L4",        "L2 MHB",  "Memory-side Cache",
    "L0",   "Uncached", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM",
    "PMEM", "N/A"};
inline constexpr std::string_view kHopNames[] = {"N/A", "core, same node", "node, same socket",
                                                 "socket, same board", "board"};
inline constexpr std::string_view kRegions[] = {
    "",     "Reserved", "L share", "L non-share", "O I/O", "O share", "O non-share", "MMIO",
    "MEM0", "MEM1",     "MEM2",    "MEM3",        "MEM4",  "MEM5",    "MEM6",        "MEM7"};
inline constexpr std::string_view kSnoops[] = {"N/A", "None", "Hit", "Miss", "HitM"};
inline constexpr std::string_view kSnoopXs[] = {"Fwd", "Peer"};
inline constexpr std::string_view kTlbs[] = {"N/A", "", "", "L1", "L2", "Walker", "Fault"};

/// The names of the bits that are set, with " or " between them.
template <class Output>
class Choice {
 public:
  explicit Choice(Output& out) : out_(out), start_(out.size()) {}

  void add(std::string_view name) {
    if (named_++ > 0) out_.text(" or ");
    out_.text(name);
  }
  void add(std::uint64_t bits, std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (bits >> i & 1) add(names[i]);
  }
  void end() {
    if (out_.size() == start_) out_.text("N/A");
  }

 private:
  Output& out_;
  std::size_t start_;
  int named_ = 0;
};

template <class Output>
void write_hit(std::uint64_t bits, Output& out) {
  if (bits & kHit) out.text(" hit");
  if (bits & kMiss) out.text(" miss");
}

/// Writes the first kind of operation: "LOAD".
template <class Output>
void write_op(std::uint64_t value, Output& out) {
  for (std::size_t i = 0; i < std::size(kOps); ++i)
    if (kOp.of(value) >> i & 1) return out.text(kOps[i]);
  out.text("No");
}

/// Writes the level of the cache or memory: "L1 hit", "Remote RAM (1 hop) hit". As in
/// perf_mem__lvl_scnprintf, a number takes precedence over the bits.
template <class Output>
void write_level(std::uint64_t value, Output& out) {
  constexpr std::uint64_t kNotAvailable = 15;
  const std::uint64_t levels = kLevel.of(value), number = kLevelNumber.of(value);
  if (number > 0 && number != kNotAvailable) {
    if (kRemote.of(value)) out.text("Remote ");
    if (const std::uint64_t hops = kHops.of(value); hops > 0) {
      out.text(hops < std::size(kHopNames) ? kHopNames[hops] : "?");
      out.put(' ');
    }
    out.text(kLevelNumbers[number]);
  } else {
    const std::size_t start = out.size();
    Choice(out).add(levels & ~(kHit | kMiss | 1), kLevels);
    if (out.size() == start) return out.text("N/A");
  }
  out.text(levels & kHit ? " hit" : levels & kMiss ? " miss" : " ");
}

/// Writes the answer of other caches: "HitM", "None or Fwd".
template <class Output>
void write_snoop(std::uint64_t value, Output& out) {
  Choice snoop(out);
  snoop.add(kSnoop.of(value), kSnoops);
  snoop.add(kSnoopX.of(value), kSnoopXs);
  snoop.end();
}

/// Writes how the address was translated: "L1 or L2 hit".
template <class Output>
void write_tlb(std::uint64_t value, Output& out) {
  Choice tlb(out);
  tlb.add(kTlb.of(value) & ~(kHit | kMiss), kTlbs);
  tlb.end();
  write_hit(kTlb.of(value), out);
}

/// Writes whether the access was locked: "Yes", "No" or "N/A".
template <class Output>
void write_lock(std::uint64_t value, Output& out) {
  const std::uint64_t lock = kLock.of(value);
  out.text(lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
}

/// Writes what blocked a load, with a space before each: " Data Addr".
template <class Output>
void write_block(std::uint64_t value, Output& out) {
  const std::uint64_t block = kBlock.of(value);
  if (block == 0 || block & 1) return out.text(" N/A");
  if (block & 2) out.text(" Data");
  if (block & 4) out.text(" Addr");
}

}  // namespace evname::perf_format::data_source
