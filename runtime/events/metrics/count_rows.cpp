#include "events/metrics/count_rows.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.hpp"

namespace evname::metrics {
namespace {

/// Letters that perf puts between slashes to find an event again.
constexpr std::string_view kMetricId = "metric-id=";

void drop_metric_id(std::string& name) {
  const std::size_t at = name.find(kMetricId);
  if (at == name.npos) return;
  const std::size_t end = std::min(name.find_first_of(",/", at), name.size());
  const bool follows = at > 0 && name[at - 1] == ',';
  const bool precedes = !follows && end < name.size() && name[end] == ',';
  name.erase(follows ? at - 1 : at, end - at + (follows || precedes ? 1 : 0));
  if (name.ends_with("//")) name.resize(name.size() - 2);  // "INST_RETIRED.ANY/metric-id=…/"
}

}  // namespace

void CountTable::add(CountRow row) {
  const auto [at, is_new] = groups_.try_emplace({row.time, row.place}, counts_.groups.size());
  if (is_new) counts_.groups.push_back({row.time, std::move(row.place), {}, 0});
  counts_.groups[at->second].counts.push_back(std::move(row.count));
}

std::optional<double> read_number(std::string_view text) {
  const auto value = parse_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool read_value(std::string_view text, Counted& out) {
  if (text == "<not counted>") out.state = Counted::State::not_counted;
  if (text == "<not supported>") out.state = Counted::State::not_supported;
  if (out.state != Counted::State::counted) return true;
  const auto number = read_number(text);
  out.value = number.value_or(0);
  return number.has_value();
}

void clean_name(std::string_view name, Counted& out) {
  name = trim(name);
  const std::size_t bracket = name.rfind(" [");
  if (name.ends_with(']') && bracket != name.npos) {
    out.pmu = name.substr(bracket + 2, name.size() - bracket - 3);
    name = trim(name.substr(0, bracket));
  }
  out.event = name;
  drop_metric_id(out.event);
}

void set_counters(double number, Counted& out) {
  constexpr double kMost = 1 << 20;
  if (number >= 1 && number <= kMost) out.counters = static_cast<unsigned>(number);
}

bool is_place(std::string_view text) {
  return !text.empty() && !read_number(text) && text.front() != '<' && text.back() >= '0' &&
         text.back() <= '9';
}

// Lines of `perf stat -x`. Source: perf, man page perf-stat, "CSV FORMAT", and util/stat-display.c.
//
//   [time] [place [number of counters]] value unit event [cgroup] [variance%] run-time share …

namespace {

constexpr std::size_t kMaxFields = 64;

std::vector<std::string> fields_of(std::string_view line, std::string_view separator) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < line.size() && out.size() < kMaxFields;) {
    if (line.substr(i).starts_with(separator)) {
      out.emplace_back();
      i += separator.size();
    } else {
      out.back() += line[i++];
    }
  }
  for (std::string& field : out) field = trim(field);
  return out;
}

/// Separators between the slashes of an event are part of it. Takes the fields off that it has.
std::string take_event(std::vector<std::string>& fields, std::size_t at,
                       std::string_view separator) {
  std::string event = fields[at];
  const auto is_open = [&] { return std::ranges::count(event, '/') % 2 != 0; };
  std::size_t next = at + 1;
  while (is_open() && next < fields.size()) event.append(separator).append(fields[next++]);
  if (is_open()) return fields[at];
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at) + 1,
               fields.begin() + static_cast<std::ptrdiff_t>(next));
  return event;
}

bool is_number(std::string_view text) { return read_number(text).has_value(); }

/// Reads from the value on; false: no count stands there.
bool read_count(std::vector<std::string> fields, std::size_t at, std::string_view separator,
                CountRow& row) {
  if (at + 5 > fields.size()) return false;
  row.count = {};
  if (!read_value(fields[at], row.count)) return false;
  const std::string name = take_event(fields, at + 2, separator);
  if (is_number(fields[at + 1]) || name.empty() || is_number(name)) return false;
  row.count.unit = fields[at + 1];
  clean_name(name, row.count);
  std::size_t next = at + 3;
  std::string cgroup;
  if (next >= fields.size()) return false;
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
  const auto counts = [&](std::size_t at) { return read_count(fields, at, separator, row); };
  if (counts(0)) return row;
  std::size_t at = 0;
  if (at < fields.size() && is_number(fields[at])) row.time = read_number(fields[at++]);
  if (counts(at)) return row;
  if (at >= fields.size() || !is_place(fields[at])) return std::nullopt;
  row.place = fields[at++];
  if (counts(at)) return row;
  if (at >= fields.size() || !is_number(fields[at]) || !counts(at + 1)) return std::nullopt;
  set_counters(*read_number(fields[at]), row.count);
  return row;
}

}  // namespace evname::metrics
