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
