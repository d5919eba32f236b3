// The tables of a cache's file, without the checksum, and reading all that is in them.

#include <cstring>
#include <memory>

#include "events/expression/evaluate.hpp"
#include "events/overlay/table_cache.hpp"
#include "events/tables/model_view.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::cache_target {

namespace {

namespace tables = evname::tables;

void read_model(const tables::ModelView& model) {
  const tables::ArchTables& arch = model.arch();
  for (const tables::PmuEvents& pmu : model.pmus())
    for (std::size_t i = 0; i < pmu.count; ++i) {
      const tables::Event& event = model.event(pmu, i);
      tables::terms_text(arch, event);
      tables::has_event({&model, 1}, arch.text(pmu.pmu), arch.text(event.name));
    }
  for (const std::uint16_t metric : tables::metrics_of(model)) {
    const tables::Program& program = arch.programs[arch.metrics[metric].expr_program];
    const std::vector<double> values(tables::symbols_of(arch, program).size(), 1);
    evname::expression::evaluate(tables::code_of(arch, program), values);
    evname::expression::needed_symbols(tables::program_of(arch, program), values);
  }
}

}  // namespace

FUZZ_TARGET(cache, data, size) {
  const std::shared_ptr<std::uint64_t[]> words(new std::uint64_t[size / 8 + 1]);
  std::memcpy(words.get(), data, size);
  const auto compiled = evname::overlay::read_compiled(
      {reinterpret_cast<const std::uint8_t*>(words.get()), size}, words);
  if (!compiled) return 0;
  std::size_t left = 1 << 16;  // entries of models may be the same
  for (const auto& one : compiled->tables)
    for (const tables::Model& model : one->view().models) {
      const tables::ModelView view(one->view(), &model);
      std::size_t work = view.model->metric_count;
      for (const tables::PmuEvents& pmu : view.pmus()) work += pmu.count;
      if (work > left) return 0;
      left -= work;
      read_model(view);
    }
  evname::overlay::compiled_bytes(*compiled);
  return 0;
}

}  // namespace evname::fuzz::cache_target
