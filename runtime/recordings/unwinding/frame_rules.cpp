#include "recordings/unwinding/frame_rules.hpp"

#include <bit>
#include <cstdlib>
#include <memory>
#include <span>

#include <dwarf.h>

#include "recordings/elf/elf_image.hpp"

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

// For the rule "the same value" libdw returns no operations and nullptr. For an undefined register
// it returns no operations and the given buffer.
std::optional<bool> keeps_return_address(Dwarf_CFI* cfi, Dwarf_Addr address) {
  Dwarf_Frame* found = nullptr;
  if (dwarf_cfi_addrframe(cfi, address, &found) != 0) return std::nullopt;
  const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> frame(found, std::free);
  const int link = dwarf_frame_info(found, nullptr, nullptr, nullptr);
  Dwarf_Op room[3], *rule = room;
  std::size_t count = 0;
  return link >= 0 && dwarf_frame_register(found, link, room, &rule, &count) == 0 && count == 0 &&
         rule == nullptr;
}

// The table follows the code at the next multiple of 8; its addresses are relative to that place
// (jit_write_elf of tools/perf/util/genelf.c).
std::vector<std::uint8_t> code_image(std::uint16_t machine, std::uint64_t start,
                                     const symbols::CodeHistory::Unwinding& unwinding) {
  GElf_Ehdr like = {};
  like.e_ident[EI_CLASS] = ELFCLASS64;
  like.e_ident[EI_DATA] = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  like.e_type = ET_DYN;
  like.e_machine = machine;
  GElf_Phdr segment = {};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_vaddr = segment.p_paddr = start;
  segment.p_memsz = unwinding.code_size;
  segment.p_align = 1;
  const elf::MadeSection table{".eh_frame", unwinding.table,
                               start + (unwinding.code_size + 7) / 8 * 8};
  return elf::make_elf(like, {&segment, 1}, {&table, 1});
}

}  // namespace evname::unwinding
