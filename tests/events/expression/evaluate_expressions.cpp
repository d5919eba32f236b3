// Reads lines "EXPRESSION <TAB> NAME=VALUE <TAB> …" and prints the value of each, or "error:" and
// why there is none. An event's slashes in NAME are slashes; every name has to be given.

#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <map>
#include <string>

#include "base/text.hpp"
#include "events/expression/evaluate.hpp"
#include "events/expression/parse.hpp"

namespace {

using Named = std::map<std::string, double, std::less<>>;

std::string value_text(std::string_view expression, const Named& named) {
  const auto program = evname::expression::parse_expression(expression);
  if (!program) return "error: " + program.error().text();
  std::vector<double> values;
  for (const evname::expression::Symbol& symbol : program->symbols) {
    const auto found = named.find(evname::expression::event_text(symbol.name));
    if (found == named.end()) return "error: no value is given for " + symbol.name;
    values.push_back(found->second);
  }
  const auto value = evname::expression::evaluate(program->code(), values);
  return value ? fmt::format("{}", *value) : "error: no value";
}

Named named_values(std::string_view text) {
  Named named;
  for (const std::string_view field : evname::split(text, '\t')) {
    const std::size_t equals = field.rfind('=');
    if (equals == field.npos) continue;
    double value = 0;
    std::from_chars(field.data() + equals + 1, field.data() + field.size(), value);
    named.emplace(field.substr(0, equals), value);
  }
  return named;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::string_view text = line;
    const std::size_t tab = std::min(text.find('\t'), text.size());
    fmt::print("{}\n", value_text(text.substr(0, tab), named_values(text.substr(tab))));
  }
}
