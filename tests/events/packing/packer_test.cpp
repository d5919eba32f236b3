#include "events/packing/packer.hpp"

#include <gtest/gtest.h>

#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

// tests/pmu.c of perf, as quoted in perf-facts 4.
TEST(Packing, SpreadsValuesOverScatteredFields) {
  const pmu::Pmu pmu = make_pmu("krava", 1,
                                {{"krava01", "config:0-1,62-63"},
                                 {"krava02", "config:10-17"},
                                 {"krava03", "config:5"},
                                 {"krava11", "config1:0,2,4,6,8,20-28"},
                                 {"krava12", "config1:63"},
                                 {"krava13", "config1:45-47"},
                                 {"krava21", "config2:0-3,10-13,20-23,30-33,40-43,50-53,60-63"},
                                 {"krava22", "config2:8,18,48,58"},
                                 {"krava23", "config2:28-29,38"}});
  std::vector<tables::Term> terms;
  const std::pair<const char*, std::uint64_t> values[] = {
      {"krava01", 15}, {"krava02", 170}, {"krava03", 1},  {"krava11", 27}, {"krava12", 1},
      {"krava13", 2},  {"krava21", 119}, {"krava22", 11}, {"krava23", 2}};
  for (const auto& [name, value] : values)
    terms.push_back({name, tables::Term::Value::number, value, {}});
  const auto words = packing::Packer(pmu).pack(terms);
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_EQ(words->config[0], 0xc00000000002a823u);
  EXPECT_EQ(words->config[1], 0x8000400000000145u);
  EXPECT_EQ(words->config[2], 0x0400000020041d07u);
}

// Of PMUs with defaults, perf fills a field anew (pmu_format_value with `zero`); of others, it adds
// the bits of a field that is given twice.
TEST(Packing, TheLastValueCountsOnPmusWithDefaults) {
  for (const auto& [name, packed] : {std::pair{"krava", 7u}, {"arm_spe_0", 2u}}) {
    const pmu::Pmu pmu = make_pmu(name, 1, {{"field", "config:0-7"}});
    std::vector<tables::Term> terms;
    for (const std::uint64_t value : {5, 2})
      terms.push_back({"field", tables::Term::Value::number, value, {}});
    EXPECT_EQ(packing::Packer(pmu).pack(terms)->config[0], packed) << name;
  }
}

// intel_pt_default_config of tools/perf/arch/x86/util/intel-pt.c. Of the periods that a cap has
// bits for, it takes the longest up to 3.
TEST(Packing, DefaultsOfIntelPtAreThoseOfItsCaps) {
  constexpr std::uint64_t kAlways = 1 << 10 | 1 << 0 | 1 << 13;  // tsc, pt, branch
  const struct {
    FieldTexts caps;
    std::uint64_t more;
  } cases[] = {
      {{}, 0},
      {{{"mtc", "1"}, {"mtc_periods", "249"}}, 1 << 9 | 3 << 14},
      {{{"mtc_periods", "249"}, {"psb_cyc", "1"}, {"psb_periods", "3f"}},
       1 << 9 | 3 << 14 | 3 << 24},
      {{{"mtc_periods", "249"}, {"psb_cyc", "0"}, {"psb_periods", "3f"}}, 1 << 9 | 3 << 14},
      // Without mtc_periods it does not even ask for the others.
      {{{"psb_cyc", "1"}, {"psb_periods", "3f"}}, 0},
      {{{"mtc", "0"}, {"mtc_periods", "249"}, {"psb_periods", "3f"}}, 0}};
  for (const auto& c : cases) {
    pmu::Pmu pmu = make_pmu("intel_pt", 8,
                            {{"pt", "config:0"},
                             {"mtc", "config:9"},
                             {"tsc", "config:10"},
                             {"branch", "config:13"},
                             {"mtc_period", "config:14-17"},
                             {"psb_period", "config:24-27"}});
    for (const auto& [name, value] : c.caps) pmu.caps.push_back({name, value});
    EXPECT_EQ(packing::default_config(pmu), kAlways | c.more);
  }
}

// Fields that share bits have no value in a code that has such a bit.
TEST(Packing, FieldsThatShareBitsAreDecodedWithoutThem) {
  const pmu::Pmu pmu = make_pmu(
      "krava", 1, {{"low", "config:0-3"}, {"wide", "config:0-7"}, {"high", "config:8-15"}});
  for (const auto& [code, terms] : {std::pair(0x100, "high=0x1"),
                                    {0x101, "config=0x101"},
                                    {0x110, "high=0x1,wide=0x10"},
                                    {0, "config=0x0"}})
    EXPECT_EQ(packing::decode_terms(pmu, {static_cast<std::uint64_t>(code)}), terms);
}

// A field of n bits holds the numbers below 2^n.
TEST(Packing, RefusesTheFirstNumberThatIsTooWide) {
  const struct {
    const char* format;
    std::uint64_t widest;
    std::uint64_t packed;
  } cases[] = {{"config:0-7", 0xff, 0xff},
               {"config:8-15", 0xff, 0xff00},
               {"config:5", 1, 0x20},
               {"config:0-3,60-63", 0xff, 0xf00000000000000f},
               {"config:0-31", 0xffffffff, 0xffffffff},
               {"config:1-63", UINT64_MAX >> 1, UINT64_MAX - 1},
               {"config:0-63", UINT64_MAX, UINT64_MAX}};
  for (const auto& c : cases) {
    const pmu::Pmu pmu = make_pmu("krava", 1, {{"field", c.format}});
    const auto pack = [&](std::uint64_t value) {
      const std::vector<tables::Term> terms = {{"field", tables::Term::Value::number, value, {}}};
      return packing::Packer(pmu).pack(terms);
    };
    const auto words = pack(c.widest);
    ASSERT_TRUE(words) << c.format;
    EXPECT_EQ(words->config[0], c.packed) << c.format;
    if (c.widest != UINT64_MAX) {
      EXPECT_FALSE(pack(c.widest + 1)) << c.format;
    }
  }
}

}  // namespace
}  // namespace evname::test
