#include "perf_format/trace_data.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/bytes.hpp"

namespace evname::perf_format {
namespace {

// The text of tracefs' format files is a line for each field.

/// Returns the rest of a line after `key`; empty if it does not start with it.
std::string_view after(std::string_view line, std::string_view key) {
  while (line.starts_with('\t') || line.starts_with(' ')) line.remove_prefix(1);
  return line.starts_with(key) ? line.substr(key.size()) : std::string_view{};
}

template <class T>
std::optional<T> leading_number(std::string_view text) {
  T value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

/// Splits "char name[16]" or "__data_loc char[] name": the name is the last word, without a length.
void read_declaration(std::string_view text, TraceField& field) {
  if (text.ends_with(']')) {
    const auto bracket = text.rfind('[');
    if (bracket == text.npos) return;
    field.count = leading_number<std::uint32_t>(text.substr(bracket + 1)).value_or(0);
    text = text.substr(0, bracket);
  }
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto before = text.find_last_of(" *");
  field.name = std::string(text.substr(before == text.npos ? 0 : before + 1));
  field.type = before == text.npos ? "" : std::string(text.substr(0, before + 1));
  while (field.type.ends_with(' ')) field.type.pop_back();
  field.is_dynamic = field.type.starts_with("__data_loc");
  field.is_relative = field.type.starts_with("__rel_loc");
}

}  // namespace

std::optional<TraceField> parse_trace_field(std::string_view line) {
  std::string_view rest = after(line, "field:");
  const auto end = rest.find(';');
  if (rest.empty() || end == rest.npos) return std::nullopt;
  TraceField field;
  read_declaration(rest.substr(0, end), field);
  for (rest.remove_prefix(end + 1); !rest.empty();) {
    const auto stop = std::min(rest.find(';'), rest.size());
    const std::string_view piece = rest.substr(0, stop);
    const auto number = [&](std::string_view key) {
      return leading_number<std::uint32_t>(after(piece, key));
    };
    if (const auto offset = number("offset:")) field.offset = *offset;
    if (const auto size = number("size:")) field.size = *size;
    if (const auto is_signed = number("signed:")) field.is_signed = *is_signed != 0;
    rest.remove_prefix(std::min(stop + 1, rest.size()));
  }
  return field;
}

std::optional<TraceFormat> parse_trace_format(std::string_view system, std::string_view text) {
  TraceFormat format;
  format.system = std::string(system);
  std::optional<std::uint64_t> id;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (const auto name = after(line, "name: "); !name.empty() && format.name.empty())
      format.name = std::string(name);
    if (!id) id = leading_number<std::uint64_t>(after(line, "ID: "));
    if (auto field = parse_trace_field(line)) format.fields.push_back(std::move(*field));
    if (const auto print = after(line, "print fmt: "); !print.empty()) {
      // It ends the file, and its literals may have several lines.
      const auto begin = static_cast<std::size_t>(print.data() - text.data());
      const auto last = text.find_last_not_of('\n');
      format.print = std::string(text.substr(begin, last + 1 - begin));
      break;
    }
  }
  if (!id || format.name.empty()) return std::nullopt;
  format.id = *id;
  return format;
}

namespace {

void read_formats(Cursor& in, std::string_view system, TracingData& tracing) {
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t size = in.u64();
    if (auto format = parse_trace_format(system, in.text(size)))
      tracing.formats.push_back(std::move(*format));
  }
}

}  // namespace

bool read_tracing_data(Bytes blob, TracingData& tracing) {
  Cursor in(blob);
  if (in.text(10) != "\x17\x08\x44tracing") return false;
  tracing.version = std::string(in.line());
  tracing.big_endian = in.u8() != 0;
  in.set_order(tracing.big_endian ? std::endian::big : std::endian::little);
  tracing.long_size = in.u8();
  tracing.page_size = in.u32();
  for (std::string_view title : {"header_page", "header_event"}) {
    if (in.line() != title) return false;
    in.skip(in.u64());
  }
  read_formats(in, "ftrace", tracing);
  const std::uint32_t systems = in.u32();
  for (std::uint32_t i = 0; i < systems && in.ok(); ++i) {
    const std::string_view system = in.line();
    read_formats(in, system, tracing);
  }
  return in.ok();
}

const TraceField* field_named(const TraceFormat* format, std::string_view name) {
  if (!format) return nullptr;
  const auto at = std::ranges::find(format->fields, name, &TraceField::name);
  return at == format->fields.end() ? nullptr : &*at;
}

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

std::optional<TraceValue> value_of(const TraceField& field, std::string_view raw,
                                   std::endian order) {
  const Bytes bytes = bytes_of(field, raw, order);
  if (bytes.empty()) return std::nullopt;
  if (is_text(field)) return Cursor::until_nul(bytes);
  const bool is_array = bytes.size() > 8 || field.count > 0;
  const std::size_t size = is_array ? item_size(field, bytes) : bytes.size();
  const auto number = [&](Bytes part) { return number_of(part, order); };
  const auto with_sign = [&](Bytes part) {
    return field.is_signed ? extended(number(part), size) : static_cast<std::int64_t>(number(part));
  };
  if (!is_array && field.is_signed && !is_pointer(field)) return with_sign(bytes);
  if (!is_array) return number(bytes);
  std::vector<std::int64_t> items;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    items.push_back(with_sign(bytes.subspan(at, size)));
  return items;
}

std::optional<std::string> text_of(const TraceField& field, std::string_view raw,
                                   std::endian order) {
  const auto value = value_of(field, raw, order);
  if (!value) return std::nullopt;
  if (const auto* const text = std::get_if<std::string_view>(&*value)) return std::string(*text);
  if (const auto* const number = std::get_if<std::int64_t>(&*value))
    return fmt::format("{}", *number);
  if (const auto* const number = std::get_if<std::uint64_t>(&*value))
    return is_pointer(field) ? fmt::format("0x{:x}", *number) : fmt::format("{}", *number);
  const Bytes bytes = bytes_of(field, raw, order);
  return items_text(bytes, item_size(field, bytes), order);
}

bool is_decimal(const TraceField& field) {
  return field.size <= 8 && field.count == 0 && !field.is_dynamic && !field.is_relative &&
         !is_text(field) && !is_pointer(field);
}

}  // namespace evname::perf_format
