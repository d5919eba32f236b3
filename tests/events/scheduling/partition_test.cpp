// Events to counters, without names: what fits, what does not and why, and the fewest groups.
#include "events/scheduling/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace evname::scheduling {
namespace {

constexpr std::uint64_t kAll4 = 0xf;

Need on(std::uint64_t generic, std::uint64_t fixed = 0) {
  Need need;
  need.counters = {generic, fixed};
  return need;
}

Need with_register(std::uint16_t kind, std::uint16_t copies, std::uint64_t value) {
  Need need = on(kAll4);
  need.shared = {kind, copies, value};
  return need;
}

std::vector<Bundle> singles(std::size_t count) {
  std::vector<Bundle> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({i});
  return out;
}

std::vector<Need> times(std::size_t count, Need need) { return {count, need}; }

struct PartitionCase {
  const char* what;
  std::vector<Need> needs;
  std::vector<Bundle> bundles;
  CounterSet busy;
  std::size_t groups;
};

TEST(Partition, HasTheFewestGroups) {
  const std::vector<Need> three_for_two = {on(0b011), on(0b011), on(0b011)};
  const PartitionCase cases[] = {
      {"nothing at all", {}, {}, {}, 0},
      {"four events on four counters", times(4, on(kAll4)), singles(4), {}, 1},
      {"a fifth", times(5, on(kAll4)), singles(5), {}, 2},
      {"eight, nine", times(9, on(kAll4)), singles(9), {}, 3},
      {"three for two counters", three_for_two, singles(3), {}, 2},
      {"early ones make room for a late one that has no choice",
       {on(0b11), on(0b10), on(0b01, 0b1)},
       singles(3),
       {},
       1},
      {"a fixed counter beside four",
       {on(kAll4, 1), on(kAll4), on(kAll4), on(kAll4), on(kAll4)},
       singles(5),
       {},
       1},
      {"only one of two gets the fixed counter", times(6, on(kAll4, 1)), singles(6), {}, 2},
      {"the watchdog takes the fixed counter, or a generic one",
       times(5, on(kAll4, 1)),
       singles(5),
       {kAll4, 1},
       2},
      {"the watchdog leaves the fixed counter to who needs it",
       {on(0, 1), on(kAll4), on(kAll4), on(kAll4)},
       singles(4),
       {kAll4, 1},
       1},
      {"a hundred for one counter", times(100, on(2)), singles(100), {}, 100},
      {"no counter needed", times(100, on(0)), singles(100), {}, 1},
      // Pairs on four counters: two in a group. Were they torn, 3 × 2 = 6 events would fit in two
      // groups as well; 5 × 2 = 10 in three.
      {"pairs", times(10, on(kAll4)), {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}, {}, 3},
      // Threes on four counters: one in a group, though 9 events fit in three groups; the four
      // others fill up.
      {"threes and ones",
       times(13, on(kAll4)),
       {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}, {10}, {11}, {12}},
       {},
       4},
      {"threes and just as many ones",
       times(12, on(kAll4)),
       {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}, {10}, {11}},
       {},
       3},
      {"threes of four counters can't share",
       times(9, on(kAll4)),
       {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}},
       {},
       3},
      // 3+1, 2+2: first fit in the order written would take three.
      {"the order of writing does not count",
       times(8, on(kAll4)),
       {{0}, {1, 2}, {3, 4}, {5, 6, 7}},
       {},
       2},
      {"two values for one register",
       {with_register(1, 1, 7), with_register(1, 1, 7), with_register(1, 1, 8)},
       singles(3),
       {},
       2},
      {"three values for two copies",
       {with_register(1, 2, 7), with_register(1, 2, 8), with_register(1, 2, 9)},
       singles(3),
       {},
       2},
      {"different registers", {with_register(1, 1, 7), with_register(2, 1, 8)}, singles(2), {}, 1},
  };
  for (const PartitionCase& c : cases) {
    const Partition found = partition(c.needs, c.bundles, c.busy);
    EXPECT_EQ(found.groups, c.groups) << c.what;
    EXPECT_TRUE(found.smallest) << c.what;
  }
}

TEST(Partition, PutsEventsWhereTheyAreWritten) {
  const Partition found = partition(times(6, on(kAll4)), singles(6), {});
  std::vector<std::size_t> groups;
  for (const auto& place : found.places) groups.push_back(place.group);
  EXPECT_EQ(groups, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1}));
}

TEST(Partition, CountsAnEventOnceInAGroupThatHasItTwice) {
  std::vector<Need> needs = times(6, on(kAll4));  // {a,b,c} and {a,b,d}: four different ones
  for (std::size_t i = 0; i < 6; ++i) needs[i].same = i < 3 ? i : i - 3;
  needs[5].same = 5;
  const std::vector<Bundle> bundles = {{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(partition(needs, bundles, {}).groups, 1u);
  needs[4].same = 4;
  EXPECT_EQ(partition(needs, bundles, {}).groups, 2u);
}

// {a,b,c,d} and {a,e,f,g}: a is counted in both groups, each time by a counter of that group.
TEST(Partition, AnEventOfTwoGroupsHasACounterInEach) {
  std::vector<Need> needs = times(8, on(kAll4));
  for (std::size_t i = 0; i < 8; ++i) needs[i].same = i;
  needs[4].same = 0;
  const Partition found = partition(needs, std::vector<Bundle>{{0, 1, 2, 3}, {4, 5, 6, 7}}, {});
  ASSERT_EQ(found.groups, 2u);
  for (std::size_t group = 0; group < 2; ++group) {
    std::set<int> counters;
    for (std::size_t i = 4 * group; i < 4 * group + 4; ++i) {
      EXPECT_EQ(found.places[i].group, group) << i;
      ASSERT_TRUE(found.places[i].counter) << i;
      counters.insert(found.places[i].counter->index);
    }
    EXPECT_EQ(counters, (std::set<int>{0, 1, 2, 3}));
  }
}

TEST(Partition, GivesUpTheSearchAndSaysSo) {
  std::vector<Bundle> bundles;  // pairs on three counters: one in a group
  for (std::size_t i = 0; i < 40; ++i) bundles.push_back({2 * i, 2 * i + 1});
  const Partition found = partition(times(80, on(7)), bundles, {}, 50);
  EXPECT_FALSE(found.smallest);
  EXPECT_EQ(found.groups, 40u);
}

// Fours on six counters leave room for a pair in each group, however early that is.
TEST(Partition, WithoutASearchPairsFillEarlierGroups) {
  std::vector<Bundle> bundles;
  for (std::size_t i = 0; i < 50; ++i) bundles.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  for (std::size_t i = 0; i < 50; ++i) bundles.push_back({200 + 2 * i, 201 + 2 * i});
  EXPECT_EQ(partition(times(300, on(0x3f)), bundles, {}, 50).groups, 50u);
}

// Each of 400 values of a register needs a group of its own, which takes minutes if each step of
// the search looks at all groups and events.
TEST(Partition, GivesUpTheSearchInTime) {
  std::vector<Need> needs = times(400, on(15));
  std::vector<Bundle> bundles;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    needs[i].shared = {1, 1, i};
    bundles.push_back({i});
  }
  const Partition found = partition(needs, bundles, {}, 1000);
  EXPECT_FALSE(found.smallest);
  EXPECT_EQ(found.groups, needs.size());
}

TEST(Shortage, NamesThoseThatCompete) {
  const std::vector<Need> needs = {on(kAll4), on(0b10), on(kAll4, 1), on(0b10)};
  const auto found = shortage(needs, {0, 1, 2, 3}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->events, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(found->counters, (CounterSet{0b10, 0}));
  EXPECT_FALSE(found->busy);
  EXPECT_FALSE(shortage(needs, {0, 1, 2}, {}));
}

TEST(Shortage, TellsThatTheWatchdogOrARegisterIsShort) {
  const auto busy = shortage(times(1, on(1)), {0}, {1, 0});
  ASSERT_TRUE(busy);
  EXPECT_TRUE(busy->busy);
  const std::vector<Need> needs = {on(1), with_register(3, 1, 1), with_register(3, 1, 2)};
  const auto shared = shortage(needs, {0, 1, 2}, {});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->shared_kind, 3);
  EXPECT_EQ(shared->events, (std::vector<std::size_t>{1, 2}));
}

// ---- the same by brute force ----

/// Tries every counter for every event.
bool fits_by_trying(const std::vector<Need>& needs, std::vector<std::size_t> events,
                    CounterSet used, CounterSet busy) {
  const auto try_all = [&](const CounterSet& set, auto&& rest) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::uint64_t one = 1u << bit;
      if ((set.generic & ~used.generic & one) && rest(CounterSet{used.generic | one, used.fixed}))
        return true;
      if ((set.fixed & ~used.fixed & one) && rest(CounterSet{used.generic, used.fixed | one}))
        return true;
    }
    return false;
  };
  if (!busy.empty())
    return try_all(busy, [&](CounterSet now) { return fits_by_trying(needs, events, now, {}); });
  if (events.empty()) return true;
  const std::size_t last = events.back();
  events.pop_back();
  return try_all(needs[last].counters,
                 [&](CounterSet now) { return fits_by_trying(needs, events, now, {}); });
}

bool registers_fit(const std::vector<Need>& needs, const std::vector<std::size_t>& events) {
  std::set<std::uint64_t> values;
  for (const std::size_t event : events)
    if (needs[event].shared.kind != 0) values.insert(needs[event].shared.value);
  return values.size() <= 1;
}

bool fits(const std::vector<Need>& needs, const std::vector<std::size_t>& events, CounterSet busy) {
  return registers_fit(needs, events) && fits_by_trying(needs, events, {}, busy);
}

/// Every way to put the bundles into groups.
std::size_t fewest_by_trying(const std::vector<Need>& needs, const std::vector<Bundle>& bundles,
                             CounterSet busy) {
  std::size_t best = bundles.size() + 1;
  std::vector<std::vector<std::size_t>> groups;
  const std::function<void(std::size_t)> place = [&](std::size_t next) {
    if (groups.size() >= best) return;
    if (next == bundles.size()) {
      best = groups.size();
      return;
    }
    for (std::size_t i = 0; i <= groups.size(); ++i) {
      const bool fresh = i == groups.size();
      if (fresh) groups.emplace_back();
      const auto before = groups[i];
      groups[i].insert(groups[i].end(), bundles[next].begin(), bundles[next].end());
      if (fits(needs, groups[i], busy)) place(next + 1);
      groups[i] = before;
      if (fresh) {
        groups.pop_back();
        break;
      }
    }
  };
  place(0);
  return best;
}

struct Random {
  std::mt19937 engine;
  std::uint64_t below(std::uint64_t n) { return engine() % n; }
};

Need random_need(Random& random) {
  Need need = on(random.below(8), random.below(4) == 0 ? 1 + random.below(3) : 0);
  if (need.counters.empty()) need.counters.generic = 1;
  if (random.below(5) == 0) need.shared = {1, 1, random.below(3)};
  return need;
}

/// Bundles that fit alone.
std::vector<Bundle> random_bundles(Random& random, const std::vector<Need>& needs,
                                   CounterSet busy) {
  std::vector<Bundle> out;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (!out.empty() && random.below(3) == 0) {
      Bundle larger = out.back();
      larger.push_back(i);
      if (fits(needs, larger, busy)) {
        out.back() = larger;
        continue;
      }
    }
    if (fits(needs, {i}, busy)) out.push_back({i});
  }
  return out;
}

TEST(Partition, AgreesWithTryingEverything) {
  Random random{std::mt19937(20240607)};
  for (int round = 0; round < 4000; ++round) {
    std::vector<Need> needs;
    for (std::size_t i = random.below(8); i > 0; --i) needs.push_back(random_need(random));
    const CounterSet busy = random.below(3) == 0 ? CounterSet{7, 2} : CounterSet{};
    const auto bundles = random_bundles(random, needs, busy);
    const Partition found = partition(needs, bundles, busy);
    EXPECT_EQ(found.groups, bundles.empty() ? 0 : fewest_by_trying(needs, bundles, busy))
        << "round " << round;
    EXPECT_TRUE(found.smallest);
    Bundle all;
    for (const Bundle& bundle : bundles) all.insert(all.end(), bundle.begin(), bundle.end());
    EXPECT_EQ(!shortage(needs, all, busy), fits(needs, all, busy)) << "round " << round;
  }
}

TEST(Partition, GivesEveryEventOfAGroupACounterOfItsOwn) {
  Random random{std::mt19937(7)};
  for (int round = 0; round < 300; ++round) {
    std::vector<Need> needs;
    for (std::size_t i = random.below(40); i > 0; --i) needs.push_back(random_need(random));
    const auto bundles = random_bundles(random, needs, {});
    const Partition found = partition(needs, bundles, {}, 500);
    std::set<std::tuple<std::size_t, bool, int>> taken;
    for (const Bundle& bundle : bundles)
      for (const std::size_t event : bundle) {
        const auto& [group, counter] = found.places[event];
        ASSERT_TRUE(counter);
        EXPECT_EQ(group, found.places[bundle.front()].group);
        EXPECT_LT(group, found.groups);
        const CounterSet& set = needs[event].counters;
        EXPECT_TRUE((counter->is_fixed ? set.fixed : set.generic) >> counter->index & 1);
        EXPECT_TRUE(taken.emplace(group, counter->is_fixed, counter->index).second);
      }
    for (std::size_t group = 0; group < found.groups; ++group) {
      Bundle members;
      for (const Bundle& bundle : bundles)
        if (found.places[bundle.front()].group == group)
          members.insert(members.end(), bundle.begin(), bundle.end());
      EXPECT_TRUE(registers_fit(needs, members));
    }
  }
}

}  // namespace
}  // namespace evname::scheduling
