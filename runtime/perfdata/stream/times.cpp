#include "perfdata/stream/times.hpp"

#include <algorithm>

namespace evname::perfdata {
namespace {

std::uint64_t trailer_time(const Record& record, const Event& event, std::endian order) {
  const Bytes body = record.body();
  const std::int16_t place = event.trailer.time;
  if (place == SampleLayout::kAbsent || body.size() < static_cast<std::size_t>(event.trailer.size))
    return UINT64_MAX;
  return load<std::uint64_t>(body.data() + body.size() - place, order);
}

}  // namespace

std::uint64_t record_time(const Record& record, const Events& events, std::endian order) {
  if (record.type != kRecordSample) {
    const Event* event = events.of_other(record, order);
    return event ? trailer_time(record, *event, order) : UINT64_MAX;
  }
  return sample_time(record, events.of_sample(record, order), order);
}

TimeBounds::TimeBounds(const Stream& stream, const Events& events, std::endian order)
    : earliest_(stream.bytes.size() / kPiece + 1, UINT64_MAX) {
  RecordReader reader(stream.bytes, order);
  for (Record record; reader.next(record);) {
    std::uint64_t& piece = earliest_[record.offset / kPiece];
    if (record.type == kRecordCompressed || record.type == kRecordCompressed2) piece = 0;
    if (record.type >= kRecordUserFirst) continue;
    const std::uint64_t time = record_time(record, events, order);
    if (has_place_in_time(time)) piece = std::min(piece, time);
  }
  for (std::size_t i = earliest_.size() - 1; i > 0; --i)
    earliest_[i - 1] = std::min(earliest_[i - 1], earliest_[i]);
}

std::uint64_t TimeBounds::before(std::uint64_t position) const {
  return earliest_[std::min<std::uint64_t>(position / kPiece, earliest_.size() - 1)];
}

}  // namespace evname::perfdata
