// The rows that evname emit writes lead each CPU to the model that the whole mapfile leads it to.

#include "emit/codes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "events/compiler/example_cpuids.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "support/built_models.hpp"

namespace evname::tools {
namespace {

/// CPUID strings of a pattern, spread over all its choices, and of another stepping.
std::vector<std::string> some_members(std::string_view arch, std::string_view pattern) {
  auto out = compiler::example_cpuids(arch, pattern, 64);
  for (std::size_t i = 0, count = out.size(); i < count; ++i)
    if (arch == "x86" && out[i].ends_with("-0"))
      out.push_back(out[i].substr(0, out[i].size() - 1) + '3');
  return out;
}

struct Known {
  std::string cpuid;
  std::string_view model;  ///< that the whole mapfile leads it to
};

std::vector<Known> known_cpus(const tables::ArchTables& arch) {
  std::vector<Known> out;
  for (const tables::MapRow& row : arch.map_rows)
    for (std::string& cpuid : some_members(arch.arch, arch.text(row.pattern))) {
      const auto match = cpu::match_model(arch, cpuid, "");
      if (match.matched_by == MatchedBy::cpuid)
        out.push_back({std::move(cpuid), match.model.name()});
    }
  return out;
}

/// The model that the rows lead to; "" if they lead to no model, or to an unwanted one.
std::string_view first_match(const std::vector<CpuRow>& rows, std::string_view arch,
                             std::string_view cpuid) {
  for (const CpuRow& row : rows)
    if (row.arch == arch && cpu::pattern_matches(arch, row.pattern, cpuid))
      return row.wanted ? row.model : std::string_view();
  return {};
}

TEST(CpuRows, OfOneModelTakeNoCpuOfAnother) {
  std::map<std::string_view, std::vector<Known>> known;
  for (const tables::ModelView& view : test::built_models(tables::kSystem | tables::kStandard)) {
    if (view.example_cpuid().empty()) continue;  // no row leads to it
    if (!known.contains(view.arch().arch)) known[view.arch().arch] = known_cpus(view.arch());
    const std::string globs[] = {std::string(view.arch().arch) + "/" + std::string(view.name())};
    const auto rows = cpu_rows(globs);
    ASSERT_TRUE(rows) << globs[0];
    for (const auto& [cpuid, model] : known[view.arch().arch])
      EXPECT_EQ(first_match(*rows, view.arch().arch, cpuid),
                model == view.name() ? model : std::string_view())
          << globs[0] << " " << cpuid;
  }
}

// perf's x86 mapfile: Zen 1 and 2 are both of family 23, and the row of Zen 1 comes first.
TEST(CpuRows, AnEarlierRowIsThereWhereItTakesCpusAway) {
  const std::string zen2[] = {"amdzen2"}, zen1[] = {"amdzen1"};
  const auto of_zen2 = cpu_rows(zen2), of_zen1 = cpu_rows(zen1);
  ASSERT_TRUE(of_zen2 && of_zen1);
  ASSERT_EQ(of_zen2->size(), 2u);
  EXPECT_EQ(of_zen2->front().model, "amdzen1");
  EXPECT_FALSE(of_zen2->front().wanted);
  EXPECT_TRUE(of_zen2->back().wanted);
  EXPECT_EQ(of_zen1->size(), 1u);
}

TEST(CpuRows, GlobsAreOverShortAndCodeNamesToo) {
  const struct {
    const char *glob, *models;
  } cases[] = {{"zen[34]", "amdzen3 amdzen4 "},
               {"sk[lx]", "skylakex skylake "},
               {"n[13]", "arm/neoverse-n1 arm/neoverse-n3 "},
               {"9950x", "amdzen5 "}};
  for (const auto& c : cases) {
    const std::string globs[] = {c.glob};
    const auto rows = cpu_rows(globs);
    ASSERT_TRUE(rows) << c.glob;
    std::set<std::string> models;
    for (const CpuRow& row : *rows)
      if (row.wanted) models.emplace(row.model);
    std::string expected = c.models;
    for (const std::string& model : models) {
      const std::size_t at = expected.find(model + " ");
      ASSERT_NE(at, std::string::npos) << c.glob << " " << model;
      expected.erase(at, model.size() + 1);
    }
    EXPECT_EQ(expected, "") << c.glob;
  }
}

TEST(CpuRows, AGlobThatMeansNothingIsAnError) {
  for (const char* glob : {"no-such-*", "", "GenuineIntel-6-FF", "hisilicon/hip09/sys"}) {
    const std::string globs[] = {"amdzen1", glob};
    EXPECT_FALSE(cpu_rows(globs)) << glob;
  }
}

}  // namespace
}  // namespace evname::tools
