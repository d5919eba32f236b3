#include "report/changes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace evname::tools {
namespace {

Report::Row row(std::vector<std::string> keys, std::uint64_t samples, double share) {
  Report::Row row;
  row.keys = std::move(keys);
  row.samples = samples;
  row.share = share;
  return row;
}

// The shares of an event are compared; the largest change comes first, and events keep their order.
TEST(Changes, AreToldByShares) {
  const std::vector<Report::Row> before = {row({"cpu-clock", "5"}, 2, 0.5),
                                           row({"cpu-clock", "6"}, 2, 0.5),
                                           row({"page-faults", "-"}, 0, 0)};
  const std::vector<Report::Row> after = {
      row({"cpu-clock", "5"}, 6, 0.6), row({"cpu-clock", "6"}, 2, 0.2),
      row({"cpu-clock", "7"}, 2, 0.2), row({"page-faults", "-"}, 0, 0)};
  std::string text;
  for (const ReportChange& change : compare_rows(before, after, 0))
    text += fmt::format("{} {}: {} {} {:.2f} {:.2f};", change.keys[0], change.keys[1],
                        change.before.samples, change.after.samples, change.share_before,
                        change.share_after);
  EXPECT_EQ(text,
            "cpu-clock 6: 2 2 0.50 0.20;cpu-clock 7: 0 2 0.00 0.20;cpu-clock 5: 2 6 0.50 0.60;"
            "page-faults -: 0 0 0.00 0.00;");
}

}  // namespace
}  // namespace evname::tools
