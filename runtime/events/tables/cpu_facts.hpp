#pragma once
// Holds the facts about CPUs and their PMUs from the *.csv files beside each mapfile.csv, which
// arch/README.md describes. Like the tables of events, these are arrays without pointers, for all
// architectures together.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/tables.hpp"

namespace evname::tables {

/// The PMUs and CPUs that a row is for. Each condition is a list with `|` between its globs; an
/// empty one holds for all.
struct FactScope {
  Text arch;    ///< one name, no glob
  Text pmus;    ///< patterns of is_instance()
  Text cpuids;  ///< CPUID strings
  Text models;  ///< directories

  bool operator==(const FactScope&) const = default;
};

/// A format field of PMUs: the set bits of `mask` in config word `word`.
struct FormatField {
  Text name;
  std::uint32_t word;
  std::uint64_t mask;
};

enum class PmuKind : std::uint8_t {
  core,
  maker_core,  ///< a core PMU of the CPU's maker, without the architecture's common events
  uncore,
  other,
  none,  ///< event files of the model name it, but CPUs of the scope lack it
};
constexpr bool is_core(PmuKind kind) {
  return kind == PmuKind::core || kind == PmuKind::maker_core;
}

/// A row of pmus.csv.
struct PmuFact {
  FactScope scope;
  std::uint32_t first_field;  ///< run of CpuFacts::fields, sorted by name
  std::uint16_t field_count;
  std::uint8_t type;  ///< attr.type if the kernel fixes it, else kTypeOfBoot
  PmuKind kind;
};
constexpr std::uint8_t kTypeOfBoot = 255;

/// A row of cleared-bits.csv: bits of config that the driver of the PMUs clears without an error.
struct ClearedFact {
  FactScope scope;
  std::uint64_t bits;
};

/// A row of units.csv: the name in event files of the PMUs of the scope.
struct UnitFact {
  FactScope scope;
  Text unit;
};

/// An event that the kernel's driver adds to a PMU.
struct PmuEvent {
  Text name, terms, unit;
  double scale;  ///< a count is multiplied by this
};

/// Adjacent rows of pmu-events.csv for the same PMUs.
struct PmuEventFact {
  FactScope scope;
  std::uint32_t first_event, event_count;  ///< run of CpuFacts::pmu_events
};

/// A row of former-scales.csv: the scale and unit of an event's counts in other versions of perf.
struct FormerScale {
  FactScope scope;
  Text events;  ///< globs with a `|` between them
  Text unit;
  double scale;
};

/// A row of event-descriptions.csv: the description of events that a driver only names.
struct EventTextFact {
  FactScope scope;
  Text events;  ///< globs with a `|` between them
  Text description;
};

/// A row of counters.csv.
struct CounterFact {
  FactScope scope;
  std::uint16_t generic, fixed;
  std::uint16_t
      one_thread;      ///< generic counters of a core that runs one thread; 0: as many as with two
  std::uint16_t each;  ///< 1: every event has a counter to itself, or needs none
  std::uint16_t paired_event;  ///< this event takes an even counter and the one after it; 0: none
};

/// A row of slots.csv: the issue slots of a core in a cycle, which sysfs has in caps/slots.
struct SlotsFact {
  FactScope scope;
  std::uint32_t slots;
};

/// A code that a core PMU counts PERF_COUNT_HW_… number `event` with.
struct GenericCode {
  std::uint64_t code;
  std::uint32_t event;
  std::uint32_t reserved;
};

/// A row of generic-events.csv.
struct GenericFact {
  FactScope scope;
  std::uint32_t first_code,
      code_count;  ///< run of CpuFacts::generic_codes; of an event's codes the first that exists
};

enum class NameKind : std::uint8_t { short_name, code_name, pmu_name };

/// Another name of a model, from names.csv; without a model, of a CPU whose events are not
/// published.
struct CpuName {
  Text name, model, cpuids;
  NameKind kind;
};

/// A row of products.csv: CPUs by product name. It has their model, else a CPUID string if the
/// architecture's files have facts about them, else a note on why there are no tables.
struct CpuProduct {
  Text pattern;  ///< POSIX extended regular expression of the bare product name
  Text model, cpuid, note;
};

/// ARRAY(element, name) once for each array.
#define EVNAME_FACT_ARRAYS(ARRAY)   \
  ARRAY(FormatField, fields)        \
  ARRAY(PmuFact, pmus)              \
  ARRAY(UnitFact, units)            \
  ARRAY(PmuEvent, pmu_events)       \
  ARRAY(PmuEventFact, event_facts)  \
  ARRAY(FormerScale, former_scales) \
  ARRAY(EventTextFact, event_texts) \
  ARRAY(CounterFact, counters)      \
  ARRAY(SlotsFact, slots)           \
  ARRAY(ClearedFact, cleared_facts) \
  ARRAY(GenericCode, generic_codes) \
  ARRAY(GenericFact, generic_facts) \
  ARRAY(CpuName, names)             \
  ARRAY(CpuProduct, products)

struct CpuFacts {
  std::span<const char> strings;
#define ARRAY(Element, name) std::span<const Element> name;
  EVNAME_FACT_ARRAYS(ARRAY)
#undef ARRAY

  std::string_view text(Text offset) const { return strings.data() + offset; }
};

/// Facts in order of precedence: from directories that are laid over the build, the last one first,
/// then from the build.
using FactLayers = std::span<const CpuFacts>;

/// The same arrays in memory.
struct FactArrays {
  std::string strings = std::string(1, '\0');
#define ARRAY(Element, name) std::vector<Element> name;
  EVNAME_FACT_ARRAYS(ARRAY)
#undef ARRAY

  /// Returns views that are valid while this object is neither changed nor moved.
  CpuFacts view() const;
};

/// The PMU or CPU to look up; unknown members are empty.
struct FactQuery {
  std::string_view arch, pmu, cpuid, model;
};

/// Returns true if a glob of the list matches the text, or the list is empty.
bool matches_any(std::string_view globs, std::string_view text);

/// Returns true if the rest of `name` after `stem` is an instance number: an optional `_`, then
/// hexadecimal digits, more than two if one is a letter.
bool matches_ignoring_suffix(std::string_view name, std::string_view stem);

/// Returns true if `name` is the PMU that event files and facts call `pattern`, or an instance of
/// it. The pattern is a name ("uncore_imc" for "uncore_imc_3"), pieces of a name with numbers after
/// them ("hisi_sccl,ddrc" for "hisi_sccl1_ddrc0"), or a glob. Source: tools/perf/util/pmu.c,
/// perf_pmu__match_wildcard_uncore, which does not accept `_` before the number of a piece.
bool is_instance(std::string_view name, std::string_view pattern);

/// Returns true if the name is an instance of one of the patterns, or there is none.
bool is_instance_of_any(std::string_view name, std::string_view patterns);

/// Returns the name of a PMU that stands for all instances: "hisi_sccl_ddrc" for "hisi_sccl,ddrc";
/// nullopt: a glob is no name.
std::optional<std::string> name_of_pattern(std::string_view pattern);

/// Returns true if all conditions of the scope hold.
bool holds(const CpuFacts& facts, const FactScope& scope, const FactQuery& query);

/// A row, and the facts that contain it; `row` is nullptr if there is none.
template <class Row>
struct FactRow {
  const CpuFacts* facts = nullptr;
  const Row* row = nullptr;

  explicit operator bool() const { return row != nullptr; }
  std::string_view text(Text offset) const { return facts->text(offset); }
};

/// Returns the first row whose conditions hold.
template <class Row>
FactRow<Row> first_row(FactLayers all, std::span<const Row> CpuFacts::*rows,
                       const FactQuery& query) {
  for (const CpuFacts& facts : all)
    for (const Row& row : facts.*rows)
      if (holds(facts, row.scope, query)) return {&facts, &row};
  return {};
}

/// Returns the first row for a core PMU that the CPU may have, regardless of names.
FactRow<PmuFact> first_core(FactLayers all, FactQuery cpu);

/// Returns the facts of this build; they live as long as the program.
FactLayers built_in_facts();

/// Returns the arrays of the generated tables_index.cpp.
CpuFacts generated_facts();

}  // namespace evname::tables
