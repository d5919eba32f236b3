#pragma once
// What samples add up to.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evname/annotate.hpp"
#include "evname/export.h"

namespace evname {

namespace report {
class Pass;
}

/// What rows are told apart by.
enum class SortKey : std::uint8_t {
  event,  ///< RecordedEvent::full_name()
  file,   ///< path of the recording
  pmu,    ///< RecordedEvent::pmu
  comm,   ///< name of the thread
  pid,    ///< process
  tid,    ///< thread
  cpu,    ///< where it ran
};

/// "event,comm". Errors: invalid_argument, naming the word and what there is.
EVNAME_API Result<std::vector<SortKey>> parse_sort_keys(std::string_view text);

/// The words it takes.
EVNAME_API std::vector<std::string_view> sort_key_names();

/// Samples that are alike in all keys.
struct ReportRow {
  std::vector<std::string> keys;  ///< one per SortKey; "-": not sampled
  std::uint64_t samples = 0;      ///< how many
  std::uint64_t period = 0;       ///< their periods added up: an estimate of how often it happened
  /// Of all samples or, where events are told apart and something else is too, of the samples of
  /// the same event. 0 to 1.
  double share = 0;
  ///@{
  /// ns; first > last: no sample has a time.
  std::uint64_t first = UINT64_MAX, last = 0;
  ///@}
  std::uint64_t lost = 0;       ///< samples the kernel reports as lost; by event (and file) only
  std::uint64_t throttled = 0;  ///< times the kernel stopped the event; likewise
};

/// Samples of each event over time. Bins get wider as the recording turns out to be longer, so that
/// their number stays.
struct Histogram {
  /// How many there are.
  static constexpr std::size_t kBins = 2048;

  std::uint64_t first = 0;  ///< ns, where bin 0 begins
  std::uint64_t width = 1;  ///< ns
  /// One event's.
  struct Series {
    ///@{
    /// kBins each.
    std::vector<std::uint64_t> samples, periods;
    ///@}
  };
  std::vector<Series> events;  ///< in the order of events of the report
};

/// An event of a report: those of the same name in several files are one.
struct ReportEvent {
  RecordedEvent event;  ///< of the first file that has it
  ///@{
  /// Of its samples, in all files.
  std::uint64_t samples = 0, period = 0;
  ///@}
};

/// What a Report adds up.
struct ReportOptions {
  std::vector<SortKey> keys = {SortKey::event};  ///< what rows are told apart by
  SampleFilter filter = {};                      ///< which samples count
  PassOptions pass = {};                         ///< how they are read
  bool histogram = false;                        ///< fill Report::histogram()
};

/// Adds up recordings one after the other.
class EVNAME_API Report {
 public:
  /// Of no recording yet.
  explicit Report(ReportOptions options);

  /// Goes through all samples of the file. Rows of several files with the same keys are one.
  SampleTally add(const PerfData& file);

  /// Most samples first; then by keys.
  std::vector<ReportRow> rows() const;
  /// In the order they were met.
  const std::vector<ReportEvent>& events() const { return events_; }
  /// Empty unless it was asked for.
  const Histogram& histogram() const { return histogram_; }
  /// How many there were, of all events.
  std::uint64_t samples() const { return samples_; }

 private:
  friend class report::Pass;

  ReportOptions options_;
  std::vector<ReportEvent> events_;
  std::vector<ReportRow> rows_;
  std::vector<std::size_t> row_events_;  ///< which event a row is of; parallel to rows_
  Histogram histogram_;
  bool has_first_ = false;
  std::uint64_t samples_ = 0;
};

}  // namespace evname
