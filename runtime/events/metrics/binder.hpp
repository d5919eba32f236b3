#pragma once
// Binds metrics to a machine: makes formulas whose symbols are events to count or other formulas.
// Explains why a formula has no value.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "events/expression/program.hpp"
#include "events/metrics/catalog.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {

/// The source of a symbol's value that is not yet known.
struct Input {
  enum class From : std::uint8_t { count, sources, counters, formula };
  From from;
  std::size_t symbol;  ///< index into the program's
  std::size_t index;   ///< of the event or the formula
};

struct Formula {
  expression::Program program;
  std::vector<double> values;  ///< one for each symbol; values of `inputs` are not yet known
  std::vector<Input> inputs;
};

/// The formulas to be computed; each comes after its inputs.
struct Formulas {
  std::vector<Formula> list;
  std::vector<MetricEvent> events;
};

/// The values of all formulas; none if perf gives up.
using Results = std::vector<std::optional<double>>;

/// Binds expressions, and metrics that they name, once each.
class Binder {
 public:
  Binder(const Machine& machine, const MetricFacts& facts, Formulas& out);

  const std::vector<TableMetric>& catalog() const { return catalog_; }

  /// Tells whether case matters: it does if an expression names a metric.
  enum class Spelling : std::uint8_t { any_case, exact };

  /// Returns the first metric of that name and PMU, or of any PMU if that is empty; nullptr if
  /// there is none.
  const TableMetric* find(std::string_view name, std::string_view pmu,
                          Spelling spelling = Spelling::any_case) const;

  /// The formula of a metric. Errors: invalid_argument if it depends on itself, unsupported if it
  /// needs an unknown fact.
  Result<std::size_t> bind(const TableMetric& metric, unsigned parameter);

  /// Binds an expression from outside of the tables; it may name metrics of any PMU.
  Result<std::size_t> bind(std::string_view name, expression::Program program);

  /// Binds the threshold of a metric that has one. Its own events are marked as such.
  Result<std::size_t> bind_threshold(const TableMetric& metric, unsigned parameter,
                                     std::size_t own);

  /// Indexes of the events that a formula needs, also through other formulas.
  std::vector<std::size_t> events_of(std::size_t formula) const;

 private:
  struct Context {
    std::string_view pmu;  ///< "" for any
    unsigned parameter = 0;
    std::string_view own_name = {};  ///< of the metric whose threshold this is
    std::size_t own = 0;
  };
  Result<std::size_t> add(expression::Program program, const Context& context);
  Result<void> connect(const Context& context, std::size_t symbol, Formula& formula);
  double known_value(const expression::Symbol& symbol, unsigned parameter) const;
  std::size_t event(const std::string& text, std::string_view pmu);
  double known_latency(const MetricEvent& event) const;
  double known_fact(const MetricEvent& event) const;
  Error needs_itself(const std::string& name) const;

  const Machine& machine_;
  const MetricFacts& facts_;
  Formulas& out_;
  std::vector<TableMetric> catalog_;
  std::multimap<std::string, std::size_t> by_name_;  ///< lower case, to the catalog
  using Key = std::tuple<const tables::Metric*, std::string_view, unsigned>;
  std::map<Key, std::size_t> bound_;
  std::set<Key> too_deep_;         ///< metrics that begin a chain of too many metrics
  std::vector<std::string> open_;  ///< names of the metrics being bound, outermost first
  std::map<std::string, std::size_t> by_event_;
  bool threshold_ = false;
};

/// Returns why a formula has no value. `results` are the results of all formulas; `value_of`
/// returns the value of an input.
MetricSet::Gap explain(const Formulas& formulas, std::size_t formula, const Results& results,
                       const std::function<double(const Input&)>& value_of);

/// Returns that these events were not counted, and why; there is at least one.
MetricSet::Gap not_counted(std::span<const MetricEvent* const> events);

}  // namespace evname::metrics
