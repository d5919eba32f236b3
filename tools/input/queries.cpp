#include "input/queries.hpp"

#include <fmt/format.h>

#include <iostream>
#include <set>
#include <string_view>

#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
std::vector<std::string> expand_queries(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  for (const std::string& argument : arguments) {
    if (argument != "-") {
      out.push_back(argument);
      continue;
    }
    for (std::string line; std::getline(std::cin, line);) {
      const auto last = line.find_last_not_of(" \t\r");
      if (last != line.npos) out.push_back(line.substr(0, last + 1));
    }
  }
  return out;
}

std::string error_text(const Error& error) {
  if (error.offset != 0u) return error.text();
  Error plain = error;
  plain.where.clear();  // the whole query is meant
  return plain.text();
}

void print_warnings(const std::string& query, std::span<const Encoding> encodings) {
  std::set<std::string_view> told;
  for (const Encoding& e : encodings)
    for (const std::string& warning : e.warnings())
      if (told.insert(warning).second) tell_warning("{}: {}", query, warning);
}

void print_error(const std::string& query, const Error& error) {
  Error whole = error;
  if (whole.code == Errc::not_found && whole.hint.empty())
    whole.hint = "`evname list` with the same options shows what there is";
  tell_error("{}: {}", query.empty() ? "''" : query, error_text(whole));
  if (error.offset.value_or(0) > 0)
    to_stderr(fmt::format("  {}\n  {:>{}}\n", query, '^', *error.offset + 1));
}

std::optional<std::vector<Encoding>> resolve_query(const Machine& machine, const std::string& query,
                                                   bool json) {
  auto encodings = machine.resolve(query);
  if (encodings) {
    print_warnings(query, *encodings);
    return std::move(*encodings);
  }
  if (json)
    JsonLine().text("query", query).text("error", error_text(encodings.error()));
  else
    print_error(query, encodings.error());
  return std::nullopt;
}

}  // namespace evname::tools
