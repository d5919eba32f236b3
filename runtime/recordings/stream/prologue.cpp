#include "recordings/stream/prologue.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "recordings/format/features.hpp"

namespace evname::perfdata::stream {
namespace {

constexpr std::size_t kChunk = 64 << 10;
constexpr std::size_t kMaxPrologue = 256 << 20;  // the kernel's symbols, all processes' mappings

void read_feature_record(const Record& record, File& file, Warnings& warnings) {
  const Bytes body = record.body();
  if (body.size() < 8) return warnings.add(record.offset, "HEADER_FEATURE record is too short");
  const auto number = load<std::uint64_t>(body.data(), file.header.order);
  if (body.size() == 8 && number >= 32) return;  // marks the end of the features
  decode_feature(number, body.subspan(8), file.header.order, record.offset, file.features,
                 warnings);
}

// The records are laid out as the feature's entries are.
void read_build_id_record(const Record& record, File& file) {
  Cursor in(record.bytes, file.header.order);
  decode_build_ids(in, file.features);
  if (!file.features.has(Feature::build_id))
    file.features.present.push_back(
        {static_cast<std::uint64_t>(Feature::build_id), record.offset, 0, false});
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
  file.events.at(index).set_name(std::string(in.text(in.remaining())));
}

}  // namespace

bool begins_data(std::uint32_t type) {
  return type == kRecordSample || type == kRecordCompressed || type == kRecordCompressed2 ||
         type == kRecordAuxtrace || type == kRecordFinishedRound;
}

bool is_of_prologue(std::uint32_t type) {
  return type == kRecordAttr || type == kRecordFeature || type == kRecordTracingData ||
         type == kRecordEventUpdate;
}

void read_pipe_records(const Stream& stream, File& file, Warnings& warnings) {
  RecordReader reader(stream.bytes, file.header.order, stream.offset);
  std::vector<Record> updates;
  for (Record record; reader.next(record);) {
    if (record.type == kRecordAttr) {
      if (!read_attr_record(record, file.header.order, file.events))
        warnings.add(record.offset, "HEADER_ATTR record is too short");
    } else if (record.type == kRecordFeature) {
      read_feature_record(record, file, warnings);
    } else if (record.type == kRecordTracingData) {
      decode_feature(static_cast<std::uint64_t>(Feature::tracing_data), record.payload,
                     file.header.order, record.offset, file.features, warnings);
    } else if (record.type == kRecordBuildId) {
      read_build_id_record(record, file);
    } else if (record.type == kRecordEventUpdate) {
      updates.push_back(record);
    }
  }
  name_events(file.features, file.events);
  for (const Record& record : updates) apply_update(record, file, warnings);
}

void read_early_updates(const Stream& stream, File& file, Warnings& warnings) {
  RecordReader reader(stream.bytes, file.header.order, stream.offset);
  for (Record record; reader.next(record) && !begins_data(record.type);)
    if (record.type == kRecordEventUpdate) apply_update(record, file, warnings);
}

Result<bool> read_prologue(OneWay& pipe, std::endian order, std::vector<std::uint8_t>& bytes) {
  bool events = false;
  for (std::size_t at = kPipeHeader; bytes.size() < kMaxPrologue;) {
    RecordReader reader(Bytes(bytes).subspan(std::min(at, bytes.size())), order, at,
                        RecordReader::Extent::part);
    for (Record record; reader.next(record);) {
      if (begins_data(record.type)) return events;
      if (reader.missing() > 0) break;
      events = events || record.type == kRecordAttr;
      at = reader.offset();
    }
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunk);
    const auto got = pipe.read(bytes.data() + size, kChunk);
    bytes.resize(size + got.value_or(0));
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
  }
  return true;
}

}  // namespace evname::perfdata::stream
