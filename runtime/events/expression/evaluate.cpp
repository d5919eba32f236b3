#include "events/expression/evaluate.hpp"

#include "events/expression/operators.hpp"

namespace evname::expression {

std::optional<double> evaluate(Code code, std::span<const double> values) {
  double below[kMaxDepth];  // the stack, but for its top
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

}  // namespace evname::expression
