#include "metrics/count_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace evname::measure {
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
  if (is_new) counts_.groups.push_back({row.time, std::move(row.place), {}});
  counts_.groups[at->second].counts.push_back(std::move(row.count));
}

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
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

}  // namespace evname::measure
