#include "recordings/unwinding/frame_rules.hpp"

#include <cstdlib>
#include <memory>
#include <span>

#include <dwarf.h>

namespace evname::unwinding {

/// Converts the expressions that libdw makes from the rules "at the frame plus a number" and "the
/// frame plus a number"; nullopt for others.
std::optional<FrameRule::Rule> FrameRule::rule_of(Dwarf_Frame* frame, unsigned number) {
  Dwarf_Op room[3], *start = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, static_cast<int>(number), room, &start, &count) != 0)
    return std::nullopt;
  if (count == 0 && start == room) return Rule{};
  if (count == 0) return start ? std::nullopt : std::optional(Rule{How::same});
  std::span<const Dwarf_Op> rest(start, count);
  if (rest[0].atom != DW_OP_call_frame_cfa) return std::nullopt;
  rest = rest.subspan(1);
  Rule rule{How::saved};
  if (!rest.empty() && rest[0].atom == DW_OP_plus_uconst) {
    const auto offset = static_cast<std::int64_t>(rest[0].number);
    rule.offset = static_cast<std::int32_t>(offset);
    if (rule.offset != offset) return std::nullopt;
    rest = rest.subspan(1);
  }
  if (!rest.empty() && rest[0].atom == DW_OP_stack_value) {
    rule.how = How::sum;
    rest = rest.subspan(1);
  }
  return rest.empty() ? std::optional(rule) : std::nullopt;
}

std::optional<FrameRule> FrameRule::read(Dwarf_CFI* cfi, Dwarf_Addr address) {
  Dwarf_Frame* found = nullptr;
  if (dwarf_cfi_addrframe(cfi, address, &found) != 0) return std::nullopt;
  const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> frame(found, std::free);
  bool is_of_signal = false;
  Dwarf_Op* sum = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_info(found, nullptr, nullptr, &is_of_signal) != Registers::kReturn ||
      is_of_signal || dwarf_frame_cfa(found, &sum, &count) != 0 || count != 1 ||
      sum->atom != DW_OP_bregx || sum->number >= Registers::kCount)
    return std::nullopt;
  FrameRule rule;
  rule.frame_register_ = static_cast<unsigned>(sum->number);
  rule.frame_offset_ = sum->number2;
  for (unsigned i = 0; i < Registers::kCount; ++i) {
    const std::optional<Rule> one = rule_of(found, i);
    if (!one) return std::nullopt;
    rule.rules_[i] = *one;
  }
  return rule;
}

}  // namespace evname::unwinding
