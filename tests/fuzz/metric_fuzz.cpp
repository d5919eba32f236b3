// A metric expression, compiled, computed (eight bytes are the value of every symbol) and
// simplified: what is simple stays as it is.

#include <cstdlib>
#include <cstring>
#include <vector>

#include "fuzz/input.hpp"
#include "expression/evaluate.hpp"
#include "expression/expression.hpp"
#include "expression/needed.hpp"
#include "expression/simplify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evname;
  double any = 0;
  if (size < sizeof any) return 0;
  std::memcpy(&any, data, sizeof any);
  const auto program = metric::parse_expression(fuzz::text_of(data + 8, size - 8));
  if (!program) return 0;
  std::vector<double> values(program->symbols.size(), any);
  metric::evaluate(program->code(), values);
  metric::needed_symbols(*program, values);
  const std::string simple = metric::simplified_text(*program);
  const auto again = metric::parse_expression(simple);
  if (again && metric::simplified_text(*again) != simple) std::abort();
  for (const metric::Symbol& symbol : program->symbols) metric::event_text(symbol.name, data[0]);
  return 0;
}
