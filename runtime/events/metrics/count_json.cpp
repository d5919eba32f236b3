// Lines of `perf stat --json`. Source of the keys: perf, util/stat-display.c.

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <map>

#include "base/text.hpp"
#include "events/metrics/count_rows.hpp"

namespace evname::metrics {
namespace {

constexpr const char* kPlaces[] = {"core", "cache", "cluster", "die", "socket", "node", "thread"};

/// The texts and numbers of one object; what is nested in it is left out.
class Line : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Line> {
 public:
  bool Default() { return true; }
  bool Int(int value) { return number(value); }
  bool Uint(unsigned value) { return number(value); }
  bool Int64(std::int64_t value) { return number(static_cast<double>(value)); }
  bool Uint64(std::uint64_t value) { return number(static_cast<double>(value)); }
  bool Double(double value) { return number(value); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) texts_.try_emplace(key_, text, size);
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) key_.assign(text, size);
    return true;
  }
  bool StartObject() { return ++depth_, true; }
  bool EndObject(rapidjson::SizeType) { return --depth_, true; }
  bool StartArray() { return depth_++ > 0; }
  bool EndArray(rapidjson::SizeType) { return --depth_, true; }

  std::string text(const char* key) const {
    const auto at = texts_.find(key);
    return at == texts_.end() ? std::string() : at->second;
  }
  std::optional<double> number_of(const char* key) const {
    const auto at = numbers_.find(key);
    return at == numbers_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  bool number(double value) {
    if (depth_ == 1) numbers_.try_emplace(key_, value);
    return true;
  }

  int depth_ = 0;
  std::string key_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, double> numbers_;
};

std::string text_of(const Line& line, const char* key) { return line.text(key); }

std::string place_of(const Line& line) {
  std::string place;
  if (const std::string cpu = text_of(line, "cpu"); !cpu.empty())
    place = (cpu.starts_with("CPU") ? "" : "CPU") + cpu;
  for (const char* key : kPlaces)
    if (place.empty()) place = text_of(line, key);
  if (const std::string cgroup = text_of(line, "cgroup"); !cgroup.empty())
    place += (place.empty() ? "" : " ") + cgroup;
  return place;
}

bool read_value_of(const Line& line, Counted& out) {
  if (const auto number = line.number_of("counter-value")) return out.value = *number, true;
  return read_value(trim(line.text("counter-value")), out);
}

}  // namespace

std::optional<CountRow> read_json_row(std::string_view text) {
  Line line;
  rapidjson::MemoryStream stream(text.data(), text.size());
  if (!rapidjson::Reader().Parse<rapidjson::kParseIterativeFlag>(stream, line)) return std::nullopt;
  CountRow row;
  if (!read_value_of(line, row.count)) return std::nullopt;
  clean_name(text_of(line, "event"), row.count);
  if (row.count.event.empty()) return std::nullopt;
  row.count.unit = text_of(line, "unit");
  row.place = place_of(line);
  row.time = line.number_of("interval");
  for (const char* key : {"counters", "aggregate-number"})
    if (const auto number = line.number_of(key)) set_counters(*number, row.count);
  return row;
}

}  // namespace evname::metrics
