// Lines of `perf stat -x`. Source: perf, man page perf-stat, "CSV FORMAT", and util/stat-display.c.
//
//   [time] [place [number of CPUs]] value unit event [cgroup] [variance%] run-time share …

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "metrics/count_rows.hpp"

namespace evname::measure {
namespace {

constexpr std::size_t kMaxFields = 64;

/// Commas between the slashes of an event are part of it.
std::vector<std::string> fields_of(std::string_view line, std::string_view separator) {
  std::vector<std::string> out(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size() && out.size() < kMaxFields;) {
    if (!inside && line.substr(i).starts_with(separator)) {
      out.emplace_back();
      i += separator.size();
      continue;
    }
    if (line[i] == '/') inside = !inside && line.find('/', i + 1) != line.npos;
    out.back() += line[i++];
  }
  for (std::string& field : out) field = trim(field);
  return out;
}

bool is_number(std::string_view text) { return read_number(text).has_value(); }

/// "CPU0", "S0-D0-C1", "N0", or a thread's name and number.
bool is_place(std::string_view text) {
  return !text.empty() && !is_number(text) && text.front() != '<' && text.back() >= '0' &&
         text.back() <= '9';
}

/// Reads from the value on; false: no count stands there.
bool read_count(const std::vector<std::string>& fields, std::size_t at, CountRow& row) {
  if (at + 5 > fields.size()) return false;
  row.count = {};
  if (!read_value(fields[at], row.count)) return false;
  const std::string& name = fields[at + 2];
  if (is_number(fields[at + 1]) || name.empty() || is_number(name)) return false;
  row.count.unit = fields[at + 1];
  clean_name(name, row.count);
  std::size_t next = at + 3;
  std::string cgroup;
  if (!is_number(fields[next]) && !fields[next].ends_with('%')) cgroup = fields[next++];
  if (next < fields.size() && fields[next].ends_with('%')) ++next;
  if (next + 2 > fields.size() || !is_number(fields[next]) || !is_number(fields[next + 1]))
    return false;
  if (!cgroup.empty()) row.place += (row.place.empty() ? "" : " ") + cgroup;
  return true;
}

}  // namespace

std::optional<CountRow> read_separated_row(std::string_view line, std::string_view separator) {
  if (trim(line).starts_with('#')) return std::nullopt;
  const auto fields = fields_of(line, separator);
  CountRow row;
  if (read_count(fields, 0, row)) return row;
  std::size_t at = 0;
  if (at < fields.size() && is_number(fields[at])) row.time = read_number(fields[at++]);
  if (read_count(fields, at, row)) return row;
  if (at >= fields.size() || !is_place(fields[at])) return std::nullopt;
  row.place = fields[at++];
  if (read_count(fields, at, row)) return row;
  if (at < fields.size() && is_number(fields[at]) && read_count(fields, at + 1, row)) return row;
  return std::nullopt;
}

}  // namespace evname::measure
