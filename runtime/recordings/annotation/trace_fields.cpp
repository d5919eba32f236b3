#include <algorithm>

#include "perf_format/trace_data.hpp"
#include "recordings/annotation/sample_parts.hpp"

namespace evname::annotation {

using perf_format::extended;
using perf_format::number_of;
using perf_format::TraceField;

namespace {

/// Numbers, printed as "0x1,0x2".
struct Items {
  Bytes bytes;
  std::endian order;
  std::size_t size;  ///< of one; 1 to 8
};

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
void visit(const perf_format::TraceFormat& format, std::string_view raw, bool big,
           Visitor&& visitor) {
  const std::endian order = big ? std::endian::big : std::endian::little;
  for (const TraceField& field : format.fields) {
    if (std::string_view(field.name).starts_with("common_")) continue;
    const Bytes bytes = bytes_of(field, raw, order);
    const bool pointer = is_pointer(field);
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

void write_trace_text(const perf_format::TraceFormat& format, std::string_view raw, bool big_endian,
                      Output& out, bool printable) {
  visit(format, raw, big_endian, TextVisitor{out, printable});
}

void write_trace_value(const perf_format::TraceFormat& format, std::string_view raw,
                       bool big_endian, ValueWriter& out) {
  out.begin_pairs();
  visit(format, raw, big_endian, ValueVisitor{out});
  out.end_pairs();
}

}  // namespace evname::annotation
