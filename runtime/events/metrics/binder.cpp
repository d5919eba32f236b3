#include "events/metrics/binder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/expression/evaluate.hpp"
#include "events/expression/parse.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/syntax/kernel_names.hpp"

namespace evname::metrics {
namespace {

constexpr std::size_t kMaxChain = 64;  ///< metrics in terms of metrics in terms of …

using expression::SymbolKind;

/// Leaves only the encoding on the metric's PMU, if that PMU has the event.
std::vector<Encoding> on_pmu(std::vector<Encoding> all, std::string_view pmu) {
  const auto is_elsewhere = [&](const Encoding& one) { return one.pmu != pmu; };
  if (!std::ranges::all_of(all, is_elsewhere)) std::erase_if(all, is_elsewhere);
  return all;
}

/// Calls the function at the end of the scope, also after an exception.
template <class Call>
class OnExit {
 public:
  explicit OnExit(Call call) : call_(std::move(call)) {}
  OnExit(const OnExit&) = delete;
  ~OnExit() { call_(); }

 private:
  Call call_;
};

}  // namespace

Binder::Binder(const Machine& machine, const MetricFacts& facts, Formulas& out)
    : machine_(machine), facts_(facts), out_(out), catalog_(metrics_of(detail::state_of(machine))) {
  for (std::size_t i = 0; i < catalog_.size(); ++i)
    by_name_.emplace(to_lower(catalog_[i].name()), i);
}

const TableMetric* Binder::find(std::string_view name, std::string_view pmu,
                                Spelling spelling) const {
  const auto [begin, end] = by_name_.equal_range(to_lower(name));
  for (auto at = begin; at != end; ++at) {
    const TableMetric& metric = catalog_[at->second];
    if (spelling == Spelling::exact && metric.name() != name) continue;
    if (pmu.empty() || metric.pmu() == pmu) return &metric;
  }
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
    const tables::Latency* const latency = detail::EncodingAccess::retirement_latency(e);
    if (e.modifiers.find('R') == e.modifiers.npos || !latency) continue;
    const bool min = facts_.latency() == MetricFacts::Latency::min;
    const bool max = facts_.latency() == MetricFacts::Latency::max;
    cycles = std::round(min ? latency->min : max ? latency->max : latency->mean);
  }
  return cycles;
}

/// The fact that an event of PMU "tool" counts; NaN for a time, and for any other event.
double Binder::known_fact(const MetricEvent& event) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!event.is_tool()) return kNone;
  const auto events = syntax::tool_events();
  const auto at = std::ranges::find(events, event.encodings.front().code.config[0],
                                    &tables::NamedNumber::number);
  return at == events.end() ? kNone : facts_.get(at->name);
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
    event.known = event.is_tool() ? known_fact(event) : known_latency(event);
  } else {
    event.problem = resolved.error().message;
  }
  const auto [at, is_new] = by_event_.try_emplace(std::move(key), out_.events.size());
  try {
    if (is_new) out_.events.push_back(std::move(event));
  } catch (...) {  // no memory: as if it had not been added
    by_event_.erase(at);
    throw;
  }
  out_.events[at->second].for_threshold &= threshold_;
  return at->second;
}

Result<void> Binder::connect(const Context& context, std::size_t symbol, Formula& formula) {
  const expression::Symbol& what = formula.program.symbols[symbol];
  const bool counts = what.kind == SymbolKind::event;
  if (counts && what.name == context.own_name) {
    formula.inputs.push_back({Input::From::formula, symbol, context.own});
    return {};
  }
  const TableMetric* other = counts ? find(what.name, context.pmu, Spelling::exact) : nullptr;
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
  if (open_.size() == kMaxChain || too_deep_.contains(key))
    return fail(Errc::out_of_range, fmt::format("metric '{}' needs too long a chain of metrics",
                                                open_.empty() ? name : open_.front()));
  open_.push_back(name);
  const OnExit close([&] { open_.pop_back(); });
  auto formula = add(metric.program(), {.pmu = metric.pmu(), .parameter = parameter});
  if (formula)
    bound_.emplace(key, *formula);
  else if (formula.error().code == Errc::out_of_range)
    too_deep_.insert(key);  // or each metric of a long chain would try most of it again
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
  // A formula has a higher number than its inputs; from the highest down, each is visited once.
  std::set<std::size_t> seen, pending = {formula};
  std::vector<std::size_t> out;
  while (!pending.empty()) {
    const std::size_t next = pending.extract(std::prev(pending.end())).value();
    for (const Input& input : out_.list[next].inputs) {
      if (input.from == Input::From::formula)
        pending.insert(input.index);
      else if (seen.insert(input.index).second)
        out.push_back(input.index);
    }
  }
  sort_stably(out);
  return out;
}

}  // namespace evname::metrics
