#include "events/pmu/pmu.hpp"

#include <gtest/gtest.h>

namespace evname::pmu {
namespace {

TEST(Format, ReadsBitsAsPerfDoes) {
  const struct {
    const char* text;
    int word;
    std::uint64_t mask;
  } cases[] = {
      {"config:0-7\n", 0, 0xff},
      {"config:0-7,32-35", 0, 0xf000000ff},
      {"config:32-35,0-7", 0, 0xf000000ff},
      {"config1:0-63", 1, ~std::uint64_t{0}},
      {"config2:63", 2, std::uint64_t{1} << 63},
      {" config3 config3:4\n", 3, 0x10},
      {"config:5-0", 0, 0x20},               // B = 0 is just A
      {"config:7-3", 0, 0},                  // an empty range
      {"config:0-3 config1:8-9", 1, 0x300},  // the last term wins
      {"config7:1", 7, 2},
      {"config:x config:1", 0, 2},
      {"config: config1:1", 1, 2},
      {"config254:0", 254, 1},
      {"config255:0", 255, 1},
      {"config256:0", 255, 1},
      {"config:0-63", 0, ~std::uint64_t{0}},
      {"config:1,", 0, 2},
      {"config:0,9", 0, 0x201},
      {"config:0-7,9-11", 0, 0xeff},
  };
  for (const auto& c : cases) {
    const auto format = parse_format("f", c.text);
    ASSERT_TRUE(format) << c.text;
    EXPECT_EQ(format->name, "f");
    EXPECT_EQ(format->word, c.word) << c.text;
    EXPECT_EQ(format->mask, c.mask) << c.text;
  }
}

TEST(Format, RefusesWhatHoldsNoTermOrABitAbove63) {
  for (const char* text : {"", "\n", "config", "config:", "config:x", "0-7", "config:64",
                           "config:0-64", "config:99999999999999999999", "config:0-7,70"})
    EXPECT_FALSE(parse_format("f", text)) << text;
}

struct Field {
  const char* text;
  std::uint64_t value;
};

std::uint64_t pack_all(std::initializer_list<Field> fields) {
  std::uint64_t config = 0;
  for (const Field& f : fields) config |= parse_format("f", f.text)->pack(f.value).value();
  return config;
}

// The vector of tools/perf/tests/pmu.c.
TEST(Format, PacksThePmuTestOfPerf) {
  EXPECT_EQ(pack_all({{"config:0-1,62-63", 15}, {"config:10-17", 170}, {"config:5", 1}}),
            0xc00000000002a823u);
  EXPECT_EQ(pack_all({{"config1:0,2,4,6,8,20-28", 27}, {"config1:63", 1}, {"config1:45-47", 2}}),
            0x8000400000000145u);
  EXPECT_EQ(pack_all({{"config2:0-3,10-13,20-23,30-33,40-43,50-53,60-63", 119},
                      {"config2:8,18,48,58", 11},
                      {"config2:28-29,38", 2}}),
            0x0400000020041d07u);
}

TEST(Format, ValuesWiderThanTheFieldAreRefused) {
  const auto format = parse_format("event", "config:0-7");
  EXPECT_EQ(format->width(), 8);
  EXPECT_EQ(format->pack(0xff), 0xffu);
  EXPECT_FALSE(format->pack(0x1ff));
  EXPECT_EQ(parse_format("f", "config1:0-63")->pack(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(parse_format("f", "config:7-3")->pack(0), 0u);
  EXPECT_FALSE(parse_format("f", "config:7-3")->pack(1));
}

TEST(Format, ExtractUndoesPack) {
  for (const char* text : {"config:0-7", "config:0-7,32-35", "config:0-3,60-63", "config:0-63"}) {
    const auto format = parse_format("f", text);
    for (std::uint64_t value : {0x0u, 0x1u, 0x5au, 0xffu})
      EXPECT_EQ(format->extract(format->pack(value).value() | ~format->mask), value) << text;
  }
}

}  // namespace
}  // namespace evname::pmu
