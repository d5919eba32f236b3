#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/expression/evaluate.hpp"
#include "events/expression/operators.hpp"
#include "events/expression/parse.hpp"
#include "events/expression/program.hpp"
#include "events/expression/simplify.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/metrics/catalog.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {
namespace {

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

constexpr std::size_t kMaxChain = 64;  ///< metrics in terms of metrics in terms of …

using expression::SymbolKind;

/// Where the metric's PMU is one of those that have the event, it is meant alone.
std::vector<Encoding> on_pmu(std::vector<Encoding> all, std::string_view pmu) {
  const auto is_elsewhere = [&](const Encoding& one) { return one.pmu != pmu; };
  if (!std::ranges::all_of(all, is_elsewhere)) std::erase_if(all, is_elsewhere);
  return all;
}

/// Calls it where its scope is left, by an exception as well.
template <class Call>
class OnExit {
 public:
  explicit OnExit(Call call) : call_(std::move(call)) {}
  OnExit(const OnExit&) = delete;
  ~OnExit() { call_(); }

 private:
  Call call_;
};

Binder::Binder(const Machine& machine, const MetricFacts& facts, Formulas& out)
    : machine_(machine), facts_(facts), out_(out), catalog_(metrics_of(detail::state_of(machine))) {
  for (std::size_t i = 0; i < catalog_.size(); ++i)
    by_name_.emplace(to_lower(catalog_[i].name()), i);
}

const TableMetric* Binder::find(std::string_view name, std::string_view pmu) const {
  const auto [begin, end] = by_name_.equal_range(to_lower(name));
  for (auto at = begin; at != end; ++at)
    if (pmu.empty() || catalog_[at->second].pmu() == pmu) return &catalog_[at->second];
  return nullptr;
}

double Binder::known_value(const expression::Symbol& symbol, unsigned parameter) const {
  switch (symbol.kind) {
    case SymbolKind::literal:
      return facts_.get(symbol.name);
    case SymbolKind::has_event:
      return machine_.resolve(expression::event_text(symbol.name, parameter)).has_value();
    case SymbolKind::cpuid:
      return cpu::pattern_matches(machine_.cpu().arch, symbol.name, machine_.cpu().cpuid);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

/// perf takes whole cycles.
double Binder::known_latency(const MetricEvent& event) const {
  double cycles = std::numeric_limits<double>::quiet_NaN();
  for (const Encoding& e : event.encodings) {
    const auto latency = e.retirement_latency();
    if (e.modifiers.find('R') == e.modifiers.npos || !latency) continue;
    const bool min = facts_.latency() == MetricFacts::Latency::min;
    const bool max = facts_.latency() == MetricFacts::Latency::max;
    cycles = std::round(min ? latency->min : max ? latency->max : latency->mean);
  }
  return cycles;
}

std::size_t Binder::event(const std::string& text, std::string_view pmu) {
  auto resolved = machine_.resolve(text);
  MetricEvent event;
  event.text = text;
  event.for_threshold = threshold_;
  std::string key = to_lower(text);
  if (resolved) {
    const std::size_t count = resolved->size();
    event.encodings = on_pmu(std::move(*resolved), pmu);
    if (event.encodings.size() < count) key.append(" ").append(pmu);
    event.known = known_latency(event);
  } else {
    event.problem = resolved.error().message;
  }
  const auto [at, is_new] = by_event_.try_emplace(std::move(key), out_.events.size());
  try {
    if (is_new) out_.events.push_back(std::move(event));
  } catch (...) {  // no memory: as if it had not been asked for
    by_event_.erase(at);
    throw;
  }
  out_.events[at->second].for_threshold &= threshold_;
  return at->second;
}

Result<void> Binder::connect(const Context& context, std::size_t symbol, Formula& formula) {
  const expression::Symbol& what = formula.program.symbols[symbol];
  const bool counts = what.kind == SymbolKind::event;
  if (counts && !context.own_name.empty() &&
      tables::equal_ignoring_case(what.name, context.own_name)) {
    formula.inputs.push_back({Input::From::formula, symbol, context.own});
    return {};
  }
  const TableMetric* other = counts ? find(what.name, context.pmu) : nullptr;
  if (other == nullptr) {
    const auto index = event(expression::event_text(what.name, context.parameter), context.pmu);
    const auto from = counts                             ? Input::From::count
                      : what.kind == SymbolKind::aggr_nr ? Input::From::counters
                                                         : Input::From::sources;
    formula.inputs.push_back({from, symbol, index});
    return {};
  }
  return bind(*other, context.parameter).map([&](std::size_t index) {
    formula.inputs.push_back({Input::From::formula, symbol, index});
  });
}

Result<std::size_t> Binder::add(expression::Program program, const Context& context) {
  Formula formula{std::move(program), {}, {}};
  for (const expression::Symbol& symbol : formula.program.symbols)
    formula.values.push_back(known_value(symbol, context.parameter));
  const auto needed = expression::needed_symbols(formula.program, formula.values);
  if (!needed) return fail(needed);
  for (std::size_t symbol = 0; symbol < needed->size(); ++symbol) {
    if (!(*needed)[symbol]) continue;
    if (const auto done = connect(context, symbol, formula); !done) return fail(done);
  }
  out_.list.push_back(std::move(formula));
  return out_.list.size() - 1;
}

Error Binder::needs_itself(const std::string& name) const {
  std::string chain;
  for (auto at = std::ranges::find(open_, name); at != open_.end(); ++at) chain += *at + " -> ";
  return {Errc::invalid_argument, fmt::format("metric '{}' needs itself", name), {}, chain + name};
}

Result<std::size_t> Binder::bind(const TableMetric& metric, unsigned parameter) {
  const std::tuple key(metric.metric, metric.on, parameter);
  if (const auto known = bound_.find(key); known != bound_.end()) return known->second;
  const std::string name(metric.name());
  if (std::ranges::find(open_, name) != open_.end()) return fail(needs_itself(name));
  if (open_.size() == kMaxChain)
    return fail(Errc::out_of_range,
                fmt::format("metric '{}' needs too long a chain of metrics", open_.front()));
  open_.push_back(name);
  const OnExit close([&] { open_.pop_back(); });
  auto formula = add(metric.program(), {.pmu = metric.pmu(), .parameter = parameter});
  if (formula) bound_.emplace(key, *formula);
  return formula;
}

Result<std::size_t> Binder::bind(std::string_view name, expression::Program program) {
  open_.emplace_back(name);
  const OnExit close([&] { open_.pop_back(); });
  return add(std::move(program), {});
}

Result<std::size_t> Binder::bind_threshold(const TableMetric& metric, unsigned parameter,
                                           std::size_t own) {
  threshold_ = true;
  const OnExit end([&] { threshold_ = false; });
  return add(metric.threshold(),
             {.pmu = metric.pmu(), .parameter = parameter, .own_name = metric.name(), .own = own});
}

std::vector<std::size_t> Binder::events_of(std::size_t formula) const {
  std::set<std::size_t> seen, pending = {formula};
  std::vector<std::size_t> out;
  while (!pending.empty()) {
    const std::size_t next = pending.extract(pending.begin()).value();
    for (const Input& input : out_.list[next].inputs) {
      if (input.from == Input::From::formula)
        pending.insert(input.index);
      else if (seen.insert(input.index).second)
        out.push_back(input.index);
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace
}  // namespace evname::metrics

namespace evname {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

double sources_of(const MetricEvent& event, const EventCount& count) {
  return static_cast<double>(count.sources > 0 ? count.sources : event.encodings.size());
}

/// At least 1. A task has one counter of an event; where CPUs are counted, each has its own, and
/// a unit outside the cores has one in each package.
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

/// The nearest names of a machine's metrics and groups.
std::string nearest(const std::vector<metrics::TableMetric>& catalog, std::string_view wanted) {
  NearestNames near;
  const std::string lower = to_lower(wanted);
  for (const metrics::TableMetric& metric : catalog) {
    std::vector<std::string> names = metrics::groups_of(metric);
    names.emplace_back(metric.name());
    for (const std::string& name : names)
      if (const auto far = edit_distance(lower, to_lower(name)); far <= 1 + wanted.size() / 3)
        near.offer(far, name);
  }
  return near.hint();
}

}  // namespace

struct EVNAME_HIDDEN MetricSet::State {
  struct Row {
    std::size_t formula = 0, threshold = kNone;  ///< kNone: it has none
    std::vector<std::size_t> events;
  };

  State(Machine m, MetricFacts f)
      : machine(std::move(m)), facts(f), binder(machine, facts, formulas) {}

  Result<void> add(const metrics::TableMetric& metric);
  Result<void> add_instances(const metrics::TableMetric& metric);
  void push(Row row, MetricInfo info);
  void add_instance(const metrics::TableMetric& metric, MetricInfo info, unsigned parameter,
                    std::size_t formula);

  Machine machine;
  MetricFacts facts;
  metrics::Formulas formulas;
  metrics::Binder binder;
  std::vector<MetricInfo> metrics;
  std::vector<Row> rows;  ///< parallel to metrics
  std::set<std::pair<const tables::Metric*, std::string_view>> added;
  std::vector<std::string> warnings;
};

// Both or, where there is no memory, none.
void MetricSet::State::push(Row row, MetricInfo info) {
  metrics.push_back(std::move(info));
  try {
    rows.push_back(std::move(row));
  } catch (...) {
    metrics.pop_back();
    throw;
  }
}

void MetricSet::State::add_instance(const metrics::TableMetric& metric, MetricInfo info,
                                    unsigned parameter, std::size_t formula) {
  std::size_t threshold = kNone;
  if (metric.metric->threshold_program != 0)
    threshold = binder.bind_threshold(metric, parameter, formula).value_or(kNone);
  push({formula, threshold, binder.events_of(formula)}, std::move(info));
}

Result<void> MetricSet::State::add(const metrics::TableMetric& metric) {
  const std::size_t before = metrics.size();
  const auto [place, is_new] = added.emplace(metric.metric, metric.on);
  if (!is_new) return {};
  try {
    auto done = add_instances(metric);
    if (!done) added.erase(place);
    return done;
  } catch (...) {  // no memory: none of it is there
    metrics.resize(before);
    rows.resize(before);
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

Result<void> MetricSet::add(std::string_view name) {
  std::vector<const metrics::TableMetric*> chosen;
  for (const metrics::TableMetric& metric : state_->binder.catalog())
    if (metrics::is_selected(metric, name)) chosen.push_back(&metric);
  if (chosen.empty())
    return fail(Errc::not_found, fmt::format("this machine has no metric or group '{}'", name), {},
                nearest(state_->binder.catalog(), name));
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
  return state_->rows[index].events;
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
  const auto owner = [&](const Encoding& e) {
    std::size_t i = 0;
    while (i + 1 < encodings.size() &&
           !(encodings[i].pmu == e.pmu && machine::is_same_event(encodings[i], e)))
      ++i;
    return owners[i];
  };
  for (const PmuSchedule& pmu : made->pmus) {
    for (const ScheduledGroup& group : pmu.groups) {
      std::vector<std::size_t> indexes;
      for (const ScheduledEvent& one : group) indexes.push_back(owner(made->events[one.event]));
      out.groups.push_back({std::move(indexes), pmu.grouped});
    }
    if (out.why.empty()) out.why = pmu.why;
  }
  out.notes = std::move(made->notes);
  return out;
}

std::vector<MetricValue> MetricSet::evaluate(std::span<const EventCount> counts) const {
  const auto& events = state_->formulas.events;
  std::vector<std::optional<double>> results;
  std::vector<double> values;
  const auto input = [&](const metrics::Input& from) {
    if (from.from == metrics::Input::From::formula)
      return results[from.index].value_or(expression::kNaN);
    const EventCount count = from.index < counts.size() ? counts[from.index] : EventCount();
    return value_of(from.from, events[from.index], count, state_->facts);
  };
  for (const metrics::Formula& formula : state_->formulas.list) {
    values = formula.values;
    for (const metrics::Input& from : formula.inputs) values[from.symbol] = input(from);
    results.push_back(expression::evaluate(formula.program.code(), values));
  }
  std::vector<MetricValue> out;
  for (std::size_t i = 0; i < state_->rows.size(); ++i) {
    const State::Row& row = state_->rows[i];
    MetricValue value;
    value.has_value = results[row.formula].has_value();
    value.value = results[row.formula].value_or(expression::kNaN) * state_->metrics[i].scale;
    if (row.threshold != kNone && results[row.threshold] && !std::isnan(*results[row.threshold]))
      value.beyond = *results[row.threshold] != 0;
    out.push_back(value);
  }
  return out;
}

}  // namespace evname
