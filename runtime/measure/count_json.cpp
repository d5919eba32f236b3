// Lines of `perf stat --json`. Source of the keys: perf, util/stat-display.c.

#include <rapidjson/document.h>

#include "base/text.hpp"
#include "measure/count_rows.hpp"

namespace evname::measure {
namespace {

constexpr const char* kPlaces[] = {"core", "cache", "cluster", "die", "socket", "node", "thread"};

std::string text_of(const rapidjson::Document& line, const char* key) {
  const auto at = line.FindMember(key);
  if (at == line.MemberEnd() || !at->value.IsString()) return {};
  return {at->value.GetString(), at->value.GetStringLength()};
}

std::string place_of(const rapidjson::Document& line) {
  std::string place;
  if (const std::string cpu = text_of(line, "cpu"); !cpu.empty())
    place = (cpu.starts_with("CPU") ? "" : "CPU") + cpu;
  for (const char* key : kPlaces)
    if (place.empty()) place = text_of(line, key);
  if (const std::string cgroup = text_of(line, "cgroup"); !cgroup.empty())
    place += (place.empty() ? "" : " ") + cgroup;
  return place;
}

bool read_value_of(const rapidjson::Document& line, Counted& out) {
  const auto at = line.FindMember("counter-value");
  if (at == line.MemberEnd()) return false;
  if (at->value.IsNumber()) return out.value = at->value.GetDouble(), true;
  return at->value.IsString() && read_value(trim(at->value.GetString()), out);
}

}  // namespace

std::optional<CountRow> read_json_row(std::string_view text) {
  rapidjson::Document line;
  line.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (line.HasParseError() || !line.IsObject()) return std::nullopt;
  CountRow row;
  if (!read_value_of(line, row.count)) return std::nullopt;
  clean_name(text_of(line, "event"), row.count);
  if (row.count.event.empty()) return std::nullopt;
  row.count.unit = text_of(line, "unit");
  row.place = place_of(line);
  const auto interval = line.FindMember("interval");
  if (interval != line.MemberEnd() && interval->value.IsNumber())
    row.time = interval->value.GetDouble();
  return row;
}

}  // namespace evname::measure
