#pragma once
// Selects samples of a recording by event, CPU, thread, time and function.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/recording.hpp"

namespace evname {

class Locations;
namespace locations {
class LocationCache;
}

/// A range of times of the recording's clock.
struct TimeRange {
  ///@{
  /// Inclusive, in ns.
  std::uint64_t first = 0, last = UINT64_MAX;
  ///@}
};

/// Parses the argument of perf script's --time: ranges in seconds, separated by spaces, such as
/// "12.5,13" (either bound may be omitted), or shares of the time from the first to the last
/// sample: "10%-20%,40%-50%", "50%" (the first half), "10%/2" (the second tenth).
/// Errors: invalid_argument; not_found if shares are requested and the recording does not contain
/// the times of its first and last sample.
[[nodiscard]] EVNAME_API Result<std::vector<TimeRange>> parse_times(std::string_view text,
                                                                    const Recording& file);

/// The kinds of sampled operations, as bits of SampleFilter::operations.
enum class SampledOperation : std::uint8_t {
  load = 1 << 0,      ///< Sample::data_src() describes a load
  store = 1 << 1,     ///< of a store
  prefetch = 1 << 2,  ///< of a prefetch
  branch = 1 << 3,    ///< the sample is a branch of SPE
};

/// Describes which samples are selected. An empty member accepts every sample; a sample must
/// satisfy all members that are set. As in perf script, a sample without a CPU matches any CPU, one
/// without a process has pid -1, and time 0 lies in every range.
///
/// annotate(), Report::add(), export_profile(), extract(), split() and Selection::make() call
/// check().
struct EVNAME_API SampleFilter {
  std::string event = {};  ///< glob for RecordedEvent::name (with or without modifiers) or
                           ///< recorded_name, ignoring case
  ///@{
  /// The sample must match one of them.
  std::vector<std::uint32_t> cpus = {};
  std::vector<std::string> comms = {};
  std::vector<std::int32_t> pids = {}, tids = {};
  ///@}
  std::vector<TimeRange> times = {};  ///< the sample must be in one of them
  std::string time_parts = {};        ///< and here, if it is set: shares as parse_times() has them,
                                      ///< of the time of each recording
  std::uint64_t min_latency = 0;      ///< of Sample::weight()
  unsigned operations = 0;            ///< bits of SampledOperation; 0 accepts all
  ///@{
  /// Globs for a function at the sample's address, also one inlined there, and for the file that
  /// has it, with or without its directory. A name as it is printed accepts itself, even if it has
  /// brackets or asterisks: "[kernel.kallsyms]".
  std::string sym = {}, dso = {};
  ///@}

  /// Returns true if `sym` or `dso` is set: functions or files have to be named.
  bool needs_symbols() const { return !sym.empty() || !dso.empty(); }
  /// Returns true if no member other than `event` is set.
  bool selects_events_only() const {
    return cpus.empty() && comms.empty() && pids.empty() && tids.empty() && times.empty() &&
           time_parts.empty() && min_latency == 0 && operations == 0 && !needs_symbols();
  }
  /// Returns for each event of the file whether it matches `event`, indexed by RecordedEvent::attr.
  std::vector<bool> events(const Recording& file) const;
  /// Returns not_found if `cpus` is set and the recording has an event that does not sample the
  /// CPU, or if no event samples the field that `min_latency` or `operations` needs; errors of
  /// parse_times() for `time_parts`.
  [[nodiscard]] Result<void> check(const Recording& file) const;
};

/// Decides for each sample of a recording whether a filter accepts it. For one thread at a time and
/// one pass.
class EVNAME_API Selection {
 public:
  /// Makes a selection, which keeps the filter. `locations` must outlive it. Errors:
  /// invalid_argument if the filter needs symbols and `locations` is nullptr; the errors of
  /// SampleFilter::check().
  [[nodiscard]] static Result<Selection> make(SampleFilter filter, const Recording& file,
                                              Locations* locations = nullptr);

  /// Returns true if the filter accepts an event of the recording; `attr` is RecordedEvent::attr.
  bool accepts_event(std::size_t attr) const { return attr < events_.size() && events_[attr]; }
  /// Returns true if the filter accepts the sample.
  bool accepts(const Sample& sample) const;
  /// Returns true if the filter accepts the time of a record that is no sample, such as a loss.
  /// With ranges of times it accepts no record without a time.
  bool accepts_time(std::optional<std::uint64_t> time) const;

 private:
  friend struct detail::Access;
  EVNAME_HIDDEN Selection(SampleFilter filter, const Recording& file,
                          locations::LocationCache* locations);
  EVNAME_HIDDEN static std::size_t branches_of(const Recording& file);
  EVNAME_HIDDEN bool accepts_fields(const Sample& sample) const;
  EVNAME_HIDDEN bool accepts_location(const Sample& sample) const;
  EVNAME_HIDDEN bool accepts_operation(const Sample& sample) const;

  SampleFilter filter_;
  ///@{
  /// The lists of the filter, sorted.
  std::vector<std::uint32_t> cpus_;
  std::vector<std::string> comms_;
  std::vector<std::int32_t> pids_, tids_;
  ///@}
  std::vector<TimeRange> time_parts_;  ///< of this recording
  std::vector<bool> events_;           ///< by attr
  bool events_only_;
  std::size_t branches_;  ///< the event of SPE's branches; SIZE_MAX: none
  locations::LocationCache* locations_;
};

}  // namespace evname
