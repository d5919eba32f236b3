#include "report/shown_code.hpp"

#include <algorithm>

namespace evname::tools {

bool has_samples(std::span<const std::uint64_t> by_event) {
  return std::ranges::any_of(by_event, [](std::uint64_t samples) { return samples > 0; });
}

std::vector<bool> shown_instructions(const InstructionReport::Code& code) {
  constexpr std::size_t kAround = 3;       // instructions before and after one with samples
  constexpr std::size_t kLeastFolded = 3;  // fewer are shown
  const std::size_t count = code.instructions.size();
  std::vector<bool> shown(count);
  for (std::size_t i = 0; i < count; ++i)
    if (has_samples(code.instructions[i].samples))
      for (std::size_t near = i - std::min(i, kAround); near < std::min(count, i + kAround + 1);
           ++near)
        shown[near] = true;
  for (std::size_t i = 0, end = 0; i < count; i = end + 1) {
    for (end = i; end < count && !shown[end];) ++end;
    if (end - i < kLeastFolded)
      std::fill_n(shown.begin() + static_cast<std::ptrdiff_t>(i), end - i, true);
  }
  return shown;
}

std::string inlined_text(const InstructionReport::Instruction& one, std::string_view separator) {
  std::string text;
  if (one.frames.size() < 2) return text;
  for (const Frame& frame : one.frames) {
    if (!text.empty()) text += separator;
    text += frame.function.empty() ? "?" : frame.function;
  }
  return text;
}

bool jumps_within(const InstructionReport::Code& code, const InstructionReport::Instruction& one) {
  return one.is_jump && one.target &&
         std::ranges::binary_search(code.instructions, *one.target, {},
                                    &InstructionReport::Instruction::address);
}

}  // namespace evname::tools
