#pragma once
// Records that tell of samples which are not there.

#include "base/bytes.hpp"
#include "perfdata/format/events.hpp"

namespace evname::perfdata {

struct Loss {
  const Event* event = nullptr;  ///< nullptr: it is not told which
  std::uint64_t lost = 0;        ///< samples
  std::uint64_t throttled = 0;   ///< times
};

/// What LOST, LOST_SAMPLES and THROTTLE tell; nothing of others. What a BPF program left out of
/// choice is not lost.
inline Loss loss_of(const Record& record, const Events& events, std::endian order) {
  Cursor in(record.body(), order);
  Loss loss;
  if (record.type == kRecordLost) {
    loss.event = events.of_id(in.u64());
    loss.lost = in.u64();
  } else if (record.type == kRecordLostSamples && (record.misc & kMiscLostSamplesBpf) == 0) {
    loss.event = events.of_other(record, order);
    loss.lost = in.u64();
  } else if (record.type == kRecordThrottle) {
    in.skip(8);  // time
    loss.event = events.of_id(in.u64());
    loss.throttled = 1;
  }
  return loss;
}

}  // namespace evname::perfdata
