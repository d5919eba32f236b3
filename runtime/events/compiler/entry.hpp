#pragma once
// One entry of a topic file with its meaning: an event, a metric, or both.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/compiler/counter_keys.hpp"
#include "events/compiler/encode_entry.hpp"
#include "events/expression/program.hpp"

namespace evname::compiler {

/// An expression as written and what it compiles to.
struct Formula {
  std::string text;
  expression::Program program;  ///< no steps: there is no expression, or none that can be computed
};

struct MetricSpec {
  std::string name, group, no_group, default_group;
  Formula expr, threshold;
  std::uint8_t aggregation = 0;
  std::uint8_t constraint = 0;
  std::uint8_t show_events = 0;
};

struct Entry {
  trees::Place place;
  std::string name;  ///< lower case; "" if it is no event
  std::string pmu;   ///< "default_core", "uncore_imc", …
  std::vector<TermSpec> terms;
  std::string desc, long_desc, scale_unit, compat;
  std::string topic;  ///< "floating point"; set by whoever knows the file
  bool per_pkg = false;
  bool deprecated = false;
  tables::Counters counters{};  ///< none at all: not known
  std::optional<tables::Latency> latency;
  MetricSpec metric;  ///< metric.name is "" if it is no metric
};

/// The standard events of one architecture, by lower-case event or metric name.
using StandardEntries = std::map<std::string, Entry, std::less<>>;

/// nullopt: the entry is neither event nor metric, or can't be used (diagnostics say why).
/// Reports misspelled and unknown keys.
std::optional<Entry> read_entry(const trees::Object& object, const StandardEntries& standard,
                                trees::Diagnostics& diagnostics);

/// Adds the entries of a standard-event file; a later one replaces an earlier one of the same name.
void add_standard_entries(const trees::JsonFile& file, std::string_view topic,
                          StandardEntries& standard, trees::Diagnostics& diagnostics);

}  // namespace evname::compiler
