#include "perf_format/record.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace evname::perf_format {
namespace {

constexpr std::uint32_t kTypeLimit = 256;  // far above any known type
constexpr std::size_t kCompressed2Header = 16;
constexpr std::uint64_t kMaxCompressed2 = 16 << 20;  // far above perf's buffers

}  // namespace

bool RecordReader::stop(const char* why, bool cut_off) {
  fault_ = why;
  cut_off_ = cut_off;
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
// plausible record takes precedence.
std::size_t RecordReader::compressed2_size(std::size_t header_size) const {
  if (stream_.size() - at_ < kCompressed2Header) return header_size;
  const auto data = load<std::uint64_t>(stream_.data() + at_ + 8, order_);
  const bool awaited = extent_ == Extent::part && data <= kMaxCompressed2;
  if (data > stream_.size() - at_ - kCompressed2Header && !awaited) return header_size;
  const auto full = kCompressed2Header + static_cast<std::size_t>(data);
  if (full <= header_size) return header_size;
  const bool believed = header_size >= kCompressed2Header && plausible_at(at_ + header_size);
  return believed && !plausible_at(at_ + full) ? header_size : full;
}

// The data of TRACING_DATA follow the record if perf wrote it; simpleperf puts them inside.
std::uint64_t RecordReader::payload_size(const Record& record) const {
  constexpr std::size_t kTracingData = 12;
  if (record.bytes.size() >= 16 && record.type == kRecordAuxtrace)
    return load<std::uint64_t>(record.bytes.data() + 8, order_);
  if (record.bytes.size() < kTracingData || record.type != kRecordTracingData) return 0;
  const auto size = load<std::uint32_t>(record.bytes.data() + 8, order_);
  return size > record.bytes.size() - kTracingData ? size : 0;
}

bool RecordReader::next_unusual(Record& record) {
  const std::size_t left = stream_.size() - at_;
  if (left == 0) return false;
  if (left < kRecordHeader) return stop("stream ends within a record's header", true);
  const std::uint8_t* header = stream_.data() + at_;
  record.type = load<std::uint32_t>(header, order_);
  record.misc = load<std::uint16_t>(header + 4, order_);
  std::size_t size = load<std::uint16_t>(header + 6, order_);
  if (record.type == kRecordCompressed2) size = compressed2_size(size);
  if (size < kRecordHeader) return stop("record is smaller than its header", false);
  if (size > left) return stop("record is longer than what is left", true);
  record.bytes = stream_.subspan(at_, size);
  record.payload = {};
  record.offset = offset_ + at_;
  if (const std::uint64_t payload = payload_size(record); payload > 0) {
    const std::uint64_t there = std::min<std::uint64_t>(payload, left - size);
    missing_ = payload - there;
    if (missing_ > 0 && extent_ == Extent::whole)
      return stop("data that follow a record are longer than what is left", true);
    record.payload = stream_.subspan(at_ + size, there);
  }
  at_ += size + record.payload.size();
  return true;
}

// A place looks like records if a few records of known types follow each other, or fewer up to the
// end of the stream. Sizes are multiples of 8 bytes, except for COMPRESSED.
bool RecordReader::chain_at(std::size_t at) const {
  constexpr int kEnough = 4;
  for (int count = 0; count < kEnough; ++count) {
    if (at == stream_.size()) return count > 0;
    if (stream_.size() - at < kRecordHeader) return false;
    const auto type = load<std::uint32_t>(stream_.data() + at, order_);
    const std::size_t size = load<std::uint16_t>(stream_.data() + at + 6, order_);
    if (!is_known_type(type) || size < kRecordHeader || size > stream_.size() - at) return false;
    if (size % 8 != 0 && type != kRecordCompressed) return false;
    at += size;
  }
  return true;
}

bool RecordReader::resync() {
  for (std::size_t at = at_ + 8; at < stream_.size(); at += 8) {
    if (!chain_at(at)) continue;
    at_ = at;
    fault_ = nullptr;
    return true;
  }
  return false;
}

std::string_view record_name(std::uint32_t type) {
  switch (type) {
#define EVNAME_RECORD(number, Name, name) \
  case number:                            \
    return name;
#include "perf_format/record_types.def"
    default:
      return kUnknownRecord;
  }
}

std::string numbered_name(std::uint32_t type) {
  return fmt::format("{} ({})", record_name(type), type);
}

std::string make_record(std::endian order, std::uint32_t type, std::uint16_t misc,
                        std::string_view body, std::size_t trailer) {
  ByteWriter out(order);
  out.u32(type);
  out.u16(misc);
  out.u16(static_cast<std::uint16_t>(kRecordHeader + body.size() + trailer));
  out.raw(body);
  out.zeros(trailer);
  return out.bytes();
}

std::string make_name_update(std::endian order, std::uint64_t id, std::string_view name) {
  ByteWriter body(order);
  body.u64(kUpdateName);
  body.u64(id);
  body.text(name, 8);
  return make_record(order, kRecordEventUpdate, 0, body.bytes());
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> RecordCounts::list() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> list;
  for (std::uint32_t type = 0; type < kTypes; ++type)
    if (by_type[type] > 0) list.emplace_back(type, by_type[type]);
  if (others > 0) list.emplace_back(kTypes, others);
  return list;
}

void Warnings::add(std::uint64_t offset, std::string_view what) {
  add(fmt::format("at offset {:#x}: {}", offset, what));
}

void Warnings::add(std::string what) {
  if (list_.size() < kMax)
    list_.push_back(std::move(what));
  else
    ++more_;
}

std::vector<std::string> Warnings::take() {
  if (more_ > 0) list_.push_back(fmt::format("{} more faults of this file not listed", more_));
  more_ = 0;
  return std::exchange(list_, {});
}

}  // namespace evname::perf_format
