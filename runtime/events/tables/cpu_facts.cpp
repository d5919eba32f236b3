#include "events/tables/cpu_facts.hpp"

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

bool is_letter_digit(char c) { return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_pmu(std::string_view globs, std::string_view pmu) {
  return any_alternative(globs, [&](std::string_view name) {
    return name.find('*') == std::string_view::npos ? matches_ignoring_suffix(pmu, name)
                                                    : glob_match(name, pmu);
  });
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
    if (!is_letter_digit(c) && (c < '0' || c > '9')) return false;
    has_letter |= is_letter_digit(c);
  }
  return !rest.empty() && (!has_letter || rest.size() > 2);  // "cf" is likelier a word
}

bool holds(const CpuFacts& facts, const FactScope& scope, const FactQuery& query) {
  return (scope.arch == 0 || facts.text(scope.arch) == query.arch) &&
         is_pmu(facts.text(scope.pmus), query.pmu) &&
         matches_any(facts.text(scope.models), query.model) &&
         matches_any(facts.text(scope.cpuids), query.cpuid);
}

}  // namespace evname::tables
