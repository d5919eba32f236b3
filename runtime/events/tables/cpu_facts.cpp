#include "events/tables/cpu_facts.hpp"

#include <algorithm>

#include "base/glob.hpp"
#include "base/text.hpp"

namespace evname::tables {
namespace {

/// Returns true if the predicate holds for one of the alternatives, or there is none.
template <class Predicate>
bool any_alternative(std::string_view list, Predicate fits) {
  if (list.empty()) return true;
  for (;;) {
    const std::size_t bar = list.find('|');
    if (fits(list.substr(0, bar))) return true;
    if (bar == std::string_view::npos) return false;
    list.remove_prefix(bar + 1);
  }
}

bool is_wildcard(char c) { return c == '*' || c == '?' || c == '['; }

bool is_glob(std::string_view pattern) { return std::ranges::any_of(pattern, is_wildcard); }

/// Returns true if the first character excludes a match, as for nearly all of the thousands of
/// pairs when a machine is opened.
bool begins_otherwise(std::string_view name, std::string_view pattern) {
  return !name.empty() && !pattern.empty() && name[0] != pattern[0] &&
         !is_glob(pattern.substr(0, 1));
}

/// Removes an instance number from the front: an optional `_`, and decimal digits.
void remove_number(std::string_view& name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  name.remove_prefix(std::min(name.find_first_not_of("0123456789"), name.size()));
}

}  // namespace

CpuFacts FactArrays::view() const {
  CpuFacts out;
  out.strings = strings;
#define ARRAY(Element, name) out.name = {name.data(), name.size()};  // cheaper to compile
  EVNAME_FACT_ARRAYS(ARRAY)
#undef ARRAY
  return out;
}

bool matches_any(std::string_view globs, std::string_view text) {
  return any_alternative(globs, [&](std::string_view glob) { return glob_match(glob, text); });
}

bool matches_ignoring_suffix(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem)) return false;
  std::string_view rest = name.substr(stem.size());
  if (rest.empty()) return true;
  if (rest.front() == '_') rest.remove_prefix(1);
  bool has_letter = false;
  for (const char c : rest) {
    if (!is_hex_digit(c)) return false;
    has_letter |= is_letter(c);
  }
  return !rest.empty() && (!has_letter || rest.size() > 2);  // "cf" is probably a word
}

bool is_instance(std::string_view name, std::string_view pattern) {
  if (begins_otherwise(name, pattern)) return false;
  if (is_glob(pattern)) return glob_match(pattern, name);
  if (pattern.find(',') == pattern.npos) return matches_ignoring_suffix(name, pattern);
  for (bool is_first = true; !pattern.empty(); is_first = false) {
    const std::string_view piece = pattern.substr(0, pattern.find(','));
    pattern.remove_prefix(std::min(piece.size() + 1, pattern.size()));
    if (!is_first && name.starts_with('_')) name.remove_prefix(1);
    if (!name.starts_with(piece)) return false;
    name.remove_prefix(piece.size());
    remove_number(name);
  }
  return name.empty();
}

bool is_instance_of_any(std::string_view name, std::string_view patterns) {
  return any_alternative(patterns,
                         [&](std::string_view pattern) { return is_instance(name, pattern); });
}

std::optional<std::string> name_of_pattern(std::string_view pattern) {
  if (is_glob(pattern)) return std::nullopt;
  std::string name(pattern);
  std::ranges::replace(name, ',', '_');
  return name;
}

bool holds(const CpuFacts& facts, const FactScope& scope, const FactQuery& query) {
  return (scope.arch == 0 || facts.text(scope.arch) == query.arch) &&
         is_instance_of_any(query.pmu, facts.text(scope.pmus)) &&
         matches_any(facts.text(scope.models), query.model) &&
         matches_any(facts.text(scope.cpuids), query.cpuid);
}

FactRow<PmuFact> first_core(FactLayers all, FactQuery cpu) {
  for (const CpuFacts& facts : all)
    for (const PmuFact& row : facts.pmus) {
      const std::string_view names = facts.text(row.scope.pmus);
      cpu.pmu = names.substr(0, names.find('|'));
      if (is_core(row.kind) && holds(facts, row.scope, cpu)) return {&facts, &row};
    }
  return {};
}

}  // namespace evname::tables
