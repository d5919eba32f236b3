// Expected bits: perf 7.3, perf-7.3-facts 2.4.
#include <gtest/gtest.h>

#include "events/syntax/modifiers.hpp"
#include "evname/encoding.hpp"

namespace evname {
namespace {

struct ModifiersCase {
  const char* modifiers;
  bool user, kernel, hv, host, guest;
  std::uint8_t precise;
};

TEST(Modifiers, SetTheBitsThatPerfSets) {
  const ModifiersCase cases[] = {
      {"", false, false, false, false, false, 0},    {"u", false, true, true, false, false, 0},
      {"k", true, false, true, false, false, 0},     {"uk", false, false, true, false, false, 0},
      {"h", true, true, false, false, false, 0},     {"G", false, false, false, true, false, 0},
      {"H", false, false, false, false, true, 0},    {"GH", false, false, false, false, false, 0},
      {"p", false, false, false, false, false, 1},   {"pp", false, false, false, false, false, 2},
      {"ppp", false, false, false, false, false, 3}, {"pu", false, true, true, false, false, 1},
      {"P", false, false, false, false, false, 3},   {"S", false, false, false, false, false, 0},
      {"Gu", false, true, true, true, false, 0},     {"uG", false, true, true, true, false, 0},
      {"X", false, false, false, false, false, 0},   {"R", false, false, false, false, false, 0},
  };
  for (const ModifiersCase& c : cases) {
    const AttrBits bits = syntax::attr_bits(c.modifiers);
    EXPECT_EQ(bits.exclude_user, c.user) << c.modifiers;
    EXPECT_EQ(bits.exclude_kernel, c.kernel) << c.modifiers;
    EXPECT_EQ(bits.exclude_hv, c.hv) << c.modifiers;
    EXPECT_EQ(bits.exclude_host, c.host) << c.modifiers;
    EXPECT_EQ(bits.exclude_guest, c.guest) << c.modifiers;
    EXPECT_EQ(bits.precise_ip, c.precise) << c.modifiers;
  }
}

// perf 7.3, parse_events__modifier_list.
TEST(Modifiers, OfAGroupAddToWhatTheEventHas) {
  const struct {
    const char *own, *group;
    bool user, kernel, hv, host, guest;
    std::uint8_t precise;
  } cases[] = {
      {"", "k", true, false, true, false, false, 0},
      {"u", "k", false, false, true, false, false, 0},
      {"G", "p", false, false, false, true, false, 1},
      {"G", "H", false, false, false, false, false, 0},
      {"p", "pp", false, false, false, false, false, 3},
      {"pp", "pp", false, false, false, false, false, 3},
      {"p", "P", false, false, false, false, false, 3},
      {"u", "h", false, true, false, false, false, 0},
      {"H", "G", false, false, false, false, false, 0},
      {"ukh", "u", false, true, true, false, false, 0},
      {"H", "u", false, true, true, false, true, 0},
  };
  for (const auto& c : cases) {
    AttrBits expected;
    expected.exclude_user = c.user;
    expected.exclude_kernel = c.kernel;
    expected.exclude_hv = c.hv;
    expected.exclude_host = c.host;
    expected.exclude_guest = c.guest;
    expected.precise_ip = c.precise;
    EXPECT_EQ(syntax::attr_bits(c.own, c.group), expected) << c.own << ' ' << c.group;
  }
}

// Of a group's D and e, only the leader gets the bit; of its I, all events.
TEST(Modifiers, PinnedExclusiveAndIdleAreBitsOfTheirOwn) {
  for (const bool leads : {false, true}) {
    AttrBits pinned, exclusive, idle;
    pinned.pinned = exclusive.exclusive = leads;
    idle.exclude_idle = true;
    EXPECT_EQ(syntax::attr_bits("", "D", leads), pinned);
    EXPECT_EQ(syntax::attr_bits("", "e", leads), exclusive);
    EXPECT_EQ(syntax::attr_bits("", "I", leads), idle);
    pinned.pinned = exclusive.exclusive = true;
    EXPECT_EQ(syntax::attr_bits("D", "", leads), pinned);
    EXPECT_EQ(syntax::attr_bits("e", "", leads), exclusive);
    EXPECT_EQ(syntax::attr_bits("I", "", leads), idle);
  }
}

}  // namespace
}  // namespace evname
