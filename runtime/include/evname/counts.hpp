#pragma once
// Counts that somebody else took: the output of `perf stat -x,` or `perf stat --json`, or a file of
// `perf stat record`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/metric.hpp"

namespace evname {

/// One event's count as perf shows it.
struct Counted {
  /// Whether there is a value.
  enum class State : std::uint8_t { counted, not_counted, not_supported };
  std::string event;  ///< "cycles:u", "cpu/event=0x3c/"
  std::string pmu;    ///< of "cas_count_read [uncore_imc_0]", "uncore_imc_0"; mostly empty
  std::string unit;   ///< that `value` is in: "msec", "MiB"; empty: plain events
  double value = 0;   ///< extrapolated to the whole time
  State state = State::counted;  ///< what perf says of it
};

/// The counts of one interval and one place.
struct CountGroup {
  std::optional<double> time;   ///< seconds since the start; empty: of the whole run
  std::string place;            ///< "CPU0", "S0-D0", "S0-D0-C1", "sleep-123"; empty: everywhere
  std::vector<Counted> counts;  ///< in the order of the file
};

/// How far a `perf stat record` file is summed up.
enum class CountsPer : std::uint8_t { recorded, total, cpu, core, die, socket, thread };

/// All that a file holds.
struct Counts {
  std::vector<CountGroup> groups;  ///< by time, then in the order of the file
  bool whole_cores = false;        ///< they cover all that ran on the machine's cores, not one task
  std::vector<std::string> warnings;  ///< for people

  /// Holds it none?
  bool empty() const { return groups.empty(); }
};

/// Lines of `perf stat -x SEPARATOR` or `perf stat --json`; which one is found out, and so is the
/// separator if it is empty. Errors: invalid_argument where no line holds a count.
EVNAME_API Result<Counts> read_counts_text(std::string_view text, std::string_view separator = {});

/// Of a `perf stat record` file. Errors: invalid_argument where it holds no counts.
EVNAME_API Result<Counts> read_counts(const PerfData& file, CountsPer per = CountsPer::recorded);

/// What the events of a set have counted, parallel to its events(). An event is found by its name
/// in any case, with or without modifiers, else by what it encodes.
EVNAME_API std::vector<EventCount> match_counts(const Machine& machine,
                                                std::span<const MetricEvent> events,
                                                const CountGroup& group);

}  // namespace evname
