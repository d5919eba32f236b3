#include <algorithm>

#include "recordings/annotation/sample_parts.hpp"
#include "recordings/annotation/trace_data.hpp"

namespace evname::annotation {

using perfdata::TraceField;

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

namespace {

/// Numbers that are shown as "0x1,0x2".
struct Items {
  Bytes bytes;
  std::endian order;
  std::size_t size;  ///< of one; 1 to 8
};

std::size_t item_size(const TraceField& field, Bytes bytes) {
  const std::size_t size = field.count > 0 ? bytes.size() / field.count : 1;
  return size >= 1 && size <= 8 ? size : 1;
}

void write_items(const Items& items, Output& out) {
  const std::size_t size = std::clamp<std::size_t>(items.size, 1, 8);
  for (std::size_t at = 0; at + size <= items.bytes.size(); at += size) {
    out.text(at > 0 ? ",0x" : "0x");
    out.hex(number_of(items.bytes.subspan(at, size), items.order));
  }
}

/// Calls one of: text(name, view), number(name, unsigned), signed_number(name, value),
/// hex(name, items).
template <class Visitor>
void visit(const perfdata::TraceFormat& format, std::string_view raw, bool big, Visitor&& visitor) {
  const std::endian order = big ? std::endian::big : std::endian::little;
  for (const TraceField& field : format.fields) {
    if (std::string_view(field.name).starts_with("common_")) continue;
    const Bytes bytes = bytes_of(field, raw, order);
    const bool pointer = field.type.find('*') != std::string::npos;
    if (is_text(field))
      visitor.text(field.name, Cursor::until_nul(bytes));
    else if (bytes.empty() || bytes.size() > 8 || field.count > 0 || pointer)
      visitor.hex(field.name, {bytes, order, pointer ? bytes.size() : item_size(field, bytes)});
    else if (field.is_signed)
      visitor.number(field.name, extended(number_of(bytes, order), bytes.size()));
    else
      visitor.number(field.name, number_of(bytes, order));
  }
}

struct TextVisitor {
  Output& out;
  bool printable;
  bool first = true;

  void name(std::string_view name) {
    if (!std::exchange(first, false)) out.put(' ');
    out.text(name);
    out.put('=');
  }
  void text(std::string_view key, std::string_view value) {
    name(key);
    if (!printable) return out.text(value);
    std::string shown(value);
    make_printable(shown);
    out.text(shown);
  }
  template <class T>
  void number(std::string_view key, T value) {
    name(key), out.decimal(value);
  }
  void hex(std::string_view key, const Items& items) { name(key), write_items(items, out); }
};

struct ValueVisitor {
  ValueWriter& out;

  void text(std::string_view key, std::string_view value) { out.next_pair(key), out.text(value); }
  template <class T>
  void number(std::string_view key, T value) {
    out.next_pair(key), out.number(value);
  }
  void hex(std::string_view key, const Items& items) {
    out.next_pair(key);
    if (out.json()) out.out().put('"');
    write_items(items, out.out());
    if (out.json()) out.out().put('"');
  }
};

}  // namespace

void write_trace_text(const perfdata::TraceFormat& format, std::string_view raw, bool big_endian,
                      Output& out, bool printable) {
  visit(format, raw, big_endian, TextVisitor{out, printable});
}

void write_trace_value(const perfdata::TraceFormat& format, std::string_view raw, bool big_endian,
                       ValueWriter& out) {
  out.begin_pairs();
  visit(format, raw, big_endian, ValueVisitor{out});
  out.end_pairs();
}

}  // namespace evname::annotation
