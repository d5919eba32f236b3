#pragma once
// Times of records, for putting them in order.

#include <cstdint>
#include <vector>

#include "perfdata/format/events.hpp"
#include "perfdata/stream/stream.hpp"

namespace evname::perfdata {

/// ns of the recording's clock; all ones: the record has none, or belongs to no event.
std::uint64_t record_time(const Record& record, const Events& events, std::endian order);

/// Likewise, of a sample of this event (nullptr: of none).
inline std::uint64_t sample_time(const Record& record, const Event* event, std::endian order) {
  const Bytes body = record.body();
  if (!event || event->sample.time == SampleLayout::kAbsent ||
      body.size() < static_cast<std::size_t>(event->sample.time) + 8)
    return UINT64_MAX;
  return load<std::uint64_t>(body.data() + event->sample.time, order);
}

/// perf delivers records without a time, or of time 0, as they come.
inline bool has_place_in_time(std::uint64_t time) { return time != 0 && time != UINT64_MAX; }

/// How far a stream can be delivered while it is being read: before() is a time such that all
/// records behind a position are at that time or later.
class TimeBounds {
 public:
  static constexpr std::uint64_t kPiece = 1 << 20;  ///< bytes that share a bound

  /// Walks the whole stream once. What is packed has no bound before its end.
  TimeBounds(const Stream& stream, const Events& events, std::endian order);

  std::uint64_t before(std::uint64_t position) const;

 private:
  std::vector<std::uint64_t> earliest_;  ///< from the n-th piece on
};

}  // namespace evname::perfdata
