#include "recordings/annotation/sample_parts.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include "evname/decoded.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;

template <class Each>
void for_each_branch(const Sample& sample, Each&& each) {
  const SampleWords words = sample.branches();
  for (std::size_t i = 0; i + 2 < words.size(); i += 3)
    each(Branch(words[i], words[i + 1], words[i + 2]));
}

void write_text(const Branch& branch, std::string_view arch, Output& out) {
  out.text("0x");
  out.hex(branch.from);
  out.text("/0x");
  out.hex(branch.to);
  out.text(branch.text(arch));
}

void write_json(const Branch& branch, std::string_view arch, Output& out) {
  const auto flag = [&](std::string_view name, bool value) {
    out.text(name);
    out.text(value ? "true" : "false");
  };
  out.text("{\"from\":\"0x");
  out.hex(branch.from);
  out.text("\",\"to\":\"0x");
  out.hex(branch.to);
  out.text("\",\"predicted\":");
  out.text(branch.predicted ? "true" : branch.mispredicted ? "false" : "null");
  flag(",\"not_taken\":", branch.not_taken);
  flag(",\"in_tx\":", branch.in_transaction);
  flag(",\"abort\":", branch.abort);
  out.text(",\"cycles\":");
  out.decimal(branch.cycles);
  out.text(",\"type\":\"");
  out.text(branch.type_text(arch));
  out.text("\",\"spec\":\"");
  out.text(branch.speculation_text());
  if (!branch.privilege_text().empty()) {
    out.text("\",\"priv\":\"");
    out.text(branch.privilege_text());
  }
  out.text("\"}");
}

}  // namespace

const std::string& BranchTexts::of(std::uint64_t flags, std::string_view arch) {
  constexpr std::size_t kMost = 1 << 12;
  if (texts_.size() > kMost) texts_.clear();
  const auto [at, is_new] = texts_.try_emplace(flags);
  if (is_new) at.value() = Branch(0, 0, flags).text(arch) + ' ';
  return at->second;
}

void write_branches_text(const Sample& sample, std::string_view arch, BranchTexts& texts,
                         Output& out) {
  const SampleWords words = sample.branches();
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    out.text(" 0x");
    out.hex(words[i]);
    out.text("/0x");
    out.hex(words[i + 1]);
    out.text(texts.of(words[i + 2], arch));
  }
}

void write_branches_value(const Sample& sample, std::string_view arch, ValueWriter& out) {
  out.begin_list();
  for_each_branch(sample, [&](const Branch& branch) {
    out.next_item();
    if (out.json())
      write_json(branch, arch, out.out());
    else
      write_text(branch, arch, out.out());
  });
  out.end_list();
}

// The field `flags`, the kind of a branch in trace data: perf_sample__sprintf_flags of
// tools/perf/util/trace-event-scripting.c.

namespace {

struct BranchName {
  std::uint32_t flags;
  std::string_view name;
};
constexpr BranchName kBranchNames[] = {{kFlagBranch | kFlagCall, "call"},
                                       {kFlagBranch | kFlagReturn, "return"},
                                       {kFlagBranch | kFlagConditional, "jcc"},
                                       {kFlagBranch, "jmp"}};

/// Returns a letter for each flag, for branches that have no name.
std::string letters_of(std::uint32_t flags) {
  constexpr std::string_view kLetters = "bcrosyiABExghDtmn";
  std::string letters;
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    if ((flags >> i & 1) != 0) letters += kLetters[i];
  return letters;
}

std::string flags_text(std::uint32_t flags) {
  constexpr std::uint32_t kEvents = kFlagMiss | kFlagNotTaken;
  std::string text;
  for (const BranchName& row : kBranchNames)
    if (row.flags == (flags & ~(kEvents | kFlagInTransaction))) text = row.name;
  if ((flags & kFlagMiss) != 0) text += "/miss";
  if ((flags & kFlagNotTaken) != 0) text += (flags & kFlagMiss) != 0 ? ",not_taken" : "/not_taken";
  if ((flags & kEvents) != 0) text += '/';
  return text;
}

}  // namespace

// perf prints no letter in the parentheses of a transaction, and aligns them by the last part of
// the text before.
// get_page_size_name and unit_number__scnprintf of tools/perf/util.
void write_page_size(std::uint64_t size, Output& out) {
  constexpr char kUnits[] = {'B', 'K', 'M', 'G'};
  if (size == 0) return out.text("N/A");
  std::size_t unit = 0;
  for (; size / 1024 > 1 && unit < 3; size /= 1024) ++unit;
  out.decimal(size);
  out.put(kUnits[unit]);
}

void write_branch_flags_text(std::uint32_t flags, Output& out) {
  constexpr std::size_t kWidth = 21;
  std::string text = flags_text(flags);
  if ((flags & kFlagInTransaction) != 0) {
    const std::size_t last = text.ends_with('/') ? 1 : text.size();
    const bool fits = text.size() + 2 < kWidth;
    text += fits ? std::string(kWidth - last - 2, ' ') + "()" : " ()";
  } else if (text.empty()) {
    text = letters_of(flags);
  }
  out.text("  ");
  out.text(text);
  if (text.size() < kWidth) out.right("", kWidth - text.size());
  out.put(' ');
}

void write_branch_flags_value(std::uint32_t flags, ValueWriter& out) {
  if (flags == 0) return out.absent();
  std::string text = flags_text(flags);
  if (text.empty()) text = letters_of(flags & ~std::uint32_t{kFlagInTransaction});
  if ((flags & kFlagInTransaction) != 0) text += "(x)";
  out.text(text);
}

// The data source.

void write_data_src(std::uint64_t value, Output& out) { out.text(DataSource(value).text()); }

// Registers.

namespace {

// Source: arch/*/include/uapi/asm/perf_regs.h of Linux; spelling: tools/perf/util/perf_regs.c.
constexpr std::string_view kX86[] = {
    "AX",    "BX",    "CX",    "DX",    "SI",    "DI",    "BP",    "SP",    "IP",    "FLAGS",
    "CS",    "SS",    "DS",    "ES",    "FS",    "GS",    "R8",    "R9",    "R10",   "R11",
    "R12",   "R13",   "R14",   "R15",   "",      "",      "",      "",      "",      "",
    "",      "",      "XMM0",  "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",  "XMM3",  "XMM3",
    "XMM4",  "XMM4",  "XMM5",  "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",  "XMM8",  "XMM8",
    "XMM9",  "XMM9",  "XMM10", "XMM10", "XMM11", "XMM11", "XMM12", "XMM12", "XMM13", "XMM13",
    "XMM14", "XMM14", "XMM15", "XMM15"};
constexpr std::string_view kArm[] = {"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
                                     "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc"};
constexpr std::string_view kArm64[] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11",
    "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
    "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  "",    "",    "",
    "",    "",    "",    "",    "",    "",    "",    "",    "",    "",    "vg"};
constexpr std::string_view kPowerpc[] = {
    "r0",    "r1",   "r2",    "r3",   "r4",      "r5",    "r6",    "r7",    "r8",    "r9",
    "r10",   "r11",  "r12",   "r13",  "r14",     "r15",   "r16",   "r17",   "r18",   "r19",
    "r20",   "r21",  "r22",   "r23",  "r24",     "r25",   "r26",   "r27",   "r28",   "r29",
    "r30",   "r31",  "nip",   "msr",  "orig_r3", "ctr",   "link",  "xer",   "ccr",   "softe",
    "trap",  "dar",  "dsisr", "sier", "mmcra",   "mmcr0", "mmcr1", "mmcr2", "mmcr3", "sier2",
    "sier3", "pmc1", "pmc2",  "pmc3", "pmc4",    "pmc5",  "pmc6",  "sdar",  "siar"};
constexpr std::string_view kRiscv[] = {"pc", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                       "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                       "a6", "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                       "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::string_view kS390[] = {
    "R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
    "R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
    "FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC"};

struct Arch {
  std::string_view prefix;
  const std::string_view* names;
  std::size_t count;
};

constexpr Arch kArchs[] = {
    {"x86", kX86, std::size(kX86)},         {"i386", kX86, std::size(kX86)},
    {"i686", kX86, std::size(kX86)},        {"aarch64", kArm64, std::size(kArm64)},
    {"arm64", kArm64, std::size(kArm64)},   {"arm", kArm, std::size(kArm)},
    {"ppc", kPowerpc, std::size(kPowerpc)}, {"powerpc", kPowerpc, std::size(kPowerpc)},
    {"riscv", kRiscv, std::size(kRiscv)},   {"s390", kS390, std::size(kS390)}};

// Returns "" if a bit of the mask has no name.
std::string_view register_name(std::string_view arch, unsigned bit) {
  for (const Arch& row : kArchs)
    if (arch.starts_with(row.prefix)) return bit < row.count ? row.names[bit] : "";
  return "";
}

/// `each` takes bit of the mask, name and value.
template <class Each>
void for_each_register(const Sample& sample, RegisterSet set, std::string_view arch, Each&& each) {
  const perf_format::Attr& attr = detail::record_of(sample).event->attr;
  const bool user = set == RegisterSet::user;
  const std::uint64_t mask = user ? attr.regs_user : attr.regs_intr;
  const SampleWords values = user ? sample.user_registers() : sample.interrupt_registers();
  std::size_t next = 0;
  for (unsigned bit = 0; bit < 64 && next < values.size(); ++bit)
    if (mask >> bit & 1) each(bit, register_name(arch, bit), values[next++]);
}

}  // namespace

void write_registers_text(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out) {
  const perf_format::SampleRecord& record = detail::record_of(sample);
  const bool user = set == RegisterSet::user;
  if ((user ? record.user_registers : record.interrupt_registers).empty()) return;
  out.text(" ABI:");
  out.decimal(user ? record.user_abi : record.interrupt_abi);
  out.put(' ');
  for_each_register(sample, set, arch, [&](unsigned, std::string_view name, std::uint64_t value) {
    out.right(name.empty() ? "unknown" : name, 5);
    out.text(":0x");
    out.hex(value);
    out.put(' ');
  });
}

void write_register_lines(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out) {
  for_each_register(sample, set, arch, [&](unsigned, std::string_view name, std::uint64_t value) {
    out.format(".... {:<5} 0x{:016x}\n", name.empty() ? "unknown" : name, value);
  });
}

void write_registers_value(const Sample& sample, RegisterSet set, std::string_view arch,
                           ValueWriter& out) {
  out.begin_pairs();
  for_each_register(sample, set, arch, [&](unsigned bit, std::string_view name, auto value) {
    if (name.empty()) {
      const fmt::format_int number(bit);
      char text[8] = "reg";
      std::copy_n(number.data(), number.size(), text + 3);
      out.next_pair({text, 3 + number.size()});
    } else if (bit > 0 && name == register_name(arch, bit - 1)) {
      out.next_pair(std::string(name) + "_hi");  // the second word of a wide one
    } else {
      out.next_pair(name);
    }
    out.hex(value);
  });
  out.end_pairs();
}

}  // namespace evname::annotation
