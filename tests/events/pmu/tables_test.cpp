// Every event of this build's tables can be encoded without the machine it is meant for.

#include <gtest/gtest.h>

#include <algorithm>

#include "events/pmu/builtin.hpp"
#include "support/built_models.hpp"

namespace evname::pmu {
namespace {

/// Terms that perf takes without a format file.
bool is_builtin_term(std::string_view name) {
  return name == "period" || name == "config" || name == "config1" || name == "config2";
}

/// The terms of an event that this PMU has no room for; empty if it can be encoded.
std::string misfits(const tables::ArchTables& arch, const tables::Event& event, const Pmu& pmu) {
  std::string out;
  for (const std::uint32_t index : tables::term_list(arch, event)) {
    const tables::StoredTerm& term = arch.terms[index];
    const std::string_view name = arch.text(arch.term_names[term.name]);
    const Format* format = pmu.find_format(name);
    if (format == nullptr ? is_builtin_term(name) : format->pack(term.value).has_value()) continue;
    out += " " + std::string(name);
  }
  return out;
}

void check_model(const tables::ModelView& model) {
  const auto pmus = builtin_pmus(model.arch().arch, {}, model);
  for (const tables::PmuEvents& table : model.pmus()) {
    const std::string_view name = model.arch().text(table.pmu);
    const auto serving = [&](const Pmu& pmu) { return serves(name, pmu); };
    EXPECT_EQ(std::count_if(pmus.begin(), pmus.end(), serving), 1) << model.name() << " " << name;
    const auto pmu = std::find_if(pmus.begin(), pmus.end(), serving);
    if (pmu == pmus.end()) continue;
    for (std::uint32_t i = 0; i < table.count; ++i) {
      const tables::Event& event = model.event(table, i);
      EXPECT_EQ(misfits(model.arch(), event, *pmu), "")
          << model.name() << " " << pmu->name << " " << model.arch().text(event.name);
    }
  }
}

TEST(BuiltinPmus, EncodeEveryEventOfEveryModel) {
  for (const tables::ModelView& model : test::built_models()) check_model(model);
}

TEST(BuiltinPmus, DescribeEveryUnitOfEveryModel) {
  for (const tables::ModelView& model : test::built_models())
    for (const tables::PmuEvents& table : model.pmus()) {
      std::string name(model.arch().text(table.pmu));
      if (name == "default_core") continue;
      std::replace(name.begin(), name.end(), ',', '_');
      EXPECT_TRUE(find_fact({model.arch().arch, name, model.example_cpuid(), model.name()}))
          << model.name() << " " << name;
    }
}

}  // namespace
}  // namespace evname::pmu
