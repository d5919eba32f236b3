#pragma once
// A metric's expression bound to what a machine knows and to what has to be counted.

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "events/expression/program.hpp"
#include "events/metrics/catalog.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {

/// The same code with the same modifiers on the same PMU.
bool is_same_event(const Encoding& a, const Encoding& b);

/// Where a symbol's value comes from, if it is not known beforehand.
struct Input {
  enum class From : std::uint8_t { count, sources, counters, formula };
  From from;
  std::size_t symbol;  ///< index into the program's
  std::size_t index;   ///< of the event or the formula
};

struct Formula {
  expression::Program program;
  std::vector<double> values;  ///< one for each symbol; those of `inputs` are not known yet
  std::vector<Input> inputs;
};

/// What is to be computed; a formula comes after those it needs.
struct Formulas {
  std::vector<Formula> list;
  std::vector<MetricEvent> events;
};

/// Binds expressions, and metrics that they name, once each.
class Binder {
 public:
  Binder(const Machine& machine, const MetricFacts& facts, Formulas& out);

  const std::vector<TableMetric>& catalog() const { return catalog_; }

  /// The formula of a metric. Errors: invalid_argument where it needs itself, unsupported where it
  /// needs a fact that is not known.
  Result<std::size_t> bind(const TableMetric& metric, unsigned parameter);

  /// Of an expression that is in no table; it may name metrics of any PMU.
  Result<std::size_t> bind(std::string_view name, expression::Program program);

  /// Of the threshold of a metric that has one. Its own events are told as such.
  Result<std::size_t> bind_threshold(const TableMetric& metric, unsigned parameter,
                                     std::size_t own);

  /// Indexes of the events that a formula needs, those of its formulas included.
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
  const TableMetric* find(std::string_view name, std::string_view pmu) const;
  std::size_t event(const std::string& text, std::string_view pmu);
  double known_latency(const MetricEvent& event) const;
  Error needs_itself(const std::string& name) const;

  const Machine& machine_;
  const MetricFacts& facts_;
  Formulas& out_;
  std::vector<TableMetric> catalog_;
  std::multimap<std::string, std::size_t> by_name_;  ///< lower case, to the catalog
  std::map<std::tuple<const tables::Metric*, std::string_view, unsigned>, std::size_t> bound_;
  std::vector<std::string> open_;  ///< names of the metrics being bound, outermost first
  std::map<std::string, std::size_t> by_event_;
  bool threshold_ = false;
};

}  // namespace evname::metrics
