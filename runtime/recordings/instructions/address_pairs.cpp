#include "recordings/instructions/address_pairs.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>

namespace evname::instructions {
namespace {

/// RISC-V's names of registers, by number.
constexpr std::string_view kRiscvNames[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                            "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                            "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                            "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

/// Power's register with the address of the table of contents, which a whole function keeps.
constexpr std::size_t kTableOfContents = 2;

/// Reads "#0x10", "-16" and so on.
std::optional<std::uint64_t> number_in(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -number : number;
}

/// A number of 16 bits with a sign, which may be printed without it.
std::optional<std::uint64_t> half_in(std::string_view text) {
  const auto number = number_in(text);
  return number ? std::optional<std::uint64_t>(static_cast<std::int16_t>(*number)) : std::nullopt;
}

/// The same, as bits 16 to 31.
std::optional<std::uint64_t> high_half(std::string_view text) {
  const auto half = half_in(text);
  return half ? std::optional(*half << 16) : std::nullopt;
}

}  // namespace

/// An instruction's name, its first operands, and the register and the distance of its address:
/// "[x1, #8]" or "8(a0)". What follows an address, or an "!", changes the register.
struct AddressPairs::Parts {
  explicit Parts(std::string_view text) {
    const std::size_t space = text.find(' ');
    name = text.substr(0, space);
    if (space == text.npos) return;
    text.remove_prefix(space + 1);
    const std::size_t open = text.find_first_of("[("), close = text.find_first_of("])");
    if (open < close && close != text.npos) {
      const std::size_t from = text[open] == '[' ? open + 1 : text.rfind(' ', open) + 1;
      std::string_view inner = text.substr(from, close - from);
      const std::size_t at = inner.find_first_of(",(");
      base = inner.substr(0, at);
      more = at == inner.npos ? "0" : inner.substr(at);
      more.remove_prefix(std::min(more.find_first_not_of(", ("), more.size()));
      if (text[open] == '(') std::swap(base, more);
      changes_base = close + 1 < text.size();
      text = text.substr(0, from - (text[open] == '['));
    }
    for (std::size_t i = 0; i < operands.size() && !text.empty(); ++i) {
      const std::size_t comma = text.find(", ");
      operands[i] = text.substr(0, comma);
      text = comma == text.npos ? std::string_view() : text.substr(comma + 2);
    }
  }

  std::string_view name, base, more;
  bool changes_base = false;
  std::array<std::string_view, 4> operands;
};

std::optional<std::uint64_t> AddressPairs::add(std::string_view text, std::uint64_t address) {
  if (machine_ == EM_AARCH64) return add_arm64(Parts(text));
  if (machine_ == EM_RISCV) return add_riscv(Parts(text), address);
  if (machine_ == EM_PPC64) return add_ppc64(Parts(text), address);
  return std::nullopt;
}

std::optional<std::uint64_t> AddressPairs::add_arm64(const Parts& parts) {
  const auto& [to, from, more, shift] = parts.operands;
  std::optional<std::uint64_t> found;
  if (!parts.base.empty())
    found = value(parts.base, parts.more);
  else if (parts.name == "add" && shift.empty())
    found = value(from, more);
  if (parts.name == "bl" || parts.name == "blr") {
    forget_calls();
  } else if (parts.name == "b" || parts.name == "br" || parts.name == "ret") {
    forget();
  } else if (parts.name == "adrp") {
    set(to, number_in(from));
  } else if (!parts.name.starts_with("st")) {
    set(to, parts.base.empty() ? found : std::nullopt);
    if (parts.name.starts_with("ldp")) set(from, std::nullopt);
  }
  if (parts.changes_base) set(parts.base, std::nullopt);
  return found;
}

// The immediate of AUIPC has 20 bits, and stands for bits 12 to 31.
std::optional<std::uint64_t> AddressPairs::add_riscv(const Parts& parts, std::uint64_t address) {
  std::string_view name = parts.name;
  if (name.starts_with("c.")) name.remove_prefix(2);
  const auto& [to, from, more, none] = parts.operands;
  std::optional<std::uint64_t> found;
  if (!parts.base.empty())
    found = value(parts.base, parts.more);
  else if (name == "addi")
    found = value(from, more);
  if (name == "jal" || name == "jalr") {
    forget_calls();
  } else if (name == "j" || name == "jr" || name == "ret") {
    forget();
  } else if (name == "auipc") {
    const auto pages = number_in(from);
    set(to, pages ? std::optional(address + static_cast<std::uint64_t>(
                                                static_cast<std::int64_t>(*pages << 44) >> 32))
                  : pages);
  } else if (!name.starts_with('b') && name != "sd" && name != "sw" && name != "sh") {
    set(to, parts.base.empty() ? found : std::nullopt);
  }
  return found;
}

// Power's constants have 16 bits and a sign, which Capstone prints without it. A function begins
// with its own address in r12, and makes r2 of it; behind a call, r2 is loaded again, with the same
// value.
std::optional<std::uint64_t> AddressPairs::add_ppc64(const Parts& parts, std::uint64_t address) {
  const auto& [to, from, more, none] = parts.operands;
  const std::string_view name = parts.name;
  if (name.starts_with('b')) {
    if (name.ends_with('l')) forget_calls();
    if (name == "b" || name == "bctr" || name == "blr") forget();
    return std::nullopt;
  }
  std::optional<std::uint64_t> found, made;
  if (!parts.base.empty()) {
    found = value(parts.base, parts.more);
  } else if (name == "lis") {
    made = high_half(from);
  } else if (name == "addi") {
    found = value(from, more);
    made = found;
  } else if (name == "addis") {
    const auto at = number_of(from);
    const auto high = high_half(more);
    const auto start = at == 12 ? std::optional(address) : at ? known_[*at] : std::nullopt;
    if (start && high) made = *start + *high;
  }
  const bool writes =
      !name.starts_with("st") && !name.starts_with("cmp") && !name.starts_with("mt");
  const bool keeps = number_of(to) == kTableOfContents && name != "lis" && name != "addis";
  if (writes && (made || !keeps)) set(to, made);
  if (name.ends_with('u')) set(parts.base, std::nullopt);
  if (name.ends_with("ux")) set(from, std::nullopt);
  return found;
}

void AddressPairs::forget() {
  const auto kept = known_[kTableOfContents];
  known_ = {};
  if (machine_ == EM_PPC64) known_[kTableOfContents] = kept;
}

/// Whether a called function leaves a register as it was, by the ABI of each machine.
bool AddressPairs::is_kept_by_calls(std::size_t at) const {
  switch (machine_) {
    case EM_AARCH64:
      return at > 18 && at != 30;
    case EM_PPC64:
      return at > 12 || at == 1 || at == kTableOfContents;
    default:
      return kRiscvNames[at].starts_with('s') || at == 3 || at == 4;
  }
}

void AddressPairs::forget_calls() {
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (!is_kept_by_calls(i)) known_[i].reset();
}

std::optional<std::uint64_t> AddressPairs::value(std::string_view name,
                                                 std::string_view more) const {
  const auto at = number_of(name);
  const auto distance = machine_ == EM_PPC64 ? half_in(more) : number_in(more);
  if (!at || !known_[*at] || !distance) return std::nullopt;
  return *known_[*at] + *distance;
}

void AddressPairs::set(std::string_view name, std::optional<std::uint64_t> value) {
  if (const auto at = number_of(name)) known_[*at] = value;
}

std::optional<std::size_t> AddressPairs::number_of(std::string_view name) const {
  if (machine_ == EM_RISCV) {
    const auto* const at = std::ranges::find(kRiscvNames, name);
    return at == std::end(kRiscvNames) || name == "zero" ? std::nullopt
                                                         : std::optional(at - kRiscvNames);
  }
  if (machine_ == EM_PPC64) {  // LLVM prints "2", Capstone "r2"
    const auto number = number_in(name.starts_with('r') ? name.substr(1) : name);
    return number && *number < 32 ? number : std::nullopt;
  }
  if (!name.starts_with('x') && !name.starts_with('w')) return std::nullopt;
  const auto number = number_in(name.substr(1));
  return number && *number < 31 ? number : std::nullopt;
}

}  // namespace evname::instructions
