// Reads expressions, one a line, and prints of each: its simplified text and the names that its
// program depends on, separated by tabs; or "error:" and why it is none.

#include <fmt/format.h>

#include <iostream>
#include <string>

#include "events/expression/evaluate.hpp"
#include "events/expression/parse.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto program = evname::expression::parse_expression(line);
    std::string out = program ? simplified_text(*program) : "error: " + program.error().text();
    if (program)
      for (const auto& symbol : program->symbols) out += "\t" + symbol.name;
    fmt::print("{}\n", out);
  }
}
