#include "events/metrics/count_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/text.hpp"
#include "events/expression/operators.hpp"
#include "events/syntax/modifiers.hpp"

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

/// Puts modifiers behind the slash: perf before 7 puts the PMU around the whole name, as in
/// "cpu_core/cycles:u/".
void move_modifiers(std::string& name) {
  const std::size_t slash = name.find('/'), colon = name.rfind(':');
  if (slash == name.npos || colon == name.npos || colon < slash || !name.ends_with('/')) return;
  const std::string letters = name.substr(colon + 1, name.size() - colon - 2);
  if (!syntax::looks_like_modifiers(letters) || name.find('=', slash) < colon) return;
  name.replace(colon, name.npos, "/" + letters);
}

/// Reads "1570437" and "99.50", the forms of most numbers. The quotient of two exact numbers is
/// correctly rounded.
std::optional<double> read_plain_number(std::string_view text) {
  constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  constexpr std::size_t kExact = 15;
  if (text.empty() || text.size() > kExact || text.front() == '.') return std::nullopt;
  std::uint64_t digits = 0;
  std::size_t decimals = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
    decimals += point ? 1 : 0;
  }
  if (decimals >= std::size(kPowers) || text.back() == '.') return std::nullopt;
  return static_cast<double>(digits) / kPowers[decimals];
}

/// No counter reaches this: it would take a century.
constexpr double kBeyondCounters = 9.3e18;

}  // namespace

std::optional<double> read_number(std::string_view text) {
  if (const auto plain = read_plain_number(text)) return plain;
  if (text.empty() || std::string_view("0123456789-.").find(text.front()) == text.npos)
    return std::nullopt;
  const auto value = parse_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool is_no_count(std::string_view text) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const std::string word = to_lower(text.substr(sign ? 1 : 0, 3));
  return word == "nan" || word == "inf" || (!word.empty() && word[0] >= '0' && word[0] <= '9');
}

void set_fault(const std::string& problem, CountLine& line) {
  line.fault = line.row.count.event + ": " + problem;
  line.row.count.value = expression::kNaN;
}

void check_value(CountLine& line) {
  const CountedEvent& count = line.row.count;
  if (!count.is_counted() || !line.fault.empty()) return;
  if (count.value < 0 && count.unit.empty())
    set_fault(fmt::format("{} is less than nothing", count.value), line);
  else if (count.value > kBeyondCounters)
    set_fault(fmt::format("{} is more than a counter counts", count.value), line);
}

bool read_value(std::string_view text, CountedEvent& out) {
  out.supported = text != "<not supported>";
  if (!out.supported || text == "<not counted>") return true;
  const auto number = read_number(text);
  out.value = number.value_or(0);
  return number.has_value();
}

void clean_name(std::string_view name, CountedEvent& out) {
  name = trim(name);
  const std::size_t bracket = name.rfind(" [");
  if (name.ends_with(']') && bracket != name.npos) {
    out.pmu = name.substr(bracket + 2, name.size() - bracket - 3);
    name = trim(name.substr(0, bracket));
  }
  out.event = name;
  drop_metric_id(out.event);
  move_modifiers(out.event);
}

void set_counters(double number, CountedEvent& out) {
  constexpr double kMost = 1 << 20;
  if (number >= 1 && number <= kMost) out.counters = static_cast<unsigned>(number);
}

void set_running(double per_cent, CountedEvent& out) {
  if (per_cent > 0 && per_cent < 100) out.running = per_cent / 100;
}

bool is_place(std::string_view text) {
  return !text.empty() && !read_number(text) && text.front() != '<' && text.back() >= '0' &&
         text.back() <= '9';
}

namespace {

// Lines of `perf stat -x`. Source: perf, man page perf-stat, "CSV FORMAT", and util/stat-display.c.
//
//   [time] [place [number of counters]] value unit event [cgroup] [variance%] run-time share …

/// The fields of a line, without a copy. More than these no line of counts has.
struct Fields {
  std::array<std::string_view, 64> at;
  std::size_t size = 0;
};

/// Fields are short: a call for each would take longer than the letters.
std::string_view trimmed_field(std::string_view text) {
  const bool is_bare = text.empty() || (text.front() > ' ' && text.back() > ' ');
  return is_bare ? text : trim(text);
}

Fields fields_of(std::string_view line, std::string_view separator) {
  Fields out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size() && out.size + 1 < out.at.size(); ++at) {
    if (line[at] != separator.front() || !line.substr(at).starts_with(separator)) continue;
    out.at[out.size++] = trimmed_field(line.substr(begin, at - begin));
    begin = at + separator.size();
    at = begin - 1;
  }
  out.at[out.size++] = trimmed_field(line.substr(begin, line.find(separator, begin) - begin));
  return out;
}

/// Returns the event at a field and sets the field after it. Separators between the slashes of an
/// event are part of it.
std::string_view event_at(const Fields& fields, std::size_t at, std::size_t& next) {
  const std::string_view first = fields.at[at];
  next = at + 1;
  std::size_t slashes = static_cast<std::size_t>(std::ranges::count(first, '/'));
  std::size_t end = next;
  while (slashes % 2 != 0 && end < fields.size)
    slashes += static_cast<std::size_t>(std::ranges::count(fields.at[end++], '/'));
  if (slashes == 0 || slashes % 2 != 0) return first;
  next = end;
  const std::string_view last = fields.at[end - 1];
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.front() != '<' && read_number(text).has_value();
}

/// Returns the number at a field; nullopt if there is no such field or another text.
std::optional<double> number_at(const Fields& fields, std::size_t at) {
  return at < fields.size ? read_number(fields.at[at]) : std::nullopt;
}

/// The content of a field where a count is expected.
enum class Found { nothing, count, fault, cut };

/// Reads from the value on. An invalid value is a fault; a line that ends too early is truncated.
Found read_count(const Fields& fields, std::size_t at, CountLine& line) {
  if (at + 3 > fields.size || is_number(fields.at[at + 1])) return Found::nothing;
  CountedEvent& count = line.row.count;
  count = {};
  line.fault.clear();
  const std::string_view value = fields.at[at];
  const bool is_value = read_value(value, count);
  std::size_t next = 0;
  const std::string_view name = event_at(fields, at + 2, next);
  if ((!is_value && !is_no_count(value)) || name.empty() || is_number(name)) return Found::nothing;
  count.unit = fields.at[at + 1];
  clean_name(name, count);
  std::optional<double> time = number_at(fields, next);
  std::string_view cgroup;
  if (!time && next < fields.size) {
    if (!fields.at[next].ends_with('%')) cgroup = fields.at[next++];
    if (next < fields.size && fields.at[next].ends_with('%')) ++next;
    time = number_at(fields, next);
  }
  if (next + 2 > fields.size) return Found::cut;
  const auto share = number_at(fields, next + 1);
  if (!time || !share) return Found::nothing;
  set_running(*share, count);
  if (!cgroup.empty()) line.row.place.append(line.row.place.empty() ? "" : " ").append(cgroup);
  if (!is_value) set_fault(std::string(value) + " is not a count", line);
  return is_value ? Found::count : Found::fault;
}

}  // namespace

std::optional<CountLine> read_separated_row(std::string_view text, std::string_view separator) {
  if (trim(text).starts_with('#')) return std::nullopt;
  const Fields fields = fields_of(text, separator);
  CountLine line, other;
  Found best = Found::nothing;
  // A fault counts only if the line can't be read as a count in another way.
  const auto counts = [&](std::size_t at) {
    const Found found = read_count(fields, at, line);
    if (found == Found::count) return true;
    if (best == Found::nothing && found != Found::nothing) {
      best = found;
      other = line;
    }
    return false;
  };
  if (counts(0)) return line;
  std::size_t at = 0;
  if ((line.row.time = number_at(fields, 0))) ++at;
  if (at > 0 && counts(at)) return line;
  if (at < fields.size && is_place(fields.at[at])) {
    line.row.place = fields.at[at++];
    if (counts(at)) return line;
    const auto counters = number_at(fields, at);
    if (counters && counts(at + 1)) {
      set_counters(*counters, line.row.count);
      return line;
    }
  }
  if (best == Found::fault) return other;
  if (best == Found::nothing) return std::nullopt;
  line = {};
  line.fault = "the line ends after " + other.row.count.event;
  return line;
}

bool is_begin_of_row(std::string_view line, std::string_view separator) {
  return !separator.empty() && is_no_count(trim(line)) && fields_of(line, separator).size < 5;
}

namespace {

// Lines of `perf stat --json`. Source of the keys: perf, util/stat-display.c.

constexpr const char* kPlaces[] = {"core", "cache", "cluster", "die", "socket", "node", "thread"};

/// The texts and numbers of one object, without nested ones.
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
  bool StartObject() {
    ++depth_;
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    return true;
  }
  bool StartArray() { return depth_++ > 0; }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    return true;
  }

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

bool read_value_of(const Line& line, CountedEvent& out) {
  if (const auto number = line.number_of("counter-value")) {
    out.value = *number;
    return true;
  }
  return read_value(trim(line.text("counter-value")), out);
}

}  // namespace

std::optional<CountLine> read_json_row(std::string_view text) {
  Line line;
  CountLine out;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  if (!reader.Parse<rapidjson::kParseIterativeFlag>(stream, line)) {
    if (text.find("\"counter-") == text.npos) return std::nullopt;  // of another program
    const bool number = reader.GetParseErrorCode() == rapidjson::kParseErrorNumberTooBig;
    out.fault = number ? "a number is too big" : "the line is not a whole JSON object";
    return out;
  }
  CountRow& row = out.row;
  const bool is_value = read_value_of(line, row.count);
  clean_name(text_of(line, "event"), row.count);
  const std::string value = line.text("counter-value");
  if (row.count.event.empty() || (!is_value && !is_no_count(trim(value)))) return std::nullopt;
  if (!is_value) set_fault(value + " is not a count", out);
  row.count.unit = text_of(line, "unit");
  row.place = place_of(line);
  row.time = line.number_of("interval");
  for (const char* key : {"counters", "aggregate-number"})
    if (const auto number = line.number_of(key)) set_counters(*number, row.count);
  set_running(line.number_of("pcnt-running").value_or(0), row.count);
  return out;
}

}  // namespace evname::metrics
