#pragma once
// Prints functions with the samples of each instruction.

#include <cstddef>
#include <string>
#include <vector>

#include "evname/instructions.hpp"

namespace evname::tools {

struct InstructionsView {
  enum class Format { text, csv, json } format = Format::text;
  InstructionReport::Syntax syntax = InstructionReport::Syntax::intel;
  std::size_t top = 10;                 ///< functions
  bool whole = false;                   ///< text: also instructions far from all samples
  bool guard_formulas = false;          ///< CSV
  std::vector<std::string> above = {};  ///< text: lines before the functions
};

void print_instructions(const InstructionReport& report, const InstructionsView& view);

}  // namespace evname::tools
