// Writes the fields of samples that are in their raw data: of tracepoints and of AMD's IBS.

#include "perf_format/trace_data.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/annotation/sample_parts.hpp"

namespace evname::annotation {
namespace {

/// Calls each(field, text) for the fields of a tracepoint's own. The text of a field that the
/// sample does not have is empty.
template <class Each>
void for_each_field(const perf_format::TraceFormat& format, std::string_view raw, bool big_endian,
                    Each&& each) {
  const std::endian order = big_endian ? std::endian::big : std::endian::little;
  for (const perf_format::TraceField& field : format.fields)
    if (!field.name.starts_with("common_"))
      each(field, perf_format::text_of(field, raw, order).value_or(""));
}

}  // namespace

void write_trace_text(const perf_format::TraceFormat& format, std::string_view raw, bool big_endian,
                      Output& out, bool printable) {
  bool is_first = true;
  for_each_field(format, raw, big_endian, [&](const auto& field, std::string text) {
    if (!std::exchange(is_first, false)) out.put(' ');
    out.text(field.name);
    out.put('=');
    if (printable) make_printable(text);
    out.text(text);
  });
}

void write_trace_value(const perf_format::TraceFormat& format, std::string_view raw,
                       bool big_endian, ValueWriter& out) {
  out.begin_pairs();
  for_each_field(format, raw, big_endian, [&](const auto& field, const std::string& text) {
    out.next_pair(field.name);
    if (perf_format::is_decimal(field) && !text.empty())
      out.out().text(text);
    else
      out.text(text);
  });
  out.end_pairs();
}

using perf_data::ibs_items;
using perf_data::ibs_style;
using perf_data::IbsItem;
using perf_data::IbsKind;
using perf_data::IbsReader;
using perf_data::IbsStyle;
using perf_data::IbsValue;

namespace {

void write_ibs_item(const IbsStyle& style, const IbsValue& value, Output& out) {
  if (style.is_register) {
    if (out.size() > 0 && out.since(out.size() - 1) != "\n") out.put('\n');
    out.text(style.label);
    out.text(":\t");
    return out.hex_zeros(value.number, 16);
  }
  out.text(style.gap ? "  " : " ");
  out.text(style.label);
  out.put(' ');
  if (value.name.empty())
    out.decimal(value.number, style.width);
  else
    out.right(value.name, style.width);
  out.text(style.unit);
}

}  // namespace

void write_ibs_text(const std::optional<IbsReader>& ibs, Output& out) {
  if (!ibs) return;
  for (const IbsItem item : ibs_items(ibs->kind()))
    if (const auto value = ibs->value(item)) write_ibs_item(ibs_style(item), *value, out);
}

void write_ibs_text(const std::optional<IbsReader>& ibs, IbsItem item, Output& out) {
  const auto value = ibs ? ibs->value(item) : std::nullopt;
  if (!value) return out.text("- ");
  if (ibs_style(item).is_register) {
    out.text("0x");
    out.hex(value->number);
  } else {
    if (value->name.empty())
      out.decimal(value->number);
    else
      out.text(value->name);
  }
  out.put(' ');
}

void write_ibs_value(const std::optional<IbsReader>& ibs, IbsItem item, ValueWriter& out) {
  const auto value = ibs ? ibs->value(item) : std::nullopt;
  if (!value) return out.absent();
  if (ibs_style(item).is_register) return out.hex(value->number);
  if (value->name.empty())
    out.number(value->number);
  else
    out.text(value->name);
}

void write_ibs_value(const std::optional<IbsReader>& ibs, ValueWriter& out) {
  if (!ibs || ibs->kind() == IbsKind::none) return out.absent();
  out.begin_pairs();
  for (const IbsItem item : ibs_items(ibs->kind())) {
    if (!ibs->value(item)) continue;
    out.next_pair(ibs_style(item).label);
    write_ibs_value(ibs, item, out);
  }
  out.end_pairs();
}

namespace {

bool is_printed(unsigned char letter) { return letter >= ' ' && letter < 0x7f; }

/// Returns true if the bytes are a text with its NUL.
bool is_text(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  return end < bytes.size() && std::all_of(bytes.begin(), bytes.begin() + end, is_printed) &&
         bytes.find_first_not_of('\0', end) == bytes.npos;
}

}  // namespace

// sample__fprintf_bpf_output of tools/perf/builtin-script.c.
void write_bpf_output(const Sample& sample, Output& out) {
  constexpr std::size_t kLine = 8, kTitle = 17;
  const auto& event = *detail::record_of(sample).event;
  if (!perf_format::is_bpf_output(event.attr.code) || event.off_cpu) return;
  const std::string_view raw = sample.raw();
  out.put('\n');
  for (std::size_t at = 0; at < raw.size(); at += kLine) {
    const std::string_view line = raw.substr(at, kLine);
    out.right(at == 0 ? "BPF output:" : "", kTitle);
    out.format(" {:04x}:", at);
    for (const char byte : line) out.format(" {:02x}", static_cast<unsigned char>(byte));
    out.right("", 3 * (kLine - line.size()) + 2);
    for (const char byte : line) out.put(is_printed(static_cast<unsigned char>(byte)) ? byte : '.');
    out.right("", kLine - line.size());
    out.put('\n');
  }
  if (!is_text(raw)) return;
  out.right("BPF string:", kTitle);
  out.format(" \"{}\"\n", raw.substr(0, raw.find('\0')));
}

}  // namespace evname::annotation
