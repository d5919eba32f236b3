#include "recordings/instructions/branches.hpp"

#include <elf.h>

#include <algorithm>
#include <initializer_list>

namespace evname::instructions {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view name, Words words) {
  return std::ranges::find(words, name) != words.end();
}
bool begins_with(std::string_view name, Words words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.starts_with(word); });
}
/// Removes an ending if it is there.
void cut_ending(std::string_view& name, std::string_view ending) {
  if (name.ends_with(ending)) name.remove_suffix(ending.size());
}

Flow kind(bool is_call, bool is_jump) {
  if (is_call) return Flow::call;
  return is_jump ? Flow::jump : Flow::next;
}

Flow x86_flow(std::string_view name) {
  return kind(begins_with(name, {"call", "lcall"}),
              begins_with(name, {"j", "ljmp", "loop", "xbegin"}));
}

Flow arm64_flow(std::string_view name) {
  return kind(name == "bl" || name.starts_with("blr"),
              is_one_of(name, {"b", "br", "braa", "braaz", "brab", "brabz"}) ||
                  begins_with(name, {"b.", "bc.", "cb", "tbz", "tbnz"}));
}

/// B, BL, BX and so on, each with a condition.
Flow arm_flow(std::string_view name) {
  cut_ending(name, ".w");
  cut_ending(name, ".n");
  const auto is = [&](std::string_view word) {
    return name.starts_with(word) &&
           is_one_of(name.substr(word.size()),
                     {"", "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls",
                      "ge", "lt", "gt", "le", "al"});
  };
  return kind(is("bl") || is("blx"),
              is("b") || is("bx") || is("bxj") || is_one_of(name, {"cbz", "cbnz", "tbb", "tbh"}));
}

/// The link bit is a last "l"; "bnl" is "not less".
Flow power_flow(std::string_view name) {
  cut_ending(name, "+");
  cut_ending(name, "-");
  cut_ending(name, "a");
  const bool is_branch =
      is_one_of(name, {"b", "bl"}) ||
      (begins_with(name, {"bc", "bd", "be", "bf", "bg", "bl", "bn", "bs", "bt", "bu"}) &&
       !name.starts_with("bcd") && name != "blr");
  return kind(is_branch && name.ends_with("l") && name != "bnl", is_branch);
}

/// Branches, and compare-and-branch: C, CL, CG or CLG, a register or number, relative or not.
Flow s390_flow(std::string_view name, std::string_view text) {
  if (begins_with(text, {"bc 0,", "bcr 0,"})) return Flow::next;  // no condition
  std::string_view rest = name;
  for (const char letter : {'c', 'l', 'g'})
    if (rest.starts_with(letter)) rest.remove_prefix(1);
  const bool is_compare = begins_with(rest, {"ij", "rj", "ib", "rb"});
  return kind(
      begins_with(name, {"bal", "bas", "bras"}),
      is_compare || name.starts_with('j') ||
          (name.starts_with('b') && !begins_with(name, {"bak", "bpp", "bprp", "bsa", "bsg"})));
}

/// Of RISC-V and LoongArch.
bool compares(std::string_view name) {
  return begins_with(name, {"beq", "bne", "blt", "bge", "bgt", "ble"});
}

/// "jr ra" is a return.
Flow riscv_flow(std::string_view name, std::string_view text) {
  if (name.starts_with("c.")) name.remove_prefix(2);
  if (name == "jr" && text.ends_with(" ra")) return Flow::next;
  return kind(is_one_of(name, {"jal", "jalr"}), is_one_of(name, {"j", "jr"}) || compares(name));
}

Flow loongarch_flow(std::string_view name) {
  return kind(is_one_of(name, {"bl", "jirl"}),
              is_one_of(name, {"b", "jr", "bceqz", "bcnez"}) || compares(name));
}

}  // namespace

bool is_x86_prefix(std::string_view word) {
  return is_one_of(word,
                   {"lock", "rep", "repe", "repz", "repne", "repnz", "bnd", "notrack", "xacquire",
                    "xrelease", "data16", "addr32", "rex64", "cs", "ds", "es", "fs", "gs", "ss"});
}

Flow flow_of(std::uint16_t machine, std::string_view text) {
  std::string_view name = text.substr(0, text.find(' '));
  switch (machine) {
    case EM_X86_64:
    case EM_386:
      while (is_x86_prefix(name) && name.size() < text.size()) {
        text.remove_prefix(name.size() + 1);
        name = text.substr(0, text.find(' '));
      }
      return x86_flow(name);
    case EM_AARCH64:
      return arm64_flow(name);
    case EM_ARM:
      return arm_flow(name);
    case EM_PPC64:
    case EM_PPC:
      return power_flow(name);
    case EM_S390:
      return s390_flow(name, text);
    case EM_RISCV:
      return riscv_flow(name, text);
    case EM_LOONGARCH:
      return loongarch_flow(name);
    default:
      return Flow::next;
  }
}

}  // namespace evname::instructions
