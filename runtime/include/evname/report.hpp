#pragma once
// Adding up samples by event, file, thread or CPU.

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

/// What distinguishes the rows of a report.
enum class SortKey : std::uint8_t {
  event,  ///< RecordedEvent::full_name()
  file,   ///< path of the recording
  pmu,    ///< RecordedEvent::pmu
  comm,   ///< thread name
  pid,    ///< process id
  tid,    ///< thread id
  cpu,    ///< CPU of the sample
};

/// Parses a list of sort keys: "event,comm". Errors: invalid_argument; the message has the unknown
/// word and the known ones.
EVNAME_API Result<std::vector<SortKey>> parse_sort_keys(std::string_view text);

/// The names that parse_sort_keys() takes.
EVNAME_API std::vector<std::string_view> sort_key_names();

/// The samples that are equal in all keys.
struct ReportRow {
  std::vector<std::string> keys;  ///< one value per SortKey; "-": not sampled
  std::uint64_t samples = 0;      ///< number of samples
  std::uint64_t period = 0;       ///< sum of their periods: an estimate of the event's count
  /// Share, from 0 to 1, of all samples or, if `event` is one of several keys, of the samples of
  /// the same event.
  double share = 0;
  std::uint64_t of = 0;  ///< the number of samples that `share` is a share of
  ///@{
  /// Times of the first and last sample, in ns; first > last if no sample has a time.
  std::uint64_t first = UINT64_MAX, last = 0;
  ///@}
  std::uint64_t lost = 0;  ///< samples that the kernel reported as lost; only by event (and file)
  std::uint64_t throttled = 0;  ///< how often the kernel throttled the event; likewise
};

/// Samples of each event over time. The number of bins is fixed: they become wider if the recording
/// turns out to be longer.
struct Histogram {
  /// Number of bins.
  static constexpr std::size_t kBins = 2048;

  std::uint64_t first = 0;  ///< where bin 0 begins, in ns
  std::uint64_t width = 1;  ///< of a bin, in ns
  /// The bins of one event.
  struct Series {
    ///@{
    /// Number of samples, and sum of their periods, in each of kBins bins.
    std::vector<std::uint64_t> samples, periods;
    ///@}
  };
  std::vector<Series> events;  ///< in the order of Report::events()
};

/// An event of a report. Events with the same name in several files are one.
struct ReportEvent {
  RecordedEvent event;  ///< as in the first file that has it
  ///@{
  /// Number of samples in all files, and sum of their periods.
  std::uint64_t samples = 0, period = 0;
  ///@}
};

/// Options of a Report.
struct ReportOptions {
  std::vector<SortKey> keys = {SortKey::event};  ///< what distinguishes rows
  SampleFilter filter = {};                      ///< samples to count
  PassOptions pass = {};                         ///< how to read them
  bool histogram = false;                        ///< fill Report::histogram()
};

/// Adds up the samples of one or more recordings. For one thread at a time.
class EVNAME_API Report {
 public:
  /// An empty report.
  explicit Report(ReportOptions options);

  /// Adds the samples of a recording. Rows with the same keys are merged, whatever their file.
  SampleTally add(const PerfData& file);

  /// The rows, those with most samples first, then by keys. If `event` is one of several keys, the
  /// rows of an event follow each other, those of the event with most samples first. With `event`,
  /// an event without samples has a row, too; its other keys are "-".
  std::vector<ReportRow> rows() const;
  /// The events, in the order in which they were first found.
  const std::vector<ReportEvent>& events() const { return events_; }
  /// Empty unless ReportOptions::histogram is set.
  const Histogram& histogram() const { return histogram_; }
  /// The number of samples of all events.
  std::uint64_t samples() const { return samples_; }

 private:
  friend class report::Pass;

  SampleTally read(const PerfData& file);
  bool has_key(SortKey key) const;
  void add_empty_events(std::vector<ReportRow>* rows, std::vector<std::size_t>* owners) const;

  ReportOptions options_;
  std::vector<ReportEvent> events_;
  std::vector<bool> wanted_;  ///< that the filter by event leaves; parallel to events_
  std::vector<ReportRow> rows_;
  std::vector<std::size_t> row_events_;  ///< which event a row is of; parallel to rows_
  Histogram histogram_;
  bool has_first_ = false;
  std::uint64_t samples_ = 0;
};

}  // namespace evname
