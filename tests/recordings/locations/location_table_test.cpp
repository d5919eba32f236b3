// Locations are named once for all threads, and forgotten if they take too much memory.

#include "recordings/locations/location_cache.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace evname::locations {
namespace {

using session::AddressMaps;

TEST(LocationTable, ThreadsGetTheSame) {
  const Symbols symbols;
  const AddressMaps maps;
  LocationTable table(symbols, false, false);
  const auto storage = table.storage();
  std::vector<const Locations::Named*> first(1000), second(1000);
  const auto ask = [&](std::vector<const Locations::Named*>& locations) {
    for (std::size_t i = 0; i < locations.size(); ++i)
      locations[i] = &table.at(*storage, maps.of(1), {}, i);
  };
  std::thread other([&] { ask(second); });
  ask(first);
  other.join();
  EXPECT_EQ(first, second);
  std::set<std::uint32_t> ids{0};  // which none has
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i]->offset, i);
    ids.insert(first[i]->id);
  }
  EXPECT_EQ(ids.size(), first.size() + 1);
}

TEST(LocationTable, AFullStorageMakesWayForAnother) {
  const Symbols symbols;
  const AddressMaps maps;
  LocationTable table(symbols, false, false, 10'000);
  const auto storage = table.storage();
  const Locations::Named& location = table.at(*storage, maps.of(1), {}, 1);
  for (std::uint64_t i = 2; i < 100 && !table.is_full(*storage); ++i)
    table.at(*storage, maps.of(1), {}, i);
  EXPECT_TRUE(table.is_full(*storage));
  EXPECT_FALSE(table.is_full(*table.storage()));
  EXPECT_EQ(location.offset, 1);  // as long as its storage
  const Locations::Named& again = table.at(*table.storage(), maps.of(1), {}, 1);
  EXPECT_EQ(again.offset, 1);
  EXPECT_NE(again.id, location.id);
}

TEST(ByLocation, ValuesAreMadeOnce) {
  ByLocation<std::uint64_t> values;
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint64_t offset = 1; offset < 4; ++offset)
      for (const std::uint32_t number : {0u, 1u}) {
        const auto make = [&] {
          EXPECT_EQ(round, 0);
          return offset * 10 + number;
        };
        ASSERT_EQ(values.of({nullptr, offset}, number, make), offset * 10 + number);
      }
  for (std::uint64_t offset = 4; offset < 1'000'000; ++offset)  // more than are kept
    ASSERT_EQ(values.of({nullptr, offset}, [&] { return offset; }), offset);
}

}  // namespace
}  // namespace evname::locations
