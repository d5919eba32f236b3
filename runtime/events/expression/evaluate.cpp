#include "events/expression/evaluate.hpp"

#include <fmt/format.h>

#include "events/expression/operators.hpp"

namespace evname::expression {
namespace {

// The rules follow perf, util/expr.y, when it collects ids: NaN stands for any value that is not a
// known finite number.

/// The value of a step and of all that it depends on.
struct Outcome {
  double value = kNaN;
  bool operands[3] = {};  ///< the needed operands, from left to right
  std::size_t first = 0;  ///< step that its first operand starts at
};

bool constant(const Outcome& part) { return std::isfinite(part.value); }

Outcome decided(double value) { return {.value = value}; }
Outcome all_of(unsigned count) { return {.operands = {count > 0, count > 1, count > 2}}; }

/// x | y and x & y; if one side is `deciding`, the other does not matter.
Outcome logical(Op op, const Outcome& x, const Outcome& y, bool deciding) {
  if (constant(x) && constant(y)) return decided(apply(op, x.value, y.value));
  if (!constant(x) && !constant(y)) return all_of(2);
  const Outcome& side = constant(x) ? x : y;
  if ((side.value != 0) == deciding) return decided(deciding);
  return {.operands = {!constant(x), !constant(y)}};
}

Outcome binary(Op op, const Outcome& x, const Outcome& y) {
  if (op == Op::logical_or || op == Op::logical_and) return logical(op, x, y, op == Op::logical_or);
  if (op == Op::min || op == Op::max) return all_of(2);
  if (y.value == 0 && (op == Op::divide || op == Op::d_ratio)) return decided(apply(op, 1, 0));
  if (constant(x) && constant(y)) return decided(apply(op, x.value, y.value));
  return all_of(2);
}

Outcome select(const Outcome& yes, const Outcome& condition, const Outcome& no) {
  if (condition.value == 0) return {.value = no.value, .operands = {false, false, true}};
  if (constant(condition)) return {.value = yes.value, .operands = {true, false, false}};
  return yes.value == no.value ? decided(yes.value) : all_of(3);
}

class Folder {
 public:
  Folder(const Program& program, std::span<const double> known)
      : program_(program), known_(known) {}

  Result<std::vector<bool>> run() {
    for (const Step step : program_.steps) {
      auto part = fold(step);
      if (!part) return fail(part);
      parts_.push_back(*part);
    }
    return mark();
  }

 private:
  Result<Outcome> fold(Step step);
  Result<Outcome> symbol(std::uint16_t which) const;
  /// Returns the ends of the operands of the step at `at`, from left to right.
  std::vector<std::size_t> operands_of(std::size_t at) const;
  std::vector<bool> mark() const;

  const Program& program_;
  std::span<const double> known_;
  std::vector<Outcome> parts_;  ///< one for each step
};

Result<Outcome> Folder::symbol(std::uint16_t which) const {
  const Symbol& symbol = program_.symbols[which];
  if (is_of_count(symbol.kind)) return Outcome{};
  if (symbol.kind == SymbolKind::literal && std::isnan(known_[which]))
    return fail(Errc::unsupported, fmt::format("'{}' has no value on this machine", symbol.name));
  return decided(known_[which]);
}

std::vector<std::size_t> Folder::operands_of(std::size_t at) const {
  std::vector<std::size_t> ends(operand_count(program_.steps[at].op));
  for (std::size_t i = ends.size(), end = at; i-- > 0; end = parts_[end - 1].first)
    ends[i] = end - 1;
  return ends;
}

Result<Outcome> Folder::fold(Step step) {
  const std::size_t at = parts_.size();
  const auto ends = operands_of(at);
  const auto operand = [&](std::size_t i) -> const Outcome& { return parts_[ends[i]]; };
  Outcome part;
  if (step.op == Op::number) {
    part = decided(program_.numbers[step.operand]);
  } else if (ends.empty()) {
    auto value = symbol(step.operand);
    if (!value) return value;
    part = *value;
  } else if (step.op == Op::negate) {
    part = {.value = -operand(0).value, .operands = {true}};
  } else if (step.op == Op::select) {
    part = select(operand(0), operand(1), operand(2));
  } else if (step.op == Op::remainder && constant(operand(1)) && no_remainder(operand(1).value)) {
    return fail(Errc::unsupported, "the expression takes a remainder by zero");
  } else {
    part = binary(step.op, operand(0), operand(1));
  }
  part.first = ends.empty() ? at : operand(0).first;
  return part;
}

std::vector<bool> Folder::mark() const {
  std::vector<bool> steps(parts_.size());
  std::vector<bool> symbols(program_.symbols.size());
  steps.back() = true;
  for (std::size_t at = parts_.size(); at-- > 0;) {
    if (!steps[at]) continue;
    const Step step = program_.steps[at];
    if (step.op == Op::symbol) {
      const SymbolKind kind = program_.symbols[step.operand].kind;
      symbols[step.operand] = is_of_count(kind);
    }
    const auto ends = operands_of(at);
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (parts_[at].operands[i]) steps[ends[i]] = true;
  }
  return symbols;
}

}  // namespace

std::optional<double> evaluate(Code code, std::span<const double> values) {
  double below[kMaxDepth];  // the stack without its top
  double* end = below;
  double top = 0;
  for (const Step step : code.steps) {
    if (step.op <= Op::literal) {
      *end++ = top;
      top = (step.op == Op::number ? code.numbers : values)[step.operand];
      if (step.op == Op::literal && std::isnan(top)) return std::nullopt;
    } else if (step.op == Op::negate) {
      top = -top;
    } else if (step.op == Op::select) {
      end -= 2;
      if (end[1] != 0) top = end[0];
    } else {
      if (step.op == Op::remainder && no_remainder(top)) return std::nullopt;
      top = apply(step.op, *--end, top);
    }
  }
  return top;
}

Result<std::vector<bool>> needed_symbols(const Program& program, std::span<const double> known) {
  return Folder(program, known).run();
}

}  // namespace evname::expression
