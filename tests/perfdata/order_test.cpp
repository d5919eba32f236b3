#include "perfdata/session/record_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evname::perfdata::session {
namespace {

// Pushes the times of `script`; '|' is a round mark. What a round hands out follows a ' '.
std::string run(std::string_view script, OrderQueue& queue) {
  std::string out;
  const auto note = [&](const OrderQueue::Entry& entry) {
    out += static_cast<char>(entry.block);
    return true;
  };
  for (char c : script) {
    if (c == '|') {
      out += ' ';
      queue.round(note);
    } else {
      queue.push(
          {static_cast<std::uint64_t>(std::tolower(c)), nullptr, static_cast<std::uint32_t>(c)});
    }
  }
  out += ' ';
  queue.finish(note);
  return out;
}

// Rules: perf-facts 8.7. Upper and lower case have equal times.
TEST(Order, ARoundHandsOutWhatTheRoundBeforeHadSeen) {
  const struct {
    const char *in, *out;
  } kRows[] = {{"cab", " abc"},       {"cab|", "  abc"},           {"bd|ac|e|", "  abcd  e"},
               {"aAbBaA", " aAaAbB"}, {"bB|aA|Bb|", "  aAbB Bb "}, {"", " "}};
  for (const auto& row : kRows) {
    OrderQueue queue;
    EXPECT_EQ(run(row.in, queue), row.out) << row.in;
    EXPECT_EQ(queue.late(), 0u);
  }
}

TEST(Order, LateRecordsAreHandedOutAndCounted) {
  OrderQueue queue;
  EXPECT_EQ(run("cd|e|a|", queue), "  cd ae ");
  EXPECT_EQ(queue.late(), 1u);
}

TEST(Order, ReliefHandsOutTheOlderHalf) {
  OrderQueue queue;
  for (char c : std::string("fabced")) queue.push({static_cast<std::uint64_t>(c), nullptr, 0});
  std::string out;
  queue.relieve([&](const auto& entry) {
    out += static_cast<char>(entry.time);
    return true;
  });
  EXPECT_EQ(out, "abcd");
  EXPECT_EQ(queue.size(), 2u);
}

}  // namespace
}  // namespace evname::perfdata::session
