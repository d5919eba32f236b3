#include "annotation/data_src.hpp"

#include <span>

namespace evname {
namespace {

struct Bits {
  int from, width;
  std::uint64_t of(std::uint64_t value) const { return value >> from & ((1u << width) - 1); }
};

constexpr Bits kOp{0, 5}, kLevel{5, 14}, kSnoop{19, 5}, kLock{24, 2}, kTlb{26, 7},
    kLevelNumber{33, 4}, kRemote{37, 1}, kSnoopX{38, 2}, kBlock{40, 3}, kHops{43, 3};
constexpr std::uint64_t kHit = 2, kMiss = 4;  // of levels and TLBs

constexpr std::string_view kOps[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
constexpr std::string_view kLevels[] = {"N/A",
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
constexpr std::string_view kLevelNumbers[16] = {
    "", "", "", "", "", "", "", "", "", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM", "N/A"};
constexpr std::string_view kHopNames[] = {"N/A", "core, same node", "node, same socket",
                                          "socket, same board", "board"};
constexpr std::string_view kSnoops[] = {"N/A", "None", "Hit", "Miss", "HitM"};
constexpr std::string_view kSnoopXs[] = {"Fwd", "Peer"};
constexpr std::string_view kTlbs[] = {"N/A", "", "", "L1", "L2", "Walker", "Fault"};

/// The names of the bits that are set, with " or " between them.
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

void write_hit(std::uint64_t bits, Output& out) {
  if (bits & kHit) out.text(" hit");
  if (bits & kMiss) out.text(" miss");
}

void write_op(std::uint64_t bits, Output& out) {
  for (std::size_t i = 0; i < std::size(kOps); ++i)
    if (bits >> i & 1) return out.text(kOps[i]);
  out.text("No");
}

// Where there are hops, perf leaves out the levels.
void write_level(std::uint64_t value, Output& out) {
  const std::uint64_t levels = kLevel.of(value), number = kLevelNumber.of(value);
  Choice choice(out);
  if (kRemote.of(value)) out.text("Remote ");
  if (const std::uint64_t hops = kHops.of(value); hops > 0) {
    out.text(hops < std::size(kHopNames) ? kHopNames[hops] : "?");
    out.put(' ');
  } else {
    choice.add(levels & ~(kHit | kMiss), kLevels);
  }
  if (number > 0 && !kLevelNumbers[number].empty()) {
    choice.add(kLevelNumbers[number]);
  } else if (number > 0) {
    choice.add("L");
    out.decimal(number);
  }
  choice.end();
  write_hit(levels, out);
}

}  // namespace

void write_data_src(std::uint64_t value, Output& out) {
  out.text("|OP ");
  write_op(kOp.of(value), out);
  out.text("|LVL ");
  write_level(value, out);
  out.text("|SNP ");
  Choice snoop(out);
  snoop.add(kSnoop.of(value), kSnoops);
  snoop.add(kSnoopX.of(value), kSnoopXs);
  snoop.end();
  out.text("|TLB ");
  Choice tlb(out);
  tlb.add(kTlb.of(value) & ~(kHit | kMiss), kTlbs);
  tlb.end();
  write_hit(kTlb.of(value), out);
  out.text("|LCK ");
  const std::uint64_t lock = kLock.of(value), block = kBlock.of(value);
  out.text(lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
  out.text("|BLK ");
  if (block == 0 || block & 1) return out.text(" N/A");
  if (block & 2) out.text(" Data");
  if (block & 4) out.text(" Addr");
}

}  // namespace evname
