// Metric expressions: compiling and computing one.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/allocations.hpp"
#include "events/expression/evaluate.hpp"
#include "events/expression/parse.hpp"
#include "events/tables/model_view.hpp"
#include "events/tables/registry.hpp"

namespace evname::expression {
namespace {

// Of the sizes that Linux's metrics have: half are no longer than the first two, one in a hundred
// is longer than the last.
constexpr const char* kExpressions[] = {
    "inst_retired.any / cpu_clk_unhalted.thread",
    "100 * (1 - (slots_retired + slots_frontend) / (4 * cycles) if #smt_on else idle / cycles)",
    "max(1 - (f / (f + b + r + s) + x * (f + b + r + s) / s + r / (f + b + r + s)), 0) * "
    "(min(c, h) + min(c, m) / (c + 2 * d) * (o / (i * (l - n) + i * n * (p / (p + q))) - g)) / "
    "(min(c, h) + (e + t * min(k, u) if e > 0.5 else e + t * (v + w)) + d_ratio(y, z))",
};

struct Compiled {
  Program program;
  std::vector<double> values;
};

std::vector<double> values(std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(1e6 + static_cast<double>(i));
  return out;
}

Compiled compiled(std::string_view text) {
  Compiled out{*parse_expression(text), {}};
  out.values = values(out.program.symbols.size());
  return out;
}

void evaluate_one(benchmark::State& state) {
  const Compiled metric = compiled(kExpressions[state.range(0)]);
  state.SetLabel(std::to_string(metric.program.steps.size()) + " steps");
  const std::uint64_t before = bench::allocations();
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(metric.program.code(), metric.values));
  if (bench::allocations() != before) state.SkipWithError("it allocates");
}
BENCHMARK(evaluate_one)->DenseRange(0, 2);

/// Every metric of the tables that are built in, one after the other; the time is for one.
void evaluate_each_of_tables(benchmark::State& state) {
  struct OfTables {
    Code code;
    std::vector<double> values;
  };
  std::vector<OfTables> metrics;
  for (const tables::ArchTables& arch : tables::architectures()) {
    for (const tables::Metric& metric : arch.metrics) {
      const tables::Program& program = arch.programs[metric.expr_program];
      metrics.push_back({tables::code_of(arch, program), values(program.symbol_count)});
    }
  }
  if (metrics.empty()) return state.SkipWithError("no metrics are built in");
  state.SetLabel(std::to_string(metrics.size()) + " metrics");
  for (std::size_t i = 0; auto _ : state) {
    benchmark::DoNotOptimize(evaluate(metrics[i].code, metrics[i].values));
    if (++i == metrics.size()) i = 0;
  }
}
BENCHMARK(evaluate_each_of_tables);

void compile_one(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_expression(kExpressions[state.range(0)]));
}
BENCHMARK(compile_one)->DenseRange(0, 2);

}  // namespace
}  // namespace evname::expression
