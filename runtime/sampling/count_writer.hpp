#pragma once
// Writes counts as `perf stat record` does. Source of the records' layout:
// tools/lib/perf/include/perf/event.h of Linux.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evname/counters.hpp"
#include "evname/machine.hpp"
#include "evname/recorder.hpp"
#include "sampling/recording_writer.hpp"

namespace evname::sampling {

/// What a reader needs to know besides the counts.
struct CountSetup {
  std::uint64_t mode = 1;      ///< enum aggr_mode of perf, util/stat.h
  std::uint64_t level = 0;     ///< of caches, for that mode
  std::uint64_t interval = 0;  ///< ms; 0: the whole run is counted at once
  bool is_scaled = true;
  bool as_stream = false;  ///< the form for pipes
  std::vector<std::string> command_line;
};

/// The count of an event in a place since the start.
struct PlaceCount {
  const Encoding* event = nullptr;
  Counters::Place place;
  CounterValue value;
};

class CountWriter {
 public:
  /// Writes the header, the events of the counts and their places. `fd` stays the caller's. Errors:
  /// io.
  static Result<CountWriter> begin(int fd, const Machine& machine,
                                   std::span<const PlaceCount> counts, const CountSetup& setup);

  /// Writes the counts of the events and places of begin() after so many ns. Errors: io.
  Result<void> write(std::span<const PlaceCount> counts, std::uint64_t ns, bool is_last);
  /// Completes the file. Errors: io.
  Result<void> finish();

 private:
  CountWriter(const Machine& machine, CountSetup setup, RecordingWriter writer)
      : machine_(machine), setup_(std::move(setup)), writer_(std::move(writer)) {}
  Result<void> write_head(std::span<const PlaceCount> counts);
  std::vector<RecordedEvent> recorded_events() const;
  FeatureSections features() const;
  std::size_t index_of(const Encoding& event) const;
  std::size_t index_of(Counters::Place place) const;

  Machine machine_;
  CountSetup setup_;
  RecordingWriter writer_;
  std::vector<const Encoding*> events_;  ///< an event and a place have an id: their indexes
  std::vector<Counters::Place> places_;
  std::vector<Encoding> encodings_;
  std::vector<std::string> attrs_;
  std::vector<std::vector<std::uint64_t>> ids_;  ///< of each event
  std::vector<int> threads_;                     ///< -1: CPUs are counted
};

}  // namespace evname::sampling
