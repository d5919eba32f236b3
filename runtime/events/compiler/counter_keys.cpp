#include "events/compiler/counter_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "events/compiler/keys.hpp"

namespace evname::compiler {
namespace {

constexpr std::uint64_t kFirstFixed = 32;   // INTEL_PMC_IDX_FIXED of the kernel
constexpr std::uint64_t kMaxCounters = 64;  // bits of a set

bool is_core(std::string_view pmu) { return pmu == "default_core" || pmu.starts_with("cpu_"); }

bool is_pseudo_code(std::span<const TermSpec> terms) {
  return std::none_of(terms.begin(), terms.end(), [](const TermSpec& term) {
    return term.name == "event" && term.number.value != 0;
  });
}

/// "Fixed counter 2", "FIXED": which one; nullopt: not a fixed counter.
std::optional<std::uint64_t> fixed_counter(std::string_view text) {
  constexpr std::string_view kFixed = "fixed", kCounter = "counter";
  const std::string lower = to_lower(trim(text));
  if (!lower.starts_with(kFixed)) return std::nullopt;
  std::string_view rest = trim(std::string_view(lower).substr(kFixed.size()));
  if (rest.starts_with(kCounter)) rest = trim(rest.substr(kCounter.size()));
  return rest.empty() ? 0 : parse_decimal(rest);
}

/// "0,1,3"; nullopt: something else.
std::optional<tables::Counters> numbered_counters(std::string_view text, bool core) {
  tables::Counters out{};
  for (const std::string_view piece : split(text, ',')) {
    const auto number = parse_decimal(trim(piece));
    if (!number || *number >= kMaxCounters) return std::nullopt;
    if (core && *number >= kFirstFixed)
      out.fixed |= std::uint64_t{1} << (*number - kFirstFixed);
    else
      out.generic |= std::uint64_t{1} << *number;
  }
  return out;
}

std::optional<std::uint16_t> counter_number(const trees::Object& object, std::string_view key,
                                            trees::Diagnostics& diagnostics) {
  const trees::Field* field = object.find(key);
  if (field == nullptr) return 0;
  const auto number = parse_decimal(trim(field->value));
  if (number && *number <= kMaxCounters) return static_cast<std::uint16_t>(*number);
  diagnostics.report(trees::Severity::warning, field->place, object.get("Unit"), key,
                     fmt::format("'{}' is not a number of counters (at most {}); left out",
                                 field->value, kMaxCounters));
  return std::nullopt;
}

}  // namespace

tables::Counters read_counters(const trees::Object& object, std::string_view pmu,
                               std::span<const TermSpec> terms, trees::Diagnostics& diagnostics) {
  const trees::Field* field = object.find("Counter");
  if (field == nullptr || trim(field->value).empty()) return {};
  const bool core = is_core(pmu);
  if (const auto fixed = fixed_counter(field->value); fixed && *fixed < kMaxCounters)
    return {core && !is_pseudo_code(terms) ? tables::kAnyCounter : 0, std::uint64_t{1} << *fixed};
  if (const auto numbered = numbered_counters(field->value, core)) return *numbered;
  diagnostics.report(trees::Severity::warning, field->place, object.get("EventName"), field->key,
                     fmt::format("'{}' is neither a list of counters (0 to {}) nor a fixed counter;"
                                 " left out",
                                 field->value, kMaxCounters - 1));
  return {};
}

void CounterNumbers::hold(const tables::Counters& counters) {
  const auto width = [](std::uint64_t set) {
    return static_cast<std::uint16_t>(set == tables::kAnyCounter ? 0 : std::bit_width(set));
  };
  generic = std::max(generic, width(counters.generic));
  fixed = std::max(fixed, width(counters.fixed));
}

tables::Counters CounterNumbers::normal(tables::Counters counters) const {
  if (generic > 0 && std::countr_one(counters.generic) >= generic)
    counters.generic = tables::kAnyCounter;
  return counters;
}

std::optional<std::pair<std::string, CounterNumbers>> read_counter_numbers(
    const trees::Object& object, trees::Diagnostics& diagnostics) {
  if (object.find("CountersNumGeneric") == nullptr && object.find("CountersNumFixed") == nullptr)
    return std::nullopt;
  const auto generic = counter_number(object, "CountersNumGeneric", diagnostics);
  const auto fixed = counter_number(object, "CountersNumFixed", diagnostics);
  if (!generic || !fixed) return std::nullopt;
  const std::string_view unit = object.get("Unit");
  return std::pair(unit == "core" ? pmu_of_unit("") : pmu_of_unit(unit),
                   CounterNumbers{*generic, *fixed});
}

}  // namespace evname::compiler
