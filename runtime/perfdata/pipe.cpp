#include "perfdata/pipe.hpp"

#include "base/cursor.hpp"

namespace evname::perfdata {
namespace {

void read_feature_record(const Record& record, File& file, Warnings& warnings) {
  const Bytes body = record.body();
  if (body.size() < 8) return warnings.add(record.offset, "HEADER_FEATURE record is too short");
  decode_feature(load<std::uint64_t>(body.data(), file.header.order), body.subspan(8),
                 file.header.order, record.offset, file.features, warnings);
}

void apply_update(const Record& record, File& file, Warnings& warnings) {
  constexpr std::uint64_t kName = 2;  // PERF_EVENT_UPDATE__NAME
  Cursor in(record.body(), file.header.order);
  const std::uint64_t kind = in.u64(), id = in.u64();
  if (!in.ok() || kind != kName) return;
  std::uint32_t index = file.events.index_of(id);
  if (file.events.size() == 1) index = 0;
  if (index == IdMap::kNone)
    return warnings.add(record.offset, fmt::format("EVENT_UPDATE names unknown event id {}", id));
  file.events.at(index).name = std::string(in.text(in.remaining()));
}

}  // namespace

void read_pipe_records(const Stream& stream, File& file, Warnings& warnings) {
  RecordReader reader(stream.bytes, file.header.order, stream.offset);
  for (Record record; reader.next(record);) {
    if (record.type == kRecordAttr) {
      if (!read_attr_record(record, file.header.order, file.events))
        warnings.add(record.offset, "HEADER_ATTR record is too short");
    } else if (record.type == kRecordFeature) {
      read_feature_record(record, file, warnings);
    } else if (record.type == kRecordTracingData) {
      decode_feature(1, record.payload, file.header.order, record.offset, file.features, warnings);
    }
  }
}

void apply_event_updates(const Stream& stream, File& file, Warnings& warnings) {
  RecordReader reader(stream.bytes, file.header.order, stream.offset);
  for (Record record; reader.next(record);)
    if (record.type == kRecordEventUpdate) apply_update(record, file, warnings);
}

}  // namespace evname::perfdata
