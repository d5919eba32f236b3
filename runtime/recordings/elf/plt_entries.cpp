// The processors' ABIs and the linkers bfd, gold, lld and mold define the code of entries.

#include "recordings/elf/plt_entries.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace evname::elf {
namespace {

std::uint32_t word_at(const PltBytes& table, std::uint64_t at) {
  return load<std::uint32_t>(table.code.data() + at, std::endian::little);
}

/// Returns the lowest `bits` of a value as a signed number.
constexpr std::uint64_t with_sign(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return ((value & (2 * sign - 1)) ^ sign) - sign;
}

// --- x86: instructions have no fixed size, so whole entries are compared.

/// Instructions before the load of a slot: endbr64 and endbr32, mold's number of the entry, lld's
/// saved register for a retpoline, and a bnd prefix.
struct PltPrefix {
  std::string_view code;
  std::uint8_t number_size = 0;
};
constexpr PltPrefix kBefore[] = {
    {"\xf3\x0f\x1e\xfa"}, {"\xf3\x0f\x1e\xfb"}, {"\x41\xbb", 4}, {"\xb9", 4}, {"\x50"}, {"\xf2"}};

/// A jump through a slot or, in a retpoline, a load of it. The place of the slot follows in 4
/// bytes.
struct SlotLoad {
  std::string_view code;
  enum class From : std::uint8_t { here, nowhere, got } from;
  std::uint16_t machine;
};
constexpr SlotLoad kLoads[] = {{"\xff\x25", SlotLoad::From::here, EM_X86_64},
                               {"\x4c\x8b\x1d", SlotLoad::From::here, EM_X86_64},
                               {"\xff\x25", SlotLoad::From::nowhere, EM_386},
                               {"\xff\xa3", SlotLoad::From::got, EM_386},
                               {"\x8b\x83", SlotLoad::From::got, EM_386},
                               {"\xa1", SlotLoad::From::nowhere, EM_386}};

class X86Plt {
 public:
  explicit X86Plt(const PltBytes& table)
      : table_(table), code_(reinterpret_cast<const char*>(table.code.data()), table.code.size()) {}

  std::vector<PltEntry> read() const {
    constexpr std::uint64_t kStep = 8;  // entries are padded to a multiple of it
    std::vector<PltEntry> entries;
    for (std::uint64_t at = 0; at < code_.size();) {
      auto entry = jump_at(at);
      at = entry ? (entry->end + kStep - 1) / kStep * kStep : at + kStep;
      if (!entry) continue;
      entry->end = std::min<std::uint64_t>(at, code_.size());
      entries.push_back(*entry);
    }
    return entries;
  }

 private:
  /// Returns the instructions without padding.
  std::optional<PltEntry> jump_at(std::uint64_t start) const {
    std::uint64_t at = start;
    for (const PltPrefix& one : kBefore)
      if (has(at, one.code)) at += one.code.size() + one.number_size;
    for (const SlotLoad& one : kLoads) {
      if (one.machine != table_.machine || !has(at, one.code)) continue;
      at += one.code.size();
      if (at + 4 > code_.size()) return std::nullopt;
      const std::uint64_t offset = with_sign(word_at(table_, at), 32);
      at += 4;
      const std::uint64_t base = one.from == SlotLoad::From::here  ? table_.address + at
                                 : one.from == SlotLoad::From::got ? table_.got
                                                                   : 0;
      const std::uint64_t slot = base + offset;
      return PltEntry{start, end_of(at), table_.machine == EM_386 ? slot & UINT32_MAX : slot};
    }
    return std::nullopt;
  }

  /// Returns the end of the instructions after the load: a call, jumps, and the number of the
  /// relocation, each of 5 bytes.
  std::uint64_t end_of(std::uint64_t at) const {
    constexpr std::string_view kMore = "\xe8\xe9\x68";
    constexpr unsigned kMost = 4, kSize = 5;
    for (unsigned i = 0; i < kMost; ++i)
      if (at + kSize <= code_.size() && kMore.find(code_[at]) != kMore.npos) at += kSize;
    return at;
  }

  bool has(std::uint64_t at, std::string_view code) const {
    return at < code_.size() && code_.substr(at).starts_with(code);
  }

  const PltBytes& table_;
  std::string_view code_;
};

// --- Processors with instructions of 4 bytes: one puts an address into a register, another loads
// the slot from there, and a third jumps.

enum class Does : std::uint8_t {
  other,
  address,  ///< to := value
  add,      ///< to := from + value
  load,     ///< to := slot at from + value
  jump,     ///< to `from`
  both,     ///< loads the slot at from + value, and jumps there
};
/// The registers that an instruction writes and reads.
struct Instruction {
  Does kind = Does::other;
  unsigned to = 0, from = 0;
  std::uint64_t value = 0;
};

/// The bits that all instructions of a kind have in common.
struct CodePattern {
  std::uint32_t mask, bits;
  constexpr bool fits(std::uint32_t code) const { return (code & mask) == bits; }
};

Instruction arm64_step(std::uint32_t code, std::uint64_t at) {
  constexpr CodePattern kAdrp{0x9f000000, 0x90000000}, kAdr{0x9f000000, 0x10000000},
      kLoad{0xffc00000, 0xf9400000}, kAdd{0xff800000, 0x91000000}, kJump{0xfffffc1f, 0xd61f0000};
  const unsigned to = code & 31, from = code >> 5 & 31;
  const std::uint64_t page = with_sign((code >> 5 & 0x7ffff) << 2 | (code >> 29 & 3), 21);
  if (kAdrp.fits(code)) return {Does::address, to, 0, (at & ~std::uint64_t{4095}) + (page << 12)};
  if (kAdr.fits(code)) return {Does::address, to, 0, at + page};
  if (kLoad.fits(code)) return {Does::load, to, from, std::uint64_t{code >> 10 & 0xfff} << 3};
  if (kAdd.fits(code))
    return {Does::add, to, from, std::uint64_t{code >> 10 & 0xfff} << (code >> 22 & 1 ? 12 : 0)};
  if (kJump.fits(code)) return {Does::jump, 0, from};
  return {};
}

Instruction riscv_step(std::uint32_t code, std::uint64_t at) {
  constexpr CodePattern kAuipc{0x7f, 0x17}, kLoad64{0x707f, 0x3003}, kLoad32{0x707f, 0x2003},
      kJump{0x707f, 0x67};
  const unsigned to = code >> 7 & 31, from = code >> 15 & 31;
  const std::uint64_t low = with_sign(code >> 20, 12);
  if (kAuipc.fits(code)) return {Does::address, to, 0, at + with_sign(code & 0xfffff000, 32)};
  if (kLoad64.fits(code) || kLoad32.fits(code)) return {Does::load, to, from, low};
  if (kJump.fits(code)) return {Does::jump, to, from};
  return {};
}

Instruction loongarch_step(std::uint32_t code, std::uint64_t at) {
  constexpr CodePattern kHere{0xfe000000, 0x1c000000}, kPage{0xfe000000, 0x1a000000},
      kLoad64{0xffc00000, 0x28c00000}, kLoad32{0xffc00000, 0x28800000},
      kJump{0xfc000000, 0x4c000000};
  const unsigned to = code & 31, from = code >> 5 & 31;
  const std::uint64_t high = with_sign(code >> 5 & 0xfffff, 20) << 12;
  if (kHere.fits(code)) return {Does::address, to, 0, at + high};
  if (kPage.fits(code)) return {Does::address, to, 0, (at & ~std::uint64_t{4095}) + high};
  if (kLoad64.fits(code) || kLoad32.fits(code))
    return {Does::load, to, from, with_sign(code >> 10 & 0xfff, 12)};
  if (kJump.fits(code)) return {Does::jump, to, from};
  return {};
}

/// ip and pc are registers 12 and 15. A number has 8 bits, turned right by twice 4 others.
Instruction arm_step(std::uint32_t code, std::uint64_t at) {
  constexpr CodePattern kFromHere{0xfffff000, 0xe28fc000}, kAdd{0xfffff000, 0xe28cc000},
      kLoad{0xffdff000, 0xe59cf000};
  const auto turned = static_cast<int>(code >> 8 & 15) * 2;
  const std::uint64_t number = std::rotr(code & 255, turned);
  if (kFromHere.fits(code)) return {Does::address, 12, 0, at + 8 + number};
  if (kAdd.fits(code)) return {Does::add, 12, 12, number};
  if (kLoad.fits(code)) return {Does::both, 0, 12, code & 0xfff};
  return {};
}

class WordPlt {
 public:
  using Decode = Instruction (*)(std::uint32_t code, std::uint64_t at);

  WordPlt(const PltBytes& table, Decode decode) : table_(table), decode_(decode) {}

  std::vector<PltEntry> read() {
    std::vector<PltEntry> entries;
    for (std::uint64_t at = 0; at + 4 <= table_.code.size(); at += 4) {
      const Instruction step = decode_(word_at(table_, at), table_.address + at);
      const auto slot = take(step, at);
      const std::uint64_t previous = entries.empty() ? 0 : entries.back().end;
      if (slot && at - since_ <= kLongest)
        entries.push_back({start_of(previous), end_of(at + 4), *slot});
      if (step.kind == Does::jump || step.kind == Does::both) registers_ = {};
    }
    return entries;
  }

 private:
  struct Register {
    bool is_address = false, is_slot = false;
    std::uint64_t value = 0;
    std::uint64_t since = 0;  ///< place of the first instruction that made it
  };
  static constexpr std::uint64_t kLongest = 16;  ///< from the first instruction to the jump

  /// Returns the slot if the instruction jumps to its content.
  std::optional<std::uint64_t> take(const Instruction& step, std::uint64_t at) {
    const Register from = registers_[step.from];
    const std::uint64_t value = from.value + step.value;
    const bool jumps =
        (step.kind == Does::jump && from.is_slot) || (step.kind == Does::both && from.is_address);
    if (jumps) {
      since_ = from.since;
      return table_.machine == EM_ARM ? value & UINT32_MAX : value;
    }
    Register& to = registers_[step.to];
    if (step.kind == Does::address)
      to = {.is_address = true, .value = step.value, .since = at};
    else if (step.kind == Does::add)
      to = {from.is_address, false, value, from.since};
    else if (step.kind == Does::load)
      to = {false, from.is_address, value, from.since};
    return std::nullopt;
  }

  /// Landing marks of indirect jumps: "bti c" and "lpad" without a label; "bx pc" with a nop, which
  /// leaves Thumb.
  std::uint64_t start_of(std::uint64_t previous) const {
    constexpr struct {
      std::uint16_t machine;
      std::uint32_t code;
    } kMarks[] = {{EM_AARCH64, 0xd503245f}, {EM_RISCV, 0x00000017}, {EM_ARM, 0x46c04778}};
    if (since_ < 4 || since_ - 4 < previous) return since_;
    const std::uint32_t before = word_at(table_, since_ - 4);
    return std::ranges::any_of(kMarks,
                               [&](const auto& mark) {
                                 return mark.machine == table_.machine && mark.code == before;
                               })
               ? since_ - 4
               : since_;
  }

  /// Padding belongs to an entry: nops, and lld's 0xd4 of arm.
  std::uint64_t end_of(std::uint64_t at) const {
    constexpr struct {
      std::uint16_t machine;
      std::uint32_t code;
    } kFills[] = {{EM_AARCH64, 0xd503201f},
                  {EM_RISCV, 0x00000013},
                  {EM_LOONGARCH, 0x03400000},
                  {EM_ARM, 0xd4d4d4d4}};
    for (const auto& fill : kFills)
      while (fill.machine == table_.machine && at + 4 <= table_.code.size() &&
             word_at(table_, at) == fill.code)
        at += 4;
    return at;
  }

  const PltBytes& table_;
  Decode decode_;
  std::array<Register, 32> registers_ = {};
  std::uint64_t since_ = 0;
};

/// Long entries of arm have the distance to the slot as a word behind the code.
std::vector<PltEntry> read_long_arm(const PltBytes& table) {
  constexpr CodePattern kWord{0xfffff000, 0xe59fc000};  // ldr ip, [pc, #NUMBER]
  constexpr std::uint32_t kAdd[] = {0xe08cc00f, 0xe08fc00c}, kJump = 0xe59cf000;
  std::vector<PltEntry> entries;
  for (std::uint64_t at = 0; at + 16 <= table.code.size(); at += 4) {
    const std::uint32_t first = word_at(table, at), second = word_at(table, at + 4);
    if (!kWord.fits(first) || (second != kAdd[0] && second != kAdd[1]) ||
        word_at(table, at + 8) != kJump || (first & 0xfff) != 4)
      continue;
    const std::uint64_t slot = word_at(table, at + 12) + table.address + at + 12;
    entries.push_back({at, at + 16, slot & UINT32_MAX});
    at += 12;
  }
  return entries;
}

std::vector<PltEntry> read_arm(const PltBytes& table) {
  std::vector<PltEntry> entries = WordPlt(table, arm_step).read();
  std::vector<PltEntry> longer = read_long_arm(table), all;
  std::ranges::merge(entries, longer, std::back_inserter(all), {}, &PltEntry::start,
                     &PltEntry::start);
  return all;
}

/// larl %r1, SLOT; lg %r1, 0(%r1); br %r1; and the code that looks the function up: 32 bytes.
std::vector<PltEntry> read_s390(const PltBytes& table) {
  constexpr std::uint64_t kSize = 32;
  constexpr std::uint8_t kLoad[] = {0xc0, 0x10},
                         kJump[] = {0xe3, 0x10, 0x10, 0, 0, 0x04, 0x07, 0xf1};
  std::vector<PltEntry> entries;
  for (std::uint64_t at = 0; at + kSize <= table.code.size(); at += kSize) {
    const std::uint8_t* const code = table.code.data() + at;
    if (!std::equal(std::begin(kLoad), std::end(kLoad), code) ||
        !std::equal(std::begin(kJump), std::end(kJump), code + 6))
      continue;
    const std::uint64_t halves = with_sign(load<std::uint32_t>(code + 2, std::endian::big), 32);
    entries.push_back({at, at + kSize, table.address + at + 2 * halves});
  }
  return entries;
}

}  // namespace

std::vector<PltEntry> read_plt(const PltBytes& table) {
  switch (table.machine) {
    case EM_386:
    case EM_X86_64:
      return X86Plt(table).read();
    case EM_AARCH64:
      return WordPlt(table, arm64_step).read();
    case EM_ARM:
      return read_arm(table);
    case EM_RISCV:
      return WordPlt(table, riscv_step).read();
    case EM_LOONGARCH:
      return WordPlt(table, loongarch_step).read();
    case EM_S390:
      return read_s390(table);
    default:
      return {};
  }
}

}  // namespace evname::elf
