#include "queries.hpp"
#include "screen/tell.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <set>
#include <string_view>

namespace evname::tools {
namespace {

/// The column of "event text, column N"; 0 if the place is none of that kind.
std::size_t column_of(const Error& error) {
  constexpr std::string_view kPlace = "event text, column ";
  std::size_t column = 0;
  if (error.where.starts_with(kPlace))
    std::from_chars(error.where.data() + kPlace.size(), error.where.data() + error.where.size(),
                    column);
  return column;
}

}  // namespace

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
  if (column_of(error) != 1) return error.text();
  Error plain = error;
  plain.where.clear();  // the whole query is meant
  return plain.text();
}

void print_warnings(const std::string& query, std::span<const Encoding> encodings) {
  std::set<std::string_view> told;
  for (const Encoding& e : encodings)
    for (const std::string& warning : e.warnings)
      if (told.insert(warning).second) tell_warning("{}: {}", query, warning);
}

void print_error(const std::string& query, const Error& error) {
  Error whole = error;
  if (whole.code == Errc::not_found && whole.hint.empty())
    whole.hint = "`evname list` with the same options shows what there is";
  tell_error("{}: {}", query.empty() ? "''" : query, error_text(whole));
  if (const std::size_t column = column_of(error); column > 1)
    fmt::print(stderr, "  {}\n  {:>{}}\n", query, '^', column);
}

}  // namespace evname::tools
