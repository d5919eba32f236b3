// A metric expression, compiled, computed (eight bytes are the value of every symbol) and
// simplified: what is simple stays as it is.

#include <cstdlib>
#include <cstring>
#include <vector>

#include "events/expression/evaluate.hpp"
#include "events/expression/parse.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::metric_target {

FUZZ_TARGET(metric, data, size) {
  double any = 0;
  if (size < sizeof any) return 0;
  std::memcpy(&any, data, sizeof any);
  const auto program = expression::parse_expression(fuzz::text_of(data + 8, size - 8));
  if (!program) return 0;
  std::vector<double> values(program->symbols.size(), any);
  expression::evaluate(program->code(), values);
  expression::needed_symbols(*program, values);
  const std::string simple = expression::simplified_text(*program);
  const auto again = expression::parse_expression(simple);
  if (again && expression::simplified_text(*again) != simple) std::abort();
  for (const expression::Symbol& symbol : program->symbols)
    expression::event_text(symbol.name, data[0]);
  return 0;
}

}  // namespace evname::fuzz::metric_target
