#include "stat/figures.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace evname::tools {
namespace {

/// Stand for the time on CPUs, in ns, and for the elapsed seconds.
constexpr std::string_view kClock = "clock", kElapsed = "elapsed";

/// A figure divides the count of an event by another count. It has the name, unit and scale of
/// perf's metric in tools/perf/pmu-events/arch/common/common/metrics.json.
struct FigureRow {
  std::string_view event, by;
  double scale;
  std::string_view unit;
  std::string_view name;
};

constexpr FigureRow kFigures[] = {
    {kClock, kElapsed, 1e-9, "CPUs", "CPUs_utilized"},
    {"context-switches", kClock, 1e9, "cs/sec", "cs_per_second"},
    {"cpu-migrations", kClock, 1e9, "migrations/sec", "migrations_per_second"},
    {"page-faults", kClock, 1e9, "faults/sec", "page_faults_per_second"},
    {"instructions", "cycles", 1, "instructions", "insn_per_cycle"},
    {"cycles", kClock, 1, "GHz", "cycles_frequency"},
    {"stalled-cycles-frontend", "cycles", 1, "", "frontend_cycles_idle"},
    {"stalled-cycles-backend", "cycles", 1, "", "backend_cycles_idle"},
    {"branches", kClock, 1000, "M/sec", "branch_frequency"},
    {"branch-misses", "branches", 100, "%", "branch_miss_rate"},
    {"L1-dcache-load-misses", "L1-dcache-loads", 100, "%", "l1d_miss_rate"},
    {"LLC-load-misses", "LLC-loads", 100, "%", "llc_miss_rate"},
    {"L1-icache-load-misses", "L1-icache-loads", 100, "%", "l1i_miss_rate"},
    {"dTLB-load-misses", "dTLB-loads", 100, "%", "dtlb_miss_rate"},
    {"iTLB-load-misses", "iTLB-loads", 100, "%", "itlb_miss_rate"},
    {"L1-dcache-prefetch-misses", "L1-dcache-prefetches", 100, "%", "l1_prefetch_miss_rate"},
};

bool is_clock(std::string_view event) { return event == "task-clock" || event == "cpu-clock"; }

/// Returns true unless the events are of two core PMUs. A core PMU's driver names some of perf's
/// events itself, and the kernel has the others: "instructions" is of PMU cpu, "cycles" of
/// "hardware".
bool may_share_cpus(const Encoding& a, const Encoding& b) {
  constexpr std::string_view kAnyCore = "hardware";
  return a.pmu == b.pmu || a.pmu == kAnyCore || b.pmu == kAnyCore;
}

/// Finds counts of the same threads, CPUs and cgroup, on the same core PMU if it is one of its
/// events.
class Neighbours {
 public:
  Neighbours(std::span<const Row> rows, std::span<const Query> queries, double seconds)
      : rows_(rows), queries_(queries), seconds_(seconds) {}

  std::string_view event_of(const Row& row) const {
    const std::string_view text = queries_[row.query].text;
    return is_clock(text) ? kClock : text;
  }

  /// Returns nullopt if it is not counted.
  std::optional<double> count(std::string_view event, const Row& beside) const {
    if (event == kElapsed) return seconds_;
    for (const Row& row : rows_) {
      const bool fits = row.part == beside.part && row.cgroup == beside.cgroup &&
                        (event == kClock || may_share_cpus(*row.encoding, *beside.encoding));
      if (fits && row.is_counted() && event_of(row) == event) return row.value.scaled;
    }
    return std::nullopt;
  }

 private:
  std::span<const Row> rows_;
  std::span<const Query> queries_;
  double seconds_;
};

}  // namespace

void set_figures(std::span<Row> rows, std::span<const Query> queries, double seconds) {
  const Neighbours neighbours(rows, queries, seconds);
  for (Row& row : rows) {
    const auto* const figure =
        std::ranges::find(kFigures, neighbours.event_of(row), &FigureRow::event);
    if (figure == std::end(kFigures)) continue;
    row.figure = {figure->unit, figure->name, {}};
    const auto by = neighbours.count(figure->by, row);
    if (row.is_counted() && by && *by != 0)
      row.figure->value = row.value.scaled / *by * figure->scale;
  }
}

}  // namespace evname::tools
