#include "events/packing/packer.hpp"

#include <gtest/gtest.h>

#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

using Value = tables::Term::Value;

tables::Term number(std::string_view name, std::uint64_t value) {
  return {name, Value::number, value, {}};
}

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

// parse_events_terms fails as a whole, and the config stays 0.
TEST(Packing, IntelPtHasNoDefaultsIfOneOfThemDoesNotFit) {
  for (const FieldTexts& fields :
       {FieldTexts{}, FieldTexts{{"tsc", "config1:10"}},
        FieldTexts{{"tsc", "config:10"}, {"mtc", "config:9"}},
        FieldTexts{{"tsc", "config:10"}, {"mtc", "config:9"}, {"mtc_period", "config:14"}}}) {
    pmu::Pmu pmu = make_pmu("intel_pt", 8, fields);
    pmu.set_cap("mtc_periods", "249");
    EXPECT_EQ(packing::default_config(pmu), 0u);
  }
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
               {"config:7-3", 0, 0},  // no bits
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

// perf-facts 5.5: an unknown term, a value that is missing, of the wrong kind or too wide.
TEST(Packing, ErrorsNameTheTermThePmuAndItsFields) {
  const FieldTexts fields = {
      {"edge", "config:18"}, {"event", "config:0-7"}, {"far", "config5:0-7"}};
  const struct {
    const char* pmu;
    FieldTexts fields;
    tables::Term term;
    Errc code;
    const char *message, *hint;
  } cases[] = {
      {"krava", fields, number("x", 1), Errc::not_found, "unknown term 'x' of PMU 'krava'",
       "its terms are edge, event, far"},
      {"software",
       {},
       number("x", 1),
       Errc::not_found,
       "unknown term 'x' of PMU 'software'",
       "it has no format fields"},
      {"krava",
       fields,
       {"event"},
       Errc::invalid_argument,
       "term 'event' needs a value: it is 8 bits wide",
       ""},
      {"krava",
       fields,
       {"edge", Value::text, 0, "on"},
       Errc::invalid_argument,
       "expected a number for term 'edge', not 'on'",
       ""},
      {"krava",
       fields,
       {"event", Value::text, 0, "?"},
       Errc::invalid_argument,
       "the event needs a value for its parameter 'event'",
       ""},
      {"krava", fields, number("event", 256), Errc::out_of_range,
       "value 0x100 is too big for term 'event' of PMU 'krava', which has 8 bits", ""},
      {"krava", fields, number("far", 1), Errc::unsupported,
       "term 'far' of PMU 'krava' lies in config5, which perf_event_attr does not have", ""},
      {"krava", fields, number("legacy-hardware-config", 1), Errc::invalid_argument,
       "term 'legacy-hardware-config' needs a core PMU", ""},
      {"krava", fields, number("percore", 2), Errc::invalid_argument,
       "value 0x2 is too big for term 'percore': at most 0x1", ""}};
  for (const auto& c : cases) {
    const pmu::Pmu pmu = make_pmu(c.pmu, 1, c.fields);
    for (const std::size_t offset : {tables::Term::kNotInText, std::size_t{6}}) {
      std::vector<tables::Term> terms = {c.term};
      terms[0].offset = offset;
      const auto words = packing::Packer(pmu).pack(terms);
      ASSERT_FALSE(words) << c.message;
      EXPECT_EQ(words.error().code, c.code) << c.message;
      EXPECT_EQ(words.error().message, c.message);
      EXPECT_EQ(words.error().hint, c.hint) << c.message;
      EXPECT_EQ(words.error().where, offset == 6 ? "event text, column 7" : "") << c.message;
    }
  }
}

// config_term_pmu: the type becomes PERF_TYPE_HARDWARE or _HW_CACHE, the PMU's type goes to bit 32
// where the kernel has extended types. Fields are ORed afterwards.
TEST(Packing, GenericCodesNeedACorePmuAndCountOnce) {
  pmu::Pmu pmu = make_pmu("cpu_atom", 10, {{"event", "config:0-7"}});
  pmu.is_core = true;
  const std::vector<tables::Term> terms = {number("legacy-cache-config", 0x10002),
                                           number("event", 1)};
  const auto plain = packing::Packer(pmu).pack(terms);
  const auto extended = packing::Packer(pmu, {}, true).pack(terms);
  EXPECT_EQ(plain->config[0], 0x10003u);
  EXPECT_EQ(extended->config[0], 0xa00010003u);
  EXPECT_EQ(extended->generic, 3u);
  const std::vector<tables::Term> both = {number("legacy-cache-config", 0),
                                          number("legacy-hardware-config", 3)};
  EXPECT_EQ(packing::Packer(pmu).pack(both).error().message,
            "term 'legacy-hardware-config' needs a core PMU and can be given once only");
  pmu.type.reset();
  EXPECT_EQ(packing::Packer(pmu, {}, true).pack(terms)->config[0], 0x10003u);
}

// A parameter of an event takes its value from another term of that name, wherever that stands.
TEST(Packing, AParameterTakesItsValueFromANumber) {
  const pmu::Pmu pmu = make_pmu("hv_24x7", 1, {{"core", "config:0-7"}, {"lpar", "config:8-15"}});
  const tables::Term asks = {"core", Value::text, 0, "?"};
  for (const std::vector<tables::Term>& terms :
       {std::vector{asks, number("lpar", 2), number("core", 5)},
        std::vector{number("core", 5), asks, number("lpar", 2)}})
    EXPECT_EQ(packing::Packer(pmu).pack(terms)->config[0], 0x205u);
}

// The last period counts, config words apply before fields, and a bare term is 1.
TEST(Packing, PerfsOwnTermsSetWordsAndPeriod) {
  const pmu::Pmu pmu = make_pmu("krava", 1, {{"event", "config:0-7"}, {"edge", "config:18"}});
  const std::vector<tables::Term> terms = {number("event", 1),
                                           number("period", 100),
                                           number("config", 8),
                                           number("config3", 5),
                                           number("config4", 6),
                                           number("config", 16),
                                           {"edge"},
                                           number("period", 7),
                                           number("freq", 99)};
  const auto packed = packing::Packer(pmu).pack(terms);
  ASSERT_TRUE(packed) << packed.error().text();
  EXPECT_EQ(packed->config, (ConfigWords{0x40011, 0, 0, 5, 6}));
  EXPECT_EQ(packed->period, 7u);
  EXPECT_EQ(packed->generic, std::nullopt);
}

// config_term_tracepoint and config_term_common, as above.
TEST(Packing, EventsWithoutAPmuTakePerfsOwnTermsOnly) {
  const struct {
    tables::Term term;
    bool tracepoint;
    const char* problem;
  } cases[] = {{number("config1", 3), false, ""},
               {number("stack-size", 8), true, ""},
               {number("config1", 3), true, "term 'config1' can't be used on a tracepoint"},
               {number("event", 3), false, "term 'event' can't be used on an event without PMU"},
               {{"@cfg"}, false, "term '@cfg' can't be used on an event without PMU"},
               {number("legacy-cache-config", 3), false,
                "term 'legacy-cache-config' can't be used on an event without PMU"},
               {number("time", 3), false, "value 0x3 is too big for term 'time': at most 0x1"}};
  for (const auto& c : cases) {
    std::vector<tables::Term> terms = {number("max-stack", 3), c.term};
    terms[1].offset = 4;
    packing::Packed packed;
    const auto done = packing::pack_perf_terms(terms, c.tracepoint, packed);
    EXPECT_EQ(done ? "" : done.error().message, c.problem);
    if (done) continue;
    EXPECT_EQ(done.error().where, "event text, column 5") << c.problem;
    EXPECT_EQ(done.error().hint.empty(), done.error().code != Errc::not_found) << c.problem;
  }
  packing::Packed packed;
  const std::vector<tables::Term> terms = {number("config1", 3), number("period", 9)};
  ASSERT_TRUE(packing::pack_perf_terms(terms, false, packed));
  EXPECT_EQ(packed.config[1], 3u);
  EXPECT_EQ(packed.period, 9u);
}

// cs_etm_get_default_config and arm_spe_pmu__sample_period of tools/perf/arch/arm*/util.
TEST(Packing, DefaultPeriodsAreThoseOfPerf) {
  const struct {
    const char* pmu;
    const char* min_interval;
    std::uint64_t period;
    bool has_defaults;
  } cases[] = {{"cs_etm", nullptr, 1, true},    {"arm_spe_0", nullptr, 4096, true},
               {"arm_spe_0", "256", 256, true}, {"arm_spe_0", "x", 4096, true},
               {"intel_pt", nullptr, 0, true},  {"cpu", "256", 0, false}};
  for (const auto& c : cases) {
    pmu::Pmu pmu = make_pmu(c.pmu, 1, {});
    if (c.min_interval != nullptr) pmu.set_cap("min_interval", c.min_interval);
    EXPECT_EQ(packing::default_period(pmu), c.period) << c.pmu;
    EXPECT_EQ(packing::has_defaults(pmu), c.has_defaults) << c.pmu;
    EXPECT_EQ(packing::default_config(pmu), 0u) << c.pmu;
  }
}

}  // namespace
}  // namespace evname::test
