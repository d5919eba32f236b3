#pragma once
// Reads event counts from the output of `perf stat`: its text, or that of -x or --json, or a file
// of `perf stat record`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/metric.hpp"

namespace evname {

/// The count of one event, as reported by perf.
struct Counted {
  /// Whether the event was counted.
  enum class State : std::uint8_t { counted, not_counted, not_supported };
  std::string event;  ///< "cycles:u", "cpu/event=0x3c/"
  std::string pmu;    ///< "uncore_imc_0" for "cas_count_read [uncore_imc_0]"; usually empty
  std::string unit;   ///< unit of `value`: "msec", "MiB"; empty: a number of events
  double value = 0;   ///< extrapolated to the time the event was enabled
  State state = State::counted;  ///< as reported by perf
  unsigned counters = 0;         ///< number of counters that `value` is the sum of; 0: not reported
};

/// The counts of one interval and one place: a CPU, core, die, socket or thread.
struct CountGroup {
  std::optional<double> time;   ///< seconds since the start; nullopt: the whole run
  std::string place;            ///< "CPU0", "S0-D0", "S0-D0-C1", "sleep-123"; empty: everywhere
  std::vector<Counted> counts;  ///< in the order of the file
  double seconds = 0;           ///< length of the interval, in text; else 0
};

/// What the counts of a `perf stat record` file are summed by.
enum class CountsPer : std::uint8_t { recorded, total, cpu, core, die, socket, thread };

/// All counts of a file.
struct Counts {
  std::vector<CountGroup> groups;  ///< by time, then in the order of the file
  bool whole_cores = false;  ///< they cover everything that ran on the cores, not a single task
  std::vector<std::string> warnings;  ///< human-readable

  /// Returns true if there are no counts.
  bool empty() const { return groups.empty(); }
};

/// Parses the output of `perf stat`, `perf stat -x SEPARATOR` or `perf stat --json`. The format is
/// detected, and so is the separator if `separator` is empty. The text's times below the counts
/// become counts of duration_time, user_time and system_time. Errors: invalid_argument if no line
/// has a count.
EVNAME_API Result<Counts> read_counts_text(std::string_view text, std::string_view separator = {});

/// Finds the counts of MetricSet::events() in a group. Returns one count per event, in the same
/// order. An event is found by its name (ignoring case, with or without modifiers), else by its
/// encoding; a generic event is also found by the code that the kernel counts it with on the
/// machine's core PMUs, and an event of several PMUs as the sum of its counts on each of them.
/// duration_time that was not counted is the length of the interval.
EVNAME_API std::vector<EventCount> match_counts(const Machine& machine,
                                                std::span<const MetricEvent> events,
                                                const CountGroup& group);

}  // namespace evname
