// Records of perf sched stats, in both byte orders, of each version, and damaged.

#include <gtest/gtest.h>

#include "perf_format/scheduler_records.hpp"
#include "support/bytes_out.hpp"

namespace evname::perf_format {
namespace {

using test::BytesOut;
using Counts = std::vector<std::pair<std::string_view, std::uint64_t>>;

class AnyScheduler : public testing::TestWithParam<std::endian> {
 protected:
  /// A record whose numbers go up by `step`, from `step` on.
  std::string record(std::uint32_t type, std::uint16_t version, std::uint32_t step,
                     std::size_t words, std::uint64_t time = 100) const {
    BytesOut out(GetParam());
    out.u32(type).u16(0).u16(0).u64(time).u32(3).u16(version).u16(1);
    for (std::uint32_t i = 1; i <= words; ++i) {
      if (type == 85 && i > 6)
        out.u64(std::uint64_t{1} << 40 | i * step);
      else
        out.u32(i * step);
    }
    return out.str();
  }
  std::vector<SchedulerStatistics> sum(const std::vector<std::string>& records) const {
    SchedulerSums sums;
    for (const std::string& bytes : records) {
      const auto view = test::view_of(bytes);
      sums.add({.type = load<std::uint32_t>(view.data(), GetParam()), .bytes = view}, GetParam());
    }
    return sums.take();
  }
};
INSTANTIATE_TEST_SUITE_P(Scheduler, AnyScheduler,
                         testing::Values(std::endian::little, std::endian::big));

TEST_P(AnyScheduler, CountsOfACpuAreTheLastLessTheFirst) {
  const auto found = sum({record(85, 15, 1, 9), record(85, 15, 3, 9, 350)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cpu, 3u);
  EXPECT_FALSE(found[0].domain);
  EXPECT_EQ(found[0].records, 2u);
  EXPECT_EQ(found[0].to - found[0].from, 250u);
  EXPECT_EQ(found[0].counts, (Counts{{"yld_count", 2},
                                     {"array_exp", 4},
                                     {"sched_count", 6},
                                     {"sched_goidle", 8},
                                     {"ttwu_count", 10},
                                     {"ttwu_local", 12},
                                     {"rq_cpu_time", 14},
                                     {"run_delay", 16},
                                     {"pcount", 18}}));
}

// Names and numbers of fields: tools/lib/perf/include/perf/schedstat-v1{5,6,7}.h.
TEST_P(AnyScheduler, DomainsHaveTheFieldsOfTheirVersion) {
  struct Case {
    std::uint16_t version;
    std::size_t fields;
    std::string_view first, fourth, last_of_first, second;
  };
  for (const Case& one :
       {Case{15, 36, "idle_lb_count", "idle_lb_imbalance", "idle_lb_nobusyg", "busy_lb_count"},
        Case{16, 36, "busy_lb_count", "busy_lb_imbalance", "busy_lb_nobusyg", "idle_lb_count"},
        Case{17, 45, "busy_lb_count", "busy_lb_imbalance_load", "busy_lb_nobusyg",
             "idle_lb_count"}}) {
    const auto found = sum({record(86, one.version, 1, 60)});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].domain, 1u);
    const Counts& counts = found[0].counts;
    ASSERT_EQ(counts.size(), one.fields) << one.version;
    const std::size_t state = (one.fields - 12) / 3;
    EXPECT_EQ(counts[0].first, one.first);
    EXPECT_EQ(counts[3].first, one.fourth);
    EXPECT_EQ(counts[state - 1].first, one.last_of_first);
    EXPECT_EQ(counts[state].first, one.second);
    EXPECT_EQ(counts[2 * state].first, "newidle_lb_count");
    EXPECT_EQ(counts.back(), (Counts::value_type{"ttwu_move_balance", one.fields}));
  }
}

TEST_P(AnyScheduler, ThirtyTwoBitsGoRound) {
  const auto found = sum({record(86, 17, 0xfffffff0, 45), record(86, 17, 5, 45)});
  EXPECT_EQ(found[0].counts[0].second, 21u);
}

TEST_P(AnyScheduler, DamagedOnesAreReadAsFarAsTheyGo) {
  const std::string whole = record(86, 17, 1, 45);
  for (std::size_t size = 8; size < whole.size(); ++size) {
    const auto found = sum({whole, whole.substr(0, size)});
    EXPECT_LE(found.size(), 2u);
    EXPECT_LE(found[0].counts.size(), 45u);
  }
  EXPECT_TRUE(sum({record(86, 18, 1, 45)})[0].counts.empty());
  EXPECT_TRUE(sum({record(85, 17, 1, 9), record(85, 16, 2, 9)})[0].counts.empty());
}

}  // namespace
}  // namespace evname::perf_format
