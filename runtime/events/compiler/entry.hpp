#pragma once
// One entry of a topic file with its meaning: an event, a metric, or both.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "events/compiler/encode_entry.hpp"
#include "events/expression/program.hpp"
#include "events/tables/model_view.hpp"

namespace evname::compiler {

/// Reads the counters that "Counter" names. Returns no counter at all if the key is missing or
/// malformed (a warning says so).
///
/// "0,1,3" are generic counters; 32 and above fixed ones of a core PMU, from 32 on, as the kernel
/// numbers them. "Fixed counter 1" of a core PMU is fixed counter 1, and any generic counter too
/// if the event has a code of its own: only codes that begin with event 0 are for fixed counters
/// alone. "FIXED" of other PMUs is their only fixed counter.
tables::Counters read_counters(const trees::Object& object, std::string_view pmu,
                               std::span<const tables::Term> terms,
                               trees::Diagnostics& diagnostics);

/// The numbers of counters of a PMU.
struct CounterNumbers {
  std::uint16_t generic = 0;
  std::uint16_t fixed = 0;

  /// Raises the numbers to the needs of an event.
  void hold(const tables::Counters& counters);
  /// Replaces a set of all generic counters by kAnyCounter: models that differ in nothing else
  /// share the event.
  tables::Counters normal(tables::Counters counters) const;
};

/// Reads a row of counter.json: the PMU and its numbers. Returns nullopt if the object is something
/// else, or malformed (a warning says so).
std::optional<std::pair<std::string, CounterNumbers>> read_counter_numbers(
    const trees::Object& object, trees::Diagnostics& diagnostics);

/// The keys of a latency.
struct LatencyKeys {
  const char *mean, *min, *max;
};

/// Returns nullopt if none of the keys has a number other than 0.
std::optional<tables::Latency> read_latency(const trees::Object& object, const LatencyKeys& keys);

/// An expression as written, and compiled.
struct Formula {
  std::string_view text;
  expression::Program program;  ///< no steps: there is no expression, or none that can be computed
};

struct MetricSpec {
  std::string_view name, group, no_group, default_group, sample;
  Formula expr, threshold;
  std::uint8_t aggregation = 0;
  std::uint8_t constraint = 0;
  std::uint8_t show_events = 0;
  std::uint8_t share_of = 0;
};

/// One entry of a file. Its terms and texts are views of the file, which outlives it.
struct Entry {
  trees::Place place;
  std::string name;  ///< lower case; "" if it is no event
  std::string pmu;   ///< "default_core", "uncore_imc", …
  std::vector<tables::Term> terms;
  std::string_view desc, long_desc, scale_unit, compat, errata;
  std::string_view topic;       ///< "floating point"; set by whoever knows the file
  std::uint8_t flags = 0;       ///< tables::EventFlags
  tables::Counters counters{};  ///< none at all: not known
  std::optional<tables::Latency> latency;
  MetricSpec metric;       ///< metric.name is "" if it is no metric
  bool is_makers = false;  ///< from a file of metrics as makers publish them
};

/// The standard events of one architecture: from a tree's own files, then from finished tables.
struct StandardEvents {
  std::map<std::string, Entry, std::less<>> own;  ///< by lower-case event or metric name
  std::span<const tables::ModelView> below;

  /// Returns nullptr if there is none of that lower-case name. An event from tables is put into
  /// `made`.
  const Entry* find(std::string_view name, Entry& made) const;
};

/// Reads an entry. Returns nullopt if it is neither event nor metric, or can't be used (diagnostics
/// say why). Reports misspelled and unknown keys.
std::optional<Entry> read_entry(const trees::Object& object, const StandardEvents& standard,
                                trees::Diagnostics& diagnostics);

/// Adds the entries of a standard-event file; a later one replaces an earlier one of the same name.
void add_standard_entries(const trees::JsonFile& file, std::string_view topic,
                          StandardEvents& standard, trees::Diagnostics& diagnostics);

/// Returns the kernel's generic cache events, which a script of perf's build makes. There is one
/// for each spelling: TYPE, TYPE-OP, TYPE-RESULT, TYPE-OP-RESULT. As in perf, redundant spellings
/// are marked as deprecated.
std::vector<Entry> legacy_cache_entries();

}  // namespace evname::compiler
