#include "evname/decoded.hpp"

#include <cstddef>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "perf_format/data_src.hpp"

namespace evname {
namespace {

namespace source = perf_format::data_source;
using source::kHit, source::kMiss;

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
// perf prints "Unknown level 7" for L0.
constexpr std::string_view kLevelNumbers[16] = {
    "",     "L1",       "L2",  "L3",  "L4",        "L2 MHB",  "Memory-side Cache",
    "L0",   "Uncached", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM",
    "PMEM", "N/A"};
constexpr std::string_view kHopNames[] = {"N/A", "core, same node", "node, same socket",
                                          "socket, same board", "board"};
constexpr std::string_view kRegions[] = {
    "",     "Reserved", "L share", "L non-share", "O I/O", "O share", "O non-share", "MMIO",
    "MEM0", "MEM1",     "MEM2",    "MEM3",        "MEM4",  "MEM5",    "MEM6",        "MEM7"};
constexpr std::string_view kSnoops[] = {"N/A", "None", "Hit", "Miss", "HitM"};
constexpr std::string_view kSnoopXs[] = {"Fwd", "Peer"};
constexpr std::string_view kTlbs[] = {"N/A", "", "", "L1", "L2", "Walker", "Fault"};

/// Returns the names of the bits that are set, with " or " between them.
std::string names_of(std::uint32_t bits, std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (bits >> i & 1) {
      if (!text.empty()) text += " or ";
      text += names[i];
    }
  return text;
}

std::string or_unknown(std::string text) {
  if (text.empty()) text = "N/A";
  return text;
}

}  // namespace

DataSource::DataSource(std::uint64_t word) {
  const auto part = [&](source::Bits bits) { return static_cast<std::uint32_t>(bits.of(word)); };
  op = part(source::kOp);
  level = part(source::kLevel);
  level_number = part(source::kLevelNumber);
  snoop = part(source::kSnoop);
  snoop_more = part(source::kSnoopX);
  lock = part(source::kLock);
  tlb = part(source::kTlb);
  blocked = part(source::kBlock);
  hops = part(source::kHops);
  remote = part(source::kRemote);
  region = part(source::kRegion);
}

// Of several operations, perf names the first.
std::string DataSource::op_text() const {
  for (std::size_t i = 0; i < std::size(kOps); ++i)
    if (op >> i & 1) return std::string(kOps[i]);
  return "No";
}

// As in perf_mem__lvl_scnprintf, a number takes precedence over the bits.
std::string DataSource::level_text() const {
  constexpr std::uint32_t kNotAvailable = 15;
  std::string text;
  if (level_number > 0 && level_number != kNotAvailable) {
    if (remote != 0) text += "Remote ";
    if (hops > 0) {
      text += hops < std::size(kHopNames) ? kHopNames[hops] : "?";
      text += ' ';
    }
    text += kLevelNumbers[level_number];
  } else {
    text = names_of(level & ~static_cast<std::uint32_t>(kHit | kMiss | 1), kLevels);
    if (text.empty()) return "N/A";
  }
  return text + (level & kHit ? " hit" : level & kMiss ? " miss" : " ");
}

std::string DataSource::snoop_text() const {
  const std::string first = names_of(snoop, kSnoops), more = names_of(snoop_more, kSnoopXs);
  return or_unknown(first + (first.empty() || more.empty() ? "" : " or ") + more);
}

std::string DataSource::tlb_text() const {
  std::string text = or_unknown(names_of(tlb & ~static_cast<std::uint32_t>(kHit | kMiss), kTlbs));
  if (tlb & kHit) text += " hit";
  if (tlb & kMiss) text += " miss";
  return text;
}

std::string DataSource::lock_text() const { return lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No"; }

// perf writes a space before each.
std::string DataSource::blocked_text() const {
  if (blocked == 0 || blocked & 1) return " N/A";
  return std::string(blocked & 2 ? " Data" : "") + (blocked & 4 ? " Addr" : "");
}

std::string DataSource::text() const {
  std::string text =
      fmt::format("|OP {}|LVL {}|SNP {}|TLB {}|LCK {}|BLK {}", op_text(), level_text(),
                  snoop_text(), tlb_text(), lock_text(), blocked_text());
  if (region == 0) return text;
  text += "|REG ";
  text += region < std::size(kRegions) ? kRegions[region] : "?";
  return text;
}

Branch::Branch(std::uint64_t from_address, std::uint64_t to_address, std::uint64_t word)
    : from(from_address),
      to(to_address),
      mispredicted((word & 1) != 0),
      predicted((word & 2) != 0),
      in_transaction((word & 4) != 0),
      abort((word & 8) != 0),
      not_taken((word >> 33 & 1) != 0),
      cycles(static_cast<std::uint16_t>(word >> 4)),
      type(word >> 20 & 15),
      extended_type(word >> 26 & 15),
      speculation(word >> 24 & 3),
      privilege(word >> 30 & 7) {}

std::string_view Branch::type_text(std::string_view arch) const {
  constexpr std::uint8_t kExtended = 15, kFirstOfArm = 3;
  constexpr std::string_view kTypes[15] = {"",         "COND", "UNCOND",  "IND",    "CALL",
                                           "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
                                           "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX"};
  constexpr std::string_view kMore[16] = {"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
                                          "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5"};
  constexpr std::string_view kArm[5] = {"ARM64_FIQ", "ARM64_DEBUG_HALT", "ARM64_DEBUG_EXIT",
                                        "ARM64_DEBUG_INST", "ARM64_DEBUG_DATA"};
  if (type != kExtended) return kTypes[type];
  const bool arm = arch.starts_with("aarch64") || arch.starts_with("arm64");
  const bool is_of_arm =
      extended_type >= kFirstOfArm && extended_type < kFirstOfArm + std::size(kArm);
  return arm && is_of_arm ? kArm[extended_type - kFirstOfArm] : kMore[extended_type];
}

std::string_view Branch::speculation_text() const {
  constexpr std::string_view kNames[4] = {"", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
                                          "SPEC_CORRECT_PATH"};
  return kNames[speculation & 3];
}

std::string_view Branch::privilege_text() const {
  constexpr std::string_view kNames[8] = {"", "user", "kernel", "hypervisor"};
  return kNames[privilege & 7];
}

std::string_view Branch::prediction_text() const {
  if (not_taken) return predicted ? "PN" : "MN";
  return predicted ? "P" : mispredicted ? "M" : "-";
}

std::string Branch::text(std::string_view arch) const {
  const std::string_view path = speculation_text();
  return fmt::format("/{}/{}/{}/{}/{}/{}", prediction_text(), in_transaction ? 'X' : '-',
                     abort ? 'A' : '-', cycles, type_text(arch), path.empty() ? "-" : path);
}

}  // namespace evname
