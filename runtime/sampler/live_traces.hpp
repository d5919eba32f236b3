#pragma once
// Makes samples from traces while hardware writes them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "recordings/spe/sample_maker.hpp"
#include "sampler/kept_records.hpp"
#include "sampling/ring.hpp"
#include "sampling/traces.hpp"

namespace evname::sampler {

/// Decodes the areas beside buffers. Copies their contents at once, so that the hardware has room.
class LiveTraces {
 public:
  /// `rings` and `events` outlive the object. `described` has no queues.
  LiveTraces(const spe::Trace& described, std::span<sampling::Ring> rings,
             std::span<const sampling::TraceSource> sources, const perf_format::Events& events,
             spe::SampleMaker::ProcessOf process_of);

  /// Takes the contents of the areas, once all earlier samples were made.
  void begin();
  spe::SampleMaker& samples() { return *samples_; }
  /// Returns sentences about the parts of all areas that were not read.
  std::vector<spe::SampleMaker::Fault> faults() const { return samples_->faults(); }
  /// Passes on the pieces that were decoded since the last call.
  void keep_in(KeptRecords& kept);

  /// Returns how often an area was invalid, or did not continue the part read before.
  std::uint64_t damaged() const { return damaged_; }

 private:
  struct Area {
    sampling::Ring* ring;
    sampling::TraceSource source;
    std::unique_ptr<std::uint8_t[]> bytes;  ///< with room for a rest and a whole area
    std::uint64_t kept = 0;                 ///< the place up to which it was passed on
  };

  void take(std::size_t number);

  spe::Trace trace_;
  std::vector<Area> areas_;  ///< parallel to the queues of the trace
  std::unique_ptr<spe::SampleMaker> samples_;
  std::atomic<std::uint64_t> damaged_ = 0;  ///< is read while another thread decodes
};

}  // namespace evname::sampler
