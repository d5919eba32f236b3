// The text of tracefs' format files.

#include <algorithm>
#include <charconv>

#include "perfdata/format/tracing_data.hpp"

namespace evname::perfdata {
namespace {

/// The rest of the line after `key`; empty if it does not start with it.
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

/// "char name[16]", "__data_loc char[] name": the name is the last word but for a length behind it.
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
    if (line.starts_with("print fmt:")) break;
  }
  if (!id || format.name.empty()) return std::nullopt;
  format.id = *id;
  return format;
}

}  // namespace evname::perfdata
