// Codes back to terms, and what is said of terms.

#include <gtest/gtest.h>

#include "events/packing/packer.hpp"
#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

tables::Term given(std::string_view name, std::uint64_t value) {
  return {name, tables::Term::Value::number, value, {}};
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

// Packing the terms again gives the code: a PMU with defaults needs a term where a field is 0.
TEST(Packing, CodesOfIntelPtAreReadAgainstItsDefaults) {
  const pmu::Pmu pmu = make_pmu("intel_pt", 8,
                                {{"pt", "config:0"},
                                 {"cyc", "config:1"},
                                 {"tsc", "config:10"},
                                 {"branch", "config:13"},
                                 {"psb_period", "config:24-27"},
                                 {"threshold", "config1:0-3"}});
  const struct {
    ConfigWords code;
    const char* terms;
  } cases[] = {{{0x2401}, ""},
               {{0x2403}, "cyc=1"},
               {{0x2001}, "tsc=0"},
               {{0x3002403}, "cyc=1,psb_period=0x3"},
               {{0x2402}, "cyc=1,pt=0"},
               {{0}, "branch=0,pt=0,tsc=0"},
               {{0x2405}, "config=0x2405"},  // no field has the bit
               {{0x2401, 3}, "threshold=0x3"},
               {{0x2001, 3}, "tsc=0,threshold=0x3"},
               {{0x2401, 0x10}, "config1=0x10"}};
  for (const auto& c : cases) EXPECT_EQ(packing::decode_terms(pmu, c.code), c.terms);
}

TEST(Packing, FieldsOfAPreferredTermComeAfterEventAndUmask) {
  const pmu::Pmu pmu = make_pmu("krava", 1,
                                {{"edge", "config:18"},
                                 {"event", "config:0-7"},
                                 {"ldlat", "config1:0-15"},
                                 {"frontend", "config1:0-23"},
                                 {"umask", "config:8-15"}});
  const std::vector<tables::Term> ldlat = {given("edge", 1), given("ldlat", 1)};
  EXPECT_EQ(packing::decode_terms(pmu, {0x401cd, 3}, ldlat),
            "event=0xcd,umask=0x1,edge=1,ldlat=0x3");
  EXPECT_EQ(packing::decode_terms(pmu, {0xcd, 3}), "event=0xcd,config1=0x3");
  EXPECT_EQ(packing::decode_terms(pmu, {0xcd, 0x30000}, ldlat), "event=0xcd,frontend=0x30000");
  EXPECT_EQ(packing::decode_terms(pmu, {0, 3}, ldlat), "ldlat=0x3");
  EXPECT_EQ(packing::decode_terms(pmu, {}), "event=0x0");
  EXPECT_EQ(packing::plain_terms({0, 3, 0, 0, 5}), "config=0x0,config1=0x3,config4=0x5");
}

// The fields of the kernel's POWER PMU lie in one another: terms that only refine a wider field
// are no conflict.
TEST(Packing, WarnsOfFieldsThatOtherTermsChange) {
  const pmu::Pmu pmu = make_pmu("cpu", 4,
                                {{"event", "config:0-19"},
                                 {"pmcxsel", "config:0-7"},
                                 {"pmc", "config:16-19"},
                                 {"other", "config:18-23"},
                                 {"edge", "config1:0"}});
  const auto warnings = [&](const std::vector<tables::Term>& terms) {
    const auto packed = packing::Packer(pmu).pack(terms);
    EXPECT_TRUE(packed);
    return packing::overlap_warnings(pmu, terms, *packed);
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(warnings({given("event", 0x3c), given("edge", 1), given("config", 0)}), List());
  EXPECT_EQ(warnings({given("event", 0x100), given("pmc", 2)}), List());
  EXPECT_EQ(warnings({given("event", 5), given("event", 5)}), List());
  EXPECT_EQ(warnings({given("event", 5), given("event", 2)}),
            List{"'event' is given as 0x5 and 0x2: perf ORs that to 0x7"});
  EXPECT_EQ(
      warnings({given("pmc", 1), given("other", 1)}),
      (List{"'pmc=0x1' ends up as 0x5: other terms set bits of that field, and perf ORs them"}));
  EXPECT_EQ(warnings({given("pmcxsel", 1), given("event", 3)}),
            (List{"'pmcxsel=0x1' ends up as 0x3: other terms set bits of that field, and perf ORs "
                  "them"}));
}

TEST(Packing, TermsAreSpelledByTheWidthOfTheirField) {
  const pmu::Pmu pmu = make_pmu("krava", 1, {{"edge", "config:18"}, {"event", "config:0-7"}});
  for (const auto& [term, text] :
       {std::pair(given("edge", 1), "edge=1"),
        {given("event", 1), "event=0x1"},
        {given("unknown", 16), "unknown=0x10"},
        {given("config1", 16), "config1=0x10"},
        {given("period", 16), "period=16"},
        {given("legacy-cache-config", 16), "legacy-cache-config=16"},
        {tables::Term{"inv"}, "inv"},
        {tables::Term{"event", tables::Term::Value::text, 0, "?"}, "event=?"}})
    EXPECT_EQ(packing::canonical_term(pmu, term), text);
}

}  // namespace
}  // namespace evname::test
