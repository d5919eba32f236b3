#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "events/expression/evaluate.hpp"
#include "events/expression/operators.hpp"
#include "events/expression/parse.hpp"
#include "events/expression/program.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/metrics/binder.hpp"
#include "events/metrics/catalog.hpp"
#include "events/metrics/metric_steps.hpp"
#include "evname/metric.hpp"

namespace evname {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

double sources_of(const MetricEvent& event, const EventCount& count) {
  return static_cast<double>(count.sources > 0 ? count.sources : event.encodings.size());
}

/// At least 1. A task has one counter of an event; with CPUs, each has its own, and a unit outside
/// the cores has one in each package.
double counters_of(const MetricEvent& event, const EventCount& count, const MetricFacts& facts) {
  if (count.counters > 0) return count.counters;
  if (facts.get("#target_cpu") == 0) return 1;
  const bool per_package =
      !event.encodings.empty() && event.encodings.front().pmu.starts_with("uncore_");
  return per_package ? sources_of(event, count) * facts.get("#num_packages")
                     : facts.get("#num_cpus_online");
}

double value_of(metrics::Input::From from, const MetricEvent& event, const EventCount& count,
                const MetricFacts& facts) {
  if (from == metrics::Input::From::counters) return counters_of(event, count, facts);
  if (from == metrics::Input::From::sources)
    return std::isnan(count.value) ? 0 : sources_of(event, count);
  return std::isnan(count.value) ? event.known : count.value;
}

/// Similar names are searched only for so many: nobody misspells more.
constexpr std::size_t kMostMisspelled = 100;

/// The nearest names of a machine's metrics and groups.
std::string nearest(const std::vector<metrics::TableMetric>& catalog, std::string_view wanted) {
  std::vector<std::string> names;
  for (const metrics::TableMetric& metric : catalog) {
    for (std::string& group : metrics::groups_of(metric)) names.push_back(std::move(group));
    names.emplace_back(metric.name());
  }
  return nearest_hint(wanted, names);
}

}  // namespace

struct EVNAME_HIDDEN MetricSet::State {
  /// The formulas of a metric and its threshold, and the events of the former.
  struct BoundMetric {
    std::size_t formula = 0, threshold = kNone;  ///< kNone: it has none
    std::vector<std::size_t> events;
  };

  State(Machine m, MetricFacts f)
      : machine(std::move(m)), facts(f), binder(machine, facts, formulas) {}

  Result<void> add(const metrics::TableMetric& metric);
  Result<void> add_instances(const metrics::TableMetric& metric);
  void push(BoundMetric one, MetricInfo info);
  void add_instance(const metrics::TableMetric& metric, MetricInfo info, unsigned parameter,
                    std::size_t formula);
  void compute(std::span<const EventCount> counts, metrics::Results& results) const;
  double input(const metrics::Input& from, std::span<const EventCount> counts,
               const metrics::Results& results) const;

  Machine machine;
  MetricFacts facts;
  metrics::Formulas formulas;
  metrics::Binder binder;
  std::vector<MetricInfo> metrics;
  std::vector<BoundMetric> bound;  ///< parallel to metrics
  std::set<std::pair<const tables::Metric*, std::string_view>> added;
  std::vector<std::string> warnings;
  std::size_t unknown = 0;  ///< names without a metric
};

// Adds both or, without memory, none.
void MetricSet::State::push(BoundMetric one, MetricInfo info) {
  metrics.push_back(std::move(info));
  try {
    bound.push_back(std::move(one));
  } catch (...) {
    metrics.pop_back();
    throw;
  }
}

void MetricSet::State::add_instance(const metrics::TableMetric& metric, MetricInfo info,
                                    unsigned parameter, std::size_t formula) {
  // Another metric's threshold may have asked for them before.
  std::vector<std::size_t> events = binder.events_of(formula);
  for (const std::size_t event : events) formulas.events[event].for_threshold = false;
  std::size_t threshold = kNone;
  if (metric.metric->threshold_program != 0)
    threshold = binder.bind_threshold(metric, parameter, formula).value_or(kNone);
  push({formula, threshold, std::move(events)}, std::move(info));
}

Result<void> MetricSet::State::add(const metrics::TableMetric& metric) {
  const std::size_t before = metrics.size();
  const auto [place, is_new] = added.emplace(metric.metric, metric.on);
  if (!is_new) return {};
  try {
    auto done = add_instances(metric);
    if (!done) added.erase(place);
    return done;
  } catch (...) {  // no memory: adds nothing
    metrics.resize(before);
    bound.resize(before);
    added.erase(place);
    throw;
  }
}

Result<void> MetricSet::State::add_instances(const metrics::TableMetric& metric) {
  const MetricInfo info = metrics::info_of(metric);
  const bool repeats = info.expr.find('?') != info.expr.npos;
  for (unsigned i = 0; i < (repeats ? facts.instances(info.aggregation) : 1); ++i) {
    const auto formula = binder.bind(metric, i);
    if (!formula) return fail(formula);
    MetricInfo instance = info;
    if (repeats) instance.name += fmt::format("_{}", i);
    add_instance(metric, std::move(instance), i, *formula);
  }
  return {};
}

MetricSet::MetricSet(Machine machine, MetricFacts facts)
    : state_(std::make_unique<State>(std::move(machine), facts)) {}
MetricSet::MetricSet(MetricSet&&) noexcept = default;
MetricSet& MetricSet::operator=(MetricSet&&) noexcept = default;
MetricSet::~MetricSet() = default;

Result<void> MetricSet::add(std::string_view name, std::string_view pmu) {
  const metrics::TableMetric* const metric = state_->binder.find(name, pmu);
  if (metric == nullptr)
    return fail(Errc::not_found, fmt::format("the PMU '{}' has no metric '{}'", pmu, name));
  return state_->add(*metric);
}

Result<void> MetricSet::add(std::string_view name) {
  std::vector<const metrics::TableMetric*> chosen;
  for (const metrics::TableMetric& metric : state_->binder.catalog())
    if (metrics::is_selected(metric, name)) chosen.push_back(&metric);
  if (chosen.empty())
    return fail(
        Errc::not_found, fmt::format("this CPU has no metric or group '{}'", name), {},
        ++state_->unknown <= kMostMisspelled ? nearest(state_->binder.catalog(), name) : "");
  std::optional<Error> last;
  std::size_t failed = 0;
  for (const metrics::TableMetric* metric : chosen) {
    auto done = state_->add(*metric);
    if (done) continue;
    last = std::move(done.error());
    if (chosen.size() > 1) last->where = metric->name();
    if (++failed < chosen.size()) state_->warnings.push_back(last->text());
  }
  if (failed < chosen.size()) return {};
  return fail(std::move(*last));
}

Result<void> MetricSet::add_expression(std::string name, std::string_view expr) {
  auto program = expression::parse_expression(expr);
  if (!program) return fail(program);
  MetricInfo info;
  info.name = std::move(name);
  info.expr = expr;
  info.simplified = simplified_text(*program);
  return state_->binder.bind(info.name, std::move(*program)).map([&](std::size_t formula) {
    state_->push({formula, kNone, state_->binder.events_of(formula)}, std::move(info));
  });
}

std::span<const std::string> MetricSet::warnings() const { return state_->warnings; }
std::span<const MetricInfo> MetricSet::metrics() const { return state_->metrics; }
std::span<const MetricEvent> MetricSet::events() const { return state_->formulas.events; }
std::span<const std::size_t> MetricSet::events_of(std::size_t index) const {
  return state_->bound[index].events;
}

Result<MetricSchedule> MetricSet::schedule(std::span<const std::size_t> wanted,
                                           const ScheduleOptions& options) const {
  std::vector<Encoding> encodings;
  std::vector<std::size_t> owners;  // of each encoding
  for (const std::size_t index : wanted) {
    const MetricEvent& event = events()[index];
    if (event.is_tool() || event.is_known()) continue;
    for (const Encoding& e : event.encodings) {
      owners.push_back(index);
      encodings.push_back(e);
      encodings.back().leader = encodings.size() - 1;
    }
  }
  MetricSchedule out;
  if (encodings.empty()) return out;
  auto made = evname::schedule(state_->machine, encodings, options);
  if (!made) return fail(std::move(made));
  const auto is_asked_for = [&](const Encoding& e, std::size_t i) {
    return encodings[i].pmu == e.pmu && machine::is_same_event(encodings[i], e);
  };
  for (const Schedule::Pmu& pmu : made->pmus) {
    for (const Schedule::Group& group : pmu.groups) {
      std::vector<std::size_t> indexes;
      for (const Schedule::Event& one : group)  // slots that perf adds belong to no event
        for (std::size_t i = 0; i < encodings.size(); ++i)
          if (is_asked_for(made->events[one.event], i)) {
            indexes.push_back(owners[i]);
            break;
          }
      out.groups.push_back({std::move(indexes), pmu.grouped});
    }
    if (out.why.empty()) out.why = pmu.why;
  }
  out.warnings = std::move(made->warnings);
  return out;
}

// Results and values are in thread-local memory, so that an evaluation allocates nothing.
void MetricSet::State::compute(std::span<const EventCount> counts,
                               metrics::Results& results) const {
  thread_local std::vector<double> values;
  results.clear();
  for (const metrics::Formula& formula : formulas.list) {
    values.assign(formula.values.begin(), formula.values.end());
    for (const metrics::Input& from : formula.inputs)
      values[from.symbol] = input(from, counts, results);
    results.push_back(expression::evaluate(formula.program.code(), values));
  }
}

double MetricSet::State::input(const metrics::Input& from, std::span<const EventCount> counts,
                               const metrics::Results& results) const {
  if (from.from == metrics::Input::From::formula)
    return results[from.index].value_or(expression::kNaN);
  const EventCount count = from.index < counts.size() ? counts[from.index] : EventCount();
  return value_of(from.from, formulas.events[from.index], count, facts);
}

void MetricSet::evaluate(std::span<const EventCount> counts,
                         std::span<MetricSet::Value> values) const {
  thread_local metrics::Results results;
  state_->compute(counts, results);
  for (std::size_t i = 0; i < std::min(values.size(), state_->bound.size()); ++i) {
    const State::BoundMetric& one = state_->bound[i];
    MetricSet::Value value;
    value.gives_up = !results[one.formula].has_value();
    value.value = results[one.formula].value_or(expression::kNaN) * state_->metrics[i].scale;
    if (one.threshold != kNone && results[one.threshold] && !std::isnan(*results[one.threshold]))
      value.beyond = *results[one.threshold] != 0;
    values[i] = value;
  }
}

std::vector<MetricSet::Value> MetricSet::evaluate(std::span<const EventCount> counts) const {
  std::vector<MetricSet::Value> out(state_->bound.size());
  evaluate(counts, out);
  return out;
}

namespace {

std::string_view word_of(expression::Op op) {
  if (op == expression::Op::negate) return "neg";
  if (op == expression::Op::select) return "if";
  for (const auto& one : expression::kBinaryOperators)
    if (one.op == op) return one.mark;
  return std::ranges::find(expression::kBinaryFunctions, op, &expression::BinaryFunction::op)->name;
}

/// Writes formulas as steps, each once.
class StepWriter {
 public:
  StepWriter(const metrics::Formulas& formulas, const MetricFacts& facts,
             std::span<const std::string> words)
      : formulas_(formulas), facts_(facts), words_(words), places_(formulas.list.size(), kNone) {}

  /// Returns the step of a formula, after the steps of its inputs.
  std::size_t write(std::size_t index) {
    if (places_[index] != kNone) return places_[index];
    const metrics::Formula& formula = formulas_.list[index];
    std::vector<std::string> symbols;
    for (const double value : formula.values) symbols.push_back(fmt::to_string(value));
    for (const metrics::Input& from : formula.inputs) symbols[from.symbol] = input(from);
    std::vector<std::string> step;
    for (const auto [op, operand] : formula.program.steps)
      step.emplace_back(op == expression::Op::number
                            ? fmt::to_string(formula.program.numbers[operand])
                        : op <= expression::Op::literal ? symbols[operand]
                                                        : std::string(word_of(op)));
    return places_[index] = add(joined(step, " "));
  }

  std::size_t add(std::string step) {
    steps.push_back(std::move(step));
    return steps.size() - 1;
  }

  std::vector<std::string> steps;

 private:
  std::string input(const metrics::Input& from) {
    if (from.from == metrics::Input::From::formula) return fmt::format("r{}", write(from.index));
    const std::string& word = words_[from.index];
    if (!word.empty() && from.from == metrics::Input::From::count) return word;
    EventCount count;
    if (!word.empty()) count.value = 1;
    return fmt::to_string(value_of(from.from, formulas_.events[from.index], count, facts_));
  }

  const metrics::Formulas& formulas_;
  const MetricFacts& facts_;
  std::span<const std::string> words_;
  std::vector<std::size_t> places_;  ///< of each formula; kNone: it is not written yet
};

}  // namespace

metrics::MetricSteps metrics::MetricSteps::of(const MetricSet& set,
                                              std::span<const std::size_t> wanted,
                                              std::span<const std::string> words) {
  MetricSteps out;
  StepWriter writer(set.state_->formulas, set.state_->facts, words);
  for (const std::size_t index : wanted) {
    const auto& [formula, threshold, needed] = set.state_->bound[index];
    const double scale = set.state_->metrics[index].scale;
    const std::size_t value = writer.write(formula);
    out.values.push_back(scale == 1 ? value : writer.add(fmt::format("r{} {} *", value, scale)));
    out.thresholds.push_back(threshold == kNone ? kNone : writer.write(threshold));
  }
  out.steps = std::move(writer.steps);
  return out;
}

MetricSet::Gap MetricSet::explain(std::size_t index, std::span<const EventCount> counts) const {
  metrics::Results results;
  state_->compute(counts, results);
  return metrics::explain(
      state_->formulas, state_->bound[index].formula, results,
      [&](const metrics::Input& from) { return state_->input(from, counts, results); });
}

}  // namespace evname
