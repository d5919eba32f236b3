#include "perfdata/record.hpp"

namespace evname::perfdata {
namespace {

constexpr std::uint32_t kTypeLimit = 256;  // far above any known type
constexpr std::size_t kCompressed2Header = 16;

}  // namespace

bool RecordReader::stop(const char* why) {
  fault_ = why;
  return false;
}

bool RecordReader::plausible_at(std::size_t at) const {
  if (at == stream_.size()) return true;
  if (at > stream_.size() || stream_.size() - at < kRecordHeader) return false;
  const auto* header = stream_.data() + at;
  const auto type = load<std::uint32_t>(header, order_);
  return type != 0 && type < kTypeLimit &&
         (load<std::uint16_t>(header + 6, order_) >= kRecordHeader || type == kRecordCompressed2);
}

// COMPRESSED2 holds the length of its data, and is padded to 8. Early writers let header.size wrap
// when a write exceeded 65535 bytes; the record then has no padding. A header.size that leads to a
// plausible record is believed first.
std::size_t RecordReader::compressed2_size(std::size_t header_size) const {
  if (stream_.size() - at_ < kCompressed2Header) return header_size;
  const auto data = load<std::uint64_t>(stream_.data() + at_ + 8, order_);
  if (data > stream_.size() - at_ - kCompressed2Header) return header_size;
  const auto full = kCompressed2Header + static_cast<std::size_t>(data);
  if (full <= header_size) return header_size;
  const bool believed = header_size >= kCompressed2Header && plausible_at(at_ + header_size);
  return believed && !plausible_at(at_ + full) ? header_size : full;
}

std::uint64_t RecordReader::payload_size(const Record& record) const {
  if (record.bytes.size() >= 16 && record.type == kRecordAuxtrace)
    return load<std::uint64_t>(record.bytes.data() + 8, order_);
  if (record.bytes.size() >= 12 && record.type == kRecordTracingData)
    return load<std::uint32_t>(record.bytes.data() + 8, order_);
  return 0;
}

bool RecordReader::next(Record& record) {
  const std::size_t left = stream_.size() - at_;
  if (left == 0) return false;
  if (left < kRecordHeader) return stop("stream ends within a record's header");
  const std::uint8_t* header = stream_.data() + at_;
  record.type = load<std::uint32_t>(header, order_);
  record.misc = load<std::uint16_t>(header + 4, order_);
  std::size_t size = load<std::uint16_t>(header + 6, order_);
  if (record.type == kRecordCompressed2) size = compressed2_size(size);
  if (size < kRecordHeader) return stop("record is smaller than its header");
  if (size > left) return stop("record is longer than what is left");
  record.bytes = stream_.subspan(at_, size);
  const std::uint64_t payload = payload_size(record);
  if (payload > left - size) return stop("data that follow a record are longer than what is left");
  record.payload = stream_.subspan(at_ + size, payload);
  record.offset = offset_ + at_;
  at_ += size + static_cast<std::size_t>(payload);
  return true;
}

}  // namespace evname::perfdata
