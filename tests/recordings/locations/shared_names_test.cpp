// What is named once for all threads, and forgotten when it takes too much.

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "recordings/locations/code_numbers.hpp"
#include "recordings/locations/shared_names.hpp"

namespace evname::recording {
namespace {

using perfdata::session::AddressMaps;

TEST(SharedNames, ThreadsGetTheSame) {
  const Symbols symbols;
  const AddressMaps maps;
  SharedNames names(symbols, false, false);
  std::atomic<int> written = 0;
  names.set_writer([&](const NamedCode&, CodeText& text) {
    ++written;
    text.text = "text";
  });
  const auto table = names.table();
  std::vector<const NamedCode*> first(1000), second(1000);
  const auto ask = [&](std::vector<const NamedCode*>& codes) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = &names.at(*table, maps.of(1), {}, i);
  };
  std::thread other([&] { ask(second); });
  ask(first);
  other.join();
  EXPECT_EQ(first, second);
  EXPECT_GE(written, 1000);
  std::set<std::uint32_t> serials;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i]->offset, i);
    EXPECT_EQ(first[i]->text, "text");
    serials.insert(first[i]->serial);
  }
  EXPECT_EQ(serials.size(), first.size());
}

TEST(SharedNames, AFullTableMakesWayForAnother) {
  const Symbols symbols;
  const AddressMaps maps;
  SharedNames names(symbols, false, false, 10'000);
  const auto table = names.table();
  const NamedCode& code = names.at(*table, maps.of(1), {}, 1);
  for (std::uint64_t i = 2; i < 100 && names.is_current(table.get()); ++i)
    names.at(*table, maps.of(1), {}, i);
  EXPECT_FALSE(names.is_current(table.get()));
  EXPECT_TRUE(names.is_current(names.table().get()));
  EXPECT_EQ(code.offset, 1);  // as long as the table
  const NamedCode& again = names.at(*names.table(), maps.of(1), {}, 1);
  EXPECT_EQ(again.offset, 1);
  EXPECT_NE(again.serial, code.serial);
}

TEST(SharedNames, NumbersAreMadeOnce) {
  CodeNumbers numbers;
  NamedCode code;
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t serial = 0; serial < 3; ++serial) {
      code.serial = serial;
      const auto got = numbers.of(code, [&](std::vector<std::uint32_t>& out) {
        ASSERT_EQ(round, 0);
        for (std::uint32_t i = 0; i < serial; ++i) out.push_back(serial * 10 + i);
      });
      ASSERT_EQ(got.size(), serial);
      for (std::uint32_t i = 0; i < serial; ++i) EXPECT_EQ(got[i], serial * 10 + i);
    }
  for (code.serial = 3; code.serial < 2'000'000; ++code.serial)  // more than are kept
    ASSERT_EQ(numbers.of(code, [&](auto& out) { out.push_back(code.serial); })[0], code.serial);
}

}  // namespace
}  // namespace evname::recording
