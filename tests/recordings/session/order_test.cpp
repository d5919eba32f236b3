#include "recordings/session/record_order.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "support/environment.hpp"

namespace evname::session {
namespace {

// Pushes the times of `script`; '|' is a round mark. What a round hands out follows a ' '.
std::string run(std::string_view script, OrderQueue& queue) {
  std::string out;
  const auto hand_out = [&] {
    for (OrderQueue::Entry entry; queue.next(entry);) out += static_cast<char>(entry.block);
  };
  for (char c : script) {
    if (c == '|') {
      out += ' ';
      queue.end_round();
      hand_out();
    } else {
      queue.push(
          {static_cast<std::uint64_t>(std::tolower(c)), nullptr, static_cast<std::uint32_t>(c)});
    }
  }
  out += ' ';
  queue.end_all();
  hand_out();
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

TEST(Order, TheOlderHalfCanBeMadeDue) {
  OrderQueue queue;
  for (char c : std::string("fabced")) queue.push({static_cast<std::uint64_t>(c), nullptr, 0});
  std::string out;
  queue.end_older_half();
  for (OrderQueue::Entry entry; queue.next(entry);) out += static_cast<char>(entry.time);
  EXPECT_EQ(out, "abcd");
  EXPECT_EQ(queue.size(), 2u);
}

/// Records of one type and its time as text, in blocks that the queue owns or views.
class Spilling : public testing::TestWithParam<bool> {
 protected:
  void push(std::uint64_t time, std::uint32_t number) {
    std::uint8_t record[16] = {9, 0, 0, 0, 0, 0, sizeof record, 0};
    record[8] = static_cast<std::uint8_t>(number);
    const std::uint8_t* data = nullptr;
    std::uint32_t block = 0;
    if (GetParam()) {
      block = blocks_.add_owned(sizeof record, number * 100);
      data =
          std::copy(std::begin(record), std::end(record), blocks_.writable(block)) - sizeof record;
    } else {
      kept_.push_back(std::string(reinterpret_cast<const char*>(record), sizeof record));
      data = reinterpret_cast<const std::uint8_t*>(kept_.back().data());
      block = blocks_.add_view({data, sizeof record}, number * 100);
    }
    queue_.push({time, data, block, number});
  }
  void hand_out() {
    for (QueuedRecord record; queue_.next(record);) {
      const bool copied = record.block == SpilledRuns::kCopied;
      EXPECT_EQ(record.data[8], record.event);
      EXPECT_EQ(
          copied ? SpilledRuns::offset_of(record) : blocks_.offset_of(record.block, record.data),
          record.event * 100);
      if (!copied) blocks_.release(record.block);
      out_ += std::to_string(record.time) + "/" + std::to_string(record.event) + " ";
    }
  }

  stream::BlockStore blocks_;
  OrderQueue queue_;
  std::deque<std::string> kept_;
  std::string out_;
};

// Equal times stay in the order they came in, wherever they are.
TEST_P(Spilling, WhatIsInFilesComesInItsPlace) {
  std::uint32_t number = 0;
  const auto push_all = [&](std::initializer_list<std::uint64_t> times) {
    for (const std::uint64_t time : times) push(time, number++);
  };
  const auto spill = [&] {
    ASSERT_TRUE(queue_.spill(blocks_, std::endian::little));
    EXPECT_EQ(queue_.size(), 0u);
    EXPECT_EQ(blocks_.owned_bytes(), 0u);
  };
  push_all({5, 3, 9});
  spill();
  push_all({3, 1, 9});
  spill();
  push_all({9, 3, 2});
  queue_.end_round();
  hand_out();
  EXPECT_EQ(out_, "");
  push_all({7});
  queue_.end_before(4);
  hand_out();
  EXPECT_EQ(out_, "1/4 2/8 3/1 3/3 3/7 ");
  spill();
  push_all({6});
  queue_.end_all();
  hand_out();
  EXPECT_EQ(out_, "1/4 2/8 3/1 3/3 3/7 5/0 6/10 7/9 9/2 9/5 9/6 ");
  EXPECT_EQ(queue_.late(), 0u);
  EXPECT_EQ(blocks_.owned_bytes(), 0u);
}

TEST_P(Spilling, WhereThereIsNoRoomNothingIsLost) {
  push(2, 0);
  push(1, 1);
  const test::Environment nowhere("TMPDIR", "/nonexistent");
  const auto done = queue_.spill(blocks_, std::endian::little);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().where, "/nonexistent");
  queue_.end_all();
  hand_out();
  EXPECT_EQ(out_, "1/1 2/0 ");
}

// Records that went back to memory are handed out by a round that ends before they are due, and not
// earlier.
TEST_P(Spilling, WhatCouldNotBeWrittenKeepsItsPlace) {
  push(5, 0);
  push(3, 1);
  const test::Environment nowhere("TMPDIR", "/nonexistent");
  ASSERT_FALSE(queue_.spill(blocks_, std::endian::little));
  EXPECT_EQ(queue_.size(), 2u);
  push(4, 2);
  queue_.end_before(4);
  hand_out();
  EXPECT_EQ(out_, "3/1 ");
  queue_.end_before(5);
  hand_out();
  EXPECT_EQ(out_, "3/1 4/2 ");
  queue_.end_all();
  hand_out();
  EXPECT_EQ(out_, "3/1 4/2 5/0 ");
  EXPECT_EQ(queue_.late(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Order, Spilling, testing::Bool());

}  // namespace
}  // namespace evname::session
