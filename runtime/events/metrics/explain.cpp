#include "events/metrics/binder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "events/expression/operators.hpp"
#include "events/expression/parse.hpp"

namespace evname::metrics {
namespace {

using expression::Op;
using Why = MetricSet::Gap::Why;

bool has_value(const std::optional<double>& result) { return result && std::isfinite(*result); }

/// A value on the stack, and the first step of its part of the program.
struct Part {
  double value;
  std::size_t first;
};

/// Returns the steps that make up the first divisor that is 0; none if there is none.
std::span<const expression::Step> zero_divisor(const expression::Program& program,
                                               std::span<const double> values) {
  std::vector<Part> stack;
  for (std::size_t at = 0; at < program.steps.size(); ++at) {
    const expression::Step step = program.steps[at];
    if (step.op <= Op::literal) {
      stack.push_back(
          {step.op == Op::number ? program.numbers[step.operand] : values[step.operand], at});
      continue;
    }
    const Part top = stack.back();
    if ((step.op == Op::divide || step.op == Op::remainder) && top.value == 0)
      return std::span(program.steps).subspan(top.first, at - top.first);
    if (step.op == Op::negate) {
      stack.back().value = -top.value;
      continue;
    }
    if (step.op == Op::select) {
      const double condition = stack[stack.size() - 2].value;
      stack.resize(stack.size() - 2);
      if (condition == 0) stack.back().value = top.value;
      continue;
    }
    stack.pop_back();
    stack.back().value = expression::apply(step.op, stack.back().value, top.value);
  }
  return {};
}

std::string list_of_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

void add(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// Walks from a formula without a value to its inputs.
class GapFinder {
 public:
  GapFinder(const Formulas& formulas, const Results& results,
            const std::function<double(const Input&)>& value_of)
      : formulas_(formulas), results_(results), value_of_(value_of) {}

  void walk(std::size_t formula);
  MetricSet::Gap gap() const;

 private:
  void add_zeros(const Formula& formula, std::span<const double> values);
  void add_counts_of(std::size_t formula);

  const Formulas& formulas_;
  const Results& results_;
  const std::function<double(const Input&)>& value_of_;
  std::set<std::size_t> seen_, added_;  ///< formulas
  std::vector<const MetricEvent*> missing_;
  std::vector<std::string> zeros_;
  bool divides_ = false;
};

void GapFinder::walk(std::size_t index) {
  if (has_value(results_[index]) || !seen_.insert(index).second) return;
  const Formula& formula = formulas_.list[index];
  std::vector<double> values = formula.values;
  bool complete = true;
  for (const Input& input : formula.inputs) {
    const double value = values[input.symbol] = value_of_(input);
    if (std::isfinite(value)) continue;
    complete = false;
    if (input.from == Input::From::formula)
      walk(input.index);
    else if (std::isnan(value))
      missing_.push_back(&formulas_.events[input.index]);
  }
  if (complete) add_zeros(formula, values);
}

void GapFinder::add_zeros(const Formula& formula, std::span<const double> values) {
  const auto divisor = zero_divisor(formula.program, values);
  divides_ |= !divisor.empty();
  for (const expression::Step step : divisor) {
    if (step.op != Op::symbol) continue;
    for (const Input& input : formula.inputs)
      if (input.symbol == step.operand) {
        if (input.from == Input::From::formula)
          add_counts_of(input.index);
        else if (values[input.symbol] == 0)
          add(zeros_, formulas_.events[input.index].text);
      }
  }
}

void GapFinder::add_counts_of(std::size_t formula) {
  if (!added_.insert(formula).second) return;
  for (const Input& input : formulas_.list[formula].inputs) {
    if (input.from == Input::From::formula)
      add_counts_of(input.index);
    else if (value_of_(input) == 0)
      add(zeros_, formulas_.events[input.index].text);
  }
}

MetricSet::Gap GapFinder::gap() const {
  if (!missing_.empty()) return not_counted(missing_);
  if (!zeros_.empty())
    return {Why::zero, zeros_,
            fmt::format("division by zero: nothing was counted of {}", list_of_names(zeros_))};
  if (divides_) return {Why::zero, {}, "division by zero"};
  return {Why::not_finite, {}, "the counts don't lead to a finite number"};
}

}  // namespace

MetricSet::Gap not_counted(std::span<const MetricEvent* const> events) {
  std::vector<std::string> missing, impossible;
  std::string problem;  // of the first impossible event
  for (const MetricEvent* const event : events) {
    const bool is_impossible = event->encodings.empty() && !event->is_known();
    if (is_impossible && problem.empty()) problem = event->problem;
    add(is_impossible ? impossible : missing, event->text);
  }
  const auto& names = impossible.empty() ? missing : impossible;
  std::string text = list_of_names(names) + (names.size() == 1 ? " was" : " were") + " not counted";
  if (!problem.empty()) text += ": " + problem;
  return {impossible.empty() ? Why::not_counted : Why::no_event, names, std::move(text)};
}

MetricSet::Gap explain(const Formulas& formulas, std::size_t formula, const Results& results,
                       const std::function<double(const Input&)>& value_of) {
  if (has_value(results[formula])) return {};
  GapFinder finder(formulas, results, value_of);
  finder.walk(formula);
  return finder.gap();
}

}  // namespace evname::metrics
