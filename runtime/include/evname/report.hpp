#pragma once
// Adds up samples by event, thread, CPU, cgroup or function, collects their stacks, and counts them
// over time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evname/export.h"
#include "evname/sample_filter.hpp"

namespace evname {

namespace report {
struct State;
}

/// A key that distinguishes the rows of a report.
enum class SortKey : std::uint8_t {
  event,    ///< RecordedEvent::full_name()
  file,     ///< path of the recording
  pmu,      ///< RecordedEvent::pmu
  comm,     ///< thread name
  pid,      ///< process id
  tid,      ///< thread id
  cpu,      ///< CPU of the sample
  cgroup,   ///< path of the cgroup; its number if the recording has no path
  sym,      ///< function of the sample, innermost if calls are inlined; else its file and offset
  dso,      ///< file that has the function
  srcfile,  ///< path of its source file
  srcline,  ///< the same with the line
};

/// Parses a list of sort keys: "event,comm". Errors: invalid_argument; the message has the unknown
/// word and the known ones.
EVNAME_API Result<std::vector<SortKey>> parse_sort_keys(std::string_view text);

/// The names that parse_sort_keys() takes.
EVNAME_API std::vector<std::string_view> sort_key_names();

/// The sums of samples that are equal in all keys. `lost` and `throttled` are known only by event
/// (and file).
struct ReportRow : SampleSums {
  std::vector<std::string> keys;  ///< one value per SortKey; "-": not sampled
  std::size_t event = 0;          ///< its index in Report::events(); of the first sample if several
  /// Share, from 0 to 1, of all samples or, if `event` is one of several keys, of the samples of
  /// the same event.
  double share = 0;
  std::uint64_t of = 0;  ///< the number of samples that `share` is a share of
  ///@{
  /// Samples that have the row's function anywhere in their stack, and the sum of their periods;
  /// 0 unless ReportOptions::children is set. A function that calls itself counts once.
  std::uint64_t children = 0, children_period = 0;
  ///@}
};

/// An event of a report, with the sums of its samples in all files. Events with the same name in
/// several files are one.
struct ReportEvent : SampleSums {
  RecordedEvent event;  ///< as in the first file that has it
};

/// How the samples of a report lie in time. The number of bins is fixed: they become wider if the
/// recording turns out to be longer. Each recording counts from its first sample.
struct Timeline {
  /// Number of bins.
  static constexpr std::uint32_t kBins = 2048;

  /// The samples of an event that a lane has: all, or those of one thread or CPU.
  enum class Of : std::uint8_t { event, thread, cpu };
  /// A bin that is not empty.
  struct Cell {
    std::uint32_t bin = 0;  ///< below kBins
    ///@{
    /// Number of samples, sum of their periods, and samples reported as lost.
    std::uint64_t samples = 0, period = 0, lost = 0;
    ///@}
  };
  /// The samples of an event, or those of one of its threads or CPUs.
  struct Lane {
    std::size_t event = 0;   ///< index in Report::events()
    Of of = Of::event;       ///< what it is a lane of
    std::string name;        ///< thread: "comm 123"; CPU: "2"; "-": not sampled
    std::size_t folded = 0;  ///< number of threads or CPUs that are one lane, as there are too many
    SampleSums sums;         ///< of the lane
    std::vector<Cell> cells;  ///< by bin
  };
  std::uint64_t first = 0;  ///< begin of bin 0 in the first recording, in ns
  std::uint64_t width = 1;  ///< of a bin, in ns
  std::vector<Lane> lanes;  ///< by event, then what they are of, then those with most samples first
};

/// The stacks of a report as a tree, callers above what they call. Below the root are thread names,
/// below those the outermost callers.
struct StackTree {
  /// Node 0 is the root; a node's parent comes before it.
  struct Node {
    std::uint32_t parent = 0;  ///< index of a node
    std::uint32_t frame = 0;   ///< index in `frames`
  };
  /// Samples that were taken in a node itself, not in what it calls.
  struct Count {
    std::uint32_t node = 0;  ///< index in `nodes`
    ///@{
    /// Number of samples, and sum of their periods.
    std::uint64_t samples = 0, period = 0;
    ///@}
  };
  std::vector<std::string> frames;         ///< names of threads and functions
  std::vector<Node> nodes;                 ///< see Node
  std::vector<std::vector<Count>> events;  ///< by event as in Report::events(), then by node
  std::uint64_t folded = 0;                ///< samples whose stack was cut, as there are too many
};

/// A function in the stacks of an event's samples.
struct StackFunction {
  std::string name;  ///< as StackTree::frames has it
  ///@{
  /// The samples that were taken in it, and the sum of their periods.
  std::uint64_t samples = 0, period = 0;
  ///@}
  ///@{
  /// The samples that were taken in it or in what it called, each once, and their periods.
  std::uint64_t all_samples = 0, all_period = 0;
  ///@}
};

/// Options of a Report.
struct ReportOptions {
  std::vector<SortKey> keys = {SortKey::event};  ///< what distinguishes rows
  SampleFilter filter = {};                      ///< samples to count
  PassOptions pass = {};                         ///< how to read them
  /// Names functions and files if a key, a filter or a stack asks for them; nullptr: a Symbols
  /// with default options. Outlives the report.
  const Symbols* symbols = nullptr;
  /// Fill ReportRow::children; one of the keys has to be sym, dso, srcfile or srcline. Functions
  /// that only call others have rows, too.
  bool children = false;
  bool timeline = false;  ///< fill Report::timeline()
  /// The most nodes of Report::stacks(). Stacks with few samples of their event are cut to stay
  /// below, and a node "(smaller stacks)" has the samples of what was cut off. 0: no stacks.
  std::uint32_t stacks = 0;
};

/// Adds up the samples of one or more recordings. For one thread at a time.
class EVNAME_API Report {
 public:
  /// An empty report.
  explicit Report(ReportOptions options);
  ///@{
  /// A moved-from report may only be assigned to or destroyed.
  Report(const Report& other);
  Report(Report&& other) noexcept;
  Report& operator=(Report other) noexcept;
  ///@}
  ~Report();

  /// Adds the samples of a recording. Rows with the same keys are merged, whatever their file.
  /// Errors: not_found if the filter is by CPU and CPUs are not sampled; nothing is added then.
  Result<SampleTally> add(const PerfData& file);

  /// The rows, those with most samples first, then by keys. If `event` is one of several keys, the
  /// rows of an event follow each other, those of the event with most samples first. With `event`,
  /// an event without samples has a row, too; its other keys are "-".
  std::vector<ReportRow> rows() const;
  /// The events, in the order in which they were first found.
  const std::vector<ReportEvent>& events() const;
  /// Empty unless ReportOptions::timeline is set.
  Timeline timeline() const;
  /// Empty unless ReportOptions::stacks is set; of at most `most_nodes` nodes, if that is fewer.
  StackTree stacks(std::uint32_t most_nodes = UINT32_MAX) const;
  /// The functions of each event, as in events(), those with most all_samples first. They count all
  /// samples, also those whose stacks are cut. Empty unless ReportOptions::stacks is set.
  std::vector<std::vector<StackFunction>> functions() const;
  /// The number of samples of all events.
  std::uint64_t samples() const;

 private:
  std::unique_ptr<report::State> state_;
};

/// A change between two reports that have the same keys.
struct ReportChange {
  std::vector<std::string> keys;  ///< one value per SortKey
  ///@{
  /// The sums of either side; without samples if it has no such row.
  SampleSums before, after;
  ///@}
  ///@{
  /// Share of either side's samples, or of the event's if `event` is one of several keys: from 0
  /// to 1, so that recordings of different length compare.
  double share_before = 0, share_after = 0;
  ///@}
};

/// Compares the rows of two reports with the same keys, of which the one at `event_key` (SIZE_MAX:
/// none) is `event`: the rows of an event follow each other, in the order of `before`, and those
/// whose share changed most come first.
EVNAME_API std::vector<ReportChange> compare_rows(const std::vector<ReportRow>& before,
                                                  const std::vector<ReportRow>& after,
                                                  std::size_t event_key = SIZE_MAX);

}  // namespace evname
