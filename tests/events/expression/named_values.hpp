#pragma once
// A metric's value from a few named counts.

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "events/expression/evaluate.hpp"
#include "events/expression/parse.hpp"

namespace evname::expression::test {

using Named = std::map<std::string, double, std::less<>>;

/// One for each symbol of the program; NaN for what is not named.
inline std::vector<double> values_of(const Program& program, const Named& named) {
  std::vector<double> values;
  for (const Symbol& symbol : program.symbols) {
    const auto found = named.find(symbol.name);
    values.push_back(found == named.end() ? std::numeric_limits<double>::quiet_NaN()
                                          : found->second);
  }
  return values;
}

inline Program parsed(std::string_view text) {
  auto program = parse_expression(text);
  EXPECT_TRUE(program) << text << ": " << (program ? "" : program.error().text());
  return program ? *program : Program{{Step{Op::number, 0}}, {0}, {}};
}

inline std::optional<double> value_of(std::string_view text, const Named& named = {}) {
  const Program program = parsed(text);
  return evaluate(program.code(), values_of(program, named));
}

}  // namespace evname::expression::test
