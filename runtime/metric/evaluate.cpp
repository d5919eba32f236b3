#include "metric/evaluate.hpp"

#include "metric/arithmetic.hpp"

namespace evname::metric {

std::optional<double> evaluate(Code code, std::span<const double> values) {
  double stack[kMaxDepth];
  double* top = stack;  // one past the last number
  for (const Step step : code.steps) {
    switch (step.op) {
      case Op::number:
        *top++ = code.numbers[step.operand];
        break;
      case Op::literal:
        if (std::isnan(values[step.operand])) return std::nullopt;
        [[fallthrough]];
      case Op::symbol:
        *top++ = values[step.operand];
        break;
      case Op::negate:
        top[-1] = -top[-1];
        break;
      case Op::select:
        top -= 2;
        if (top[0] == 0) top[-1] = top[1];
        break;
      case Op::remainder:
        if (no_remainder(top[-1])) return std::nullopt;
        [[fallthrough]];
      default:
        --top;
        top[-1] = apply(step.op, top[-1], top[0]);
    }
  }
  return top[-1];
}

}  // namespace evname::metric
