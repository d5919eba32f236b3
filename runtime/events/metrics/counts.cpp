// Counts that perf stat printed: as text, with -x or with --json. Source: perf,
// util/stat-display.c. Counts that perf stat printed: as text, with -x or with --json.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/text.hpp"
#include "events/metrics/count_table.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {
namespace {

/// "<not counted>", "<not supported>" or a number; false: none of these.
bool read_value(std::string_view text, Counted& out);

/// The whole text as a number.
std::optional<double> read_number(std::string_view text);

/// Takes "[uncore_imc_0]" off the name, and what perf adds for itself ("metric-id=…").
void clean_name(std::string_view name, Counted& out);

/// How many counters the value is the sum of.
void set_counters(double number, Counted& out);

/// "CPU0", "S0-D0-C1", "N0", or a thread's name and number.
bool is_place(std::string_view text);

/// One that is made of CPUs, no thread.
bool is_place_of_cpus(std::string_view place);

/// One line of `perf stat --json` / of `perf stat -x` / of the text of `perf stat`. nullopt: it
/// holds no count.
std::optional<CountRow> read_json_row(std::string_view line);
std::optional<CountRow> read_separated_row(std::string_view line, std::string_view separator);
std::optional<CountRow> read_text_row(std::string_view line);

/// "0.102 seconds time elapsed": what stands below the counts of a run.
std::optional<Counted> read_run_time(std::string_view line);

/// "Performance counter stats for 'system wide':"
bool is_title_of_cpus(std::string_view line);

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

// Lines of `perf stat --json`. Source of the keys: perf, util/stat-display.c.

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

// What perf stat prints for people. Source of the columns: perf, util/stat-display.c.
//
//   [time] [place [number of counters]] value [unit] event [cgroup]  # value unit metric  ( +- 1% )
//
// One space stands between the value and its unit, more where there is no unit.

constexpr std::string_view kNotCounted = "<not counted>", kNotSupported = "<not supported>";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A word of a line, "<not counted>" being one, and how many spaces are before it.
struct Word {
  std::string_view text;
  std::size_t spaces;
};

std::vector<Word> separate_words(std::string_view line) {
  std::vector<Word> out;
  for (std::size_t at = 0;;) {
    const std::size_t start = std::min(line.find_first_not_of(" \t\r", at), line.size());
    if (start == line.size()) return out;
    std::string_view rest = line.substr(start);
    std::size_t size = std::min(rest.find_first_of(" \t\r"), rest.size());
    for (const std::string_view none : {kNotCounted, kNotSupported})
      if (rest.starts_with(none)) size = none.size();
    out.push_back({rest.substr(0, size), start - at});
    at = start + size;
  }
}

/// Without the metric, the variance and the share of time behind the event.
std::string_view without_remarks(std::string_view line) {
  for (const std::string_view mark : {" #", " ( +-", " (+-"})
    line = line.substr(0, line.find(mark));
  const std::string_view trimmed = trim(line);
  const std::size_t share = trimmed.ends_with("%)") ? line.rfind(" (") : line.npos;
  return line.substr(0, share);
}

/// "1,570,437", "1.570.437", "1570437", "1.57", "1,57": groups of digits as the locale has them.
/// perf prints two decimals or none.
std::optional<double> read_grouped(std::string_view text) {
  std::string digits;
  std::size_t last = text.npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool mark = !is_digit(text[i]);
    if (text[i] == '-' && i == 0) {
      digits += '-';
    } else if (mark) {
      if (i == 0) return std::nullopt;
      const bool ascii = text[i] == ',' || text[i] == '.' || text[i] == '\'';
      if (!ascii && static_cast<unsigned char>(text[i]) < 0x80) return std::nullopt;
      last = i;
    } else {
      digits += text[i];
    }
  }
  if (digits.empty() || !is_digit(text.back())) return std::nullopt;
  const bool decimals = last != text.npos && text.size() - last == 3 && text[last] != '\'';
  if (decimals) digits.insert(digits.size() - 2, ".");
  return read_number(digits);
}

/// "     0.100227042": always nine decimals.
std::optional<double> read_time(std::string_view text) {
  constexpr std::size_t kDecimals = 9;
  const std::size_t point = text.find('.');
  if (point == text.npos || text.size() - point - 1 != kDecimals) return std::nullopt;
  return read_number(text);
}

bool read_text_value(std::string_view text, Counted& out) {
  if (text == kNotCounted || text == kNotSupported) return read_value(text, out);
  const auto number = read_grouped(text);
  out.value = number.value_or(0);
  return number.has_value();
}

bool can_be_event(std::string_view text) {
  return !text.empty() && text.front() != '<' && !read_grouped(text);
}

/// The value is words[at], its unit, event and perhaps cgroup follow.
bool read_counted(const std::vector<Word>& words, std::size_t at, CountRow& row) {
  row.count = {};
  if (at + 1 >= words.size() || !read_text_value(words[at].text, row.count)) return false;
  std::size_t next = at + 1;
  const bool has_unit = words[next].spaces == 1 && next + 1 < words.size();
  if (has_unit) row.count.unit = words[next++].text;
  if (!can_be_event(words[next].text)) return false;
  std::string event(words[next++].text);
  if (next < words.size() && words[next].text.starts_with('['))
    event.append(" ").append(words[next++].text);
  clean_name(event, row.count);
  if (next < words.size())
    row.place += (row.place.empty() ? "" : " ") + std::string(words[next++].text);
  return next == words.size();
}

std::string place_of(const std::vector<Word>& words, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out.append(i > begin ? " " : "").append(words[i].text);
  return out;
}

/// With a place of words[begin] to words[end - 1]; the last may be the number of counters.
bool read_place(const std::vector<Word>& words, std::size_t begin, std::size_t end, CountRow& row) {
  const std::string all = place_of(words, begin, end);
  row.place = place_of(words, begin, end - 1);
  const auto counters = read_number(words[end - 1].text);
  if (counters && is_place(row.place) && read_counted(words, end, row)) {
    set_counters(*counters, row.count);
    return true;
  }
  row.place = all;
  return is_place(row.place) && read_counted(words, end, row);
}

std::optional<CountRow> read_text_row(std::string_view line) {
  if (trim(line).starts_with('#') || line.find("counter stats for") != line.npos ||
      read_run_time(line))
    return std::nullopt;
  const std::vector<Word> words = separate_words(without_remarks(line));
  CountRow row;
  if (read_counted(words, 0, row)) return row;
  std::size_t begin = 0;
  if (!words.empty() && (row.time = read_time(words[0].text))) ++begin;
  row.place.clear();
  if (begin > 0 && read_counted(words, begin, row)) return row;
  for (std::size_t end = begin + 1; end < words.size(); ++end)
    if (read_place(words, begin, end, row)) return row;
  return std::nullopt;
}

std::optional<Counted> read_run_time(std::string_view line) {
  constexpr std::pair<std::string_view, const char*> kTimes[] = {
      {"seconds time elapsed", "duration_time"},
      {"seconds user", "user_time"},
      {"seconds sys", "system_time"}};
  const std::string_view rest = trim(without_remarks(line));
  for (const auto& [end, event] : kTimes) {
    if (!rest.ends_with(end)) continue;
    const std::string_view number = rest.substr(0, rest.find(' '));
    if (const auto value = read_number(number)) return Counted{event, {}, "s", *value};
  }
  return std::nullopt;
}

bool is_title_of_cpus(std::string_view line) {
  constexpr std::string_view kTitle = "Performance counter stats for '";
  const std::string_view title = trim(line);
  if (!title.starts_with(kTitle)) return false;
  const std::string_view what = title.substr(kTitle.size());
  return what.starts_with("system wide'") || what.starts_with("CPU(s) ");
}

bool is_place_of_cpus(std::string_view place) {
  const std::string_view first = place.substr(0, place.find(' '));
  std::string_view rest = first;
  for (const std::string_view kind : {"CPU", "S", "N"})
    if (rest == first && first.starts_with(kind)) rest.remove_prefix(kind.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (rest == first || digits == 0) return false;
  rest.remove_prefix(digits);  // what a thread is called may look alike: "S1-33" has a number only
  return rest.empty() || (rest.size() > 1 && rest[0] == '-' && !is_digit(rest[1]));
}

}  // namespace
}  // namespace evname::metrics

namespace evname {
namespace {

/// What people give to -x, most usual first.
constexpr std::string_view kSeparators[] = {",", ";", "\t", "|", ":", " "};

/// "": no line has counts that a separator divides.
std::string guess_separator(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    for (const std::string_view separator : kSeparators)
      if (metrics::read_separated_row(line, separator)) return std::string(separator);
  return {};
}

bool has_event(const CountGroup& group, std::string_view event) {
  return std::ranges::find(group.counts, event, &Counted::event) != group.counts.end();
}

/// What perf tells of the whole run belongs to each place, but for the times of its only process.
void add_run_times(const std::vector<Counted>& times, Counts& out) {
  for (CountGroup& group : out.groups) {
    if (group.time) continue;
    for (const Counted& one : times)
      if (!has_event(group, one.event) && (group.place.empty() || one.event == "duration_time"))
        group.counts.push_back(one);
  }
}

/// An interval lasts from the end of the one before, or from the start.
void set_lengths(Counts& out) {
  double before = 0, now = 0;
  for (CountGroup& group : out.groups) {
    if (!group.time) continue;
    if (*group.time != now) before = std::exchange(now, *group.time);
    group.seconds = std::max(now - before, 0.0);
  }
}

/// perf counts CPUs: it says so, names them, or has taken their clock instead of the tasks'.
bool of_cpus(const std::vector<std::string_view>& lines, const Counts& counts) {
  const auto is_place = [](const CountGroup& g) { return metrics::is_place_of_cpus(g.place); };
  const auto counts_event = [&](std::string_view event) {
    return std::ranges::any_of(counts.groups,
                               [&](const CountGroup& g) { return has_event(g, event); });
  };
  return std::ranges::any_of(lines, metrics::is_title_of_cpus) ||
         std::ranges::any_of(counts.groups, is_place) ||
         (counts_event("cpu-clock") && !counts_event("task-clock"));
}

}  // namespace

Result<Counts> read_counts_text(std::string_view text, std::string_view separator) {
  metrics::CountTable table;
  std::vector<Counted> times;
  const auto lines = split(text, '\n');
  const std::string between = separator.empty() ? guess_separator(lines) : std::string(separator);
  for (const std::string_view line : lines) {
    auto row = trim(line).starts_with('{') ? metrics::read_json_row(trim(line))
               : between.empty()           ? metrics::read_text_row(line)
                                           : metrics::read_separated_row(line, between);
    if (row) table.add(std::move(*row));
    if (auto time = metrics::read_run_time(line)) times.push_back(std::move(*time));
  }
  if (table.counts().empty())
    return fail(Errc::invalid_argument, "no counts of perf stat were found", {},
                "wanted: what perf stat prints, as text, with -x or with -j, or a file of perf "
                "stat record");
  Counts out = table.take();
  out.whole_cores = of_cpus(lines, out);
  add_run_times(times, out);
  set_lengths(out);
  return out;
}

}  // namespace evname
