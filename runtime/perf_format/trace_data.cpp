#include "perf_format/trace_data.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evname::perf_format {

bool is_text(const TraceField& field) {
  return field.type.find("char") != std::string::npos &&
         (field.count > 1 || field.is_dynamic || field.is_relative || field.size > 1) &&
         field.type.find('*') == std::string::npos;
}

Bytes bytes_of(const TraceField& field, std::string_view raw, std::endian order) {
  const Bytes all(reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size());
  Cursor in(all, order);
  in.skip(field.offset);
  if (!field.is_dynamic && !field.is_relative) return in.bytes(field.size);
  const std::uint32_t place = in.u32();
  Cursor data(all, order);
  data.skip((place & 0xffff) + (field.is_relative ? field.offset + field.size : 0));
  return in.ok() ? data.bytes(place >> 16) : Bytes{};
}

std::uint64_t number_of(Bytes bytes, std::endian order) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | bytes[order == std::endian::big ? i : bytes.size() - 1 - i];
  return value;
}

std::int64_t extended(std::uint64_t value, std::size_t size) {
  const auto shift = static_cast<int>(64 - size * 8);
  return static_cast<std::int64_t>(value << shift) >> shift;
}

std::size_t item_size(const TraceField& field, Bytes bytes) {
  const std::size_t size = field.count > 0 ? bytes.size() / field.count : 1;
  return size >= 1 && size <= 8 ? size : 1;
}

bool is_pointer(const TraceField& field) { return field.type.find('*') != std::string::npos; }

namespace {

std::string items_text(Bytes bytes, std::size_t size, std::endian order) {
  std::string out;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    out += fmt::format("{}0x{:x}", at > 0 ? "," : "", number_of(bytes.subspan(at, size), order));
  return out;
}

}  // namespace

std::optional<std::string> text_of(const TraceField& field, std::string_view raw,
                                   std::endian order) {
  const Bytes bytes = bytes_of(field, raw, order);
  if (bytes.empty()) return std::nullopt;
  if (is_text(field)) return std::string(Cursor::until_nul(bytes));
  if (bytes.size() > 8 || field.count > 0) return items_text(bytes, item_size(field, bytes), order);
  const std::uint64_t number = number_of(bytes, order);
  if (is_pointer(field)) return fmt::format("0x{:x}", number);
  return field.is_signed ? fmt::format("{}", extended(number, bytes.size()))
                         : fmt::format("{}", number);
}

bool is_decimal(const TraceField& field) {
  return field.size <= 8 && field.count == 0 && !field.is_dynamic && !field.is_relative &&
         !is_text(field) && !is_pointer(field);
}

}  // namespace evname::perf_format
