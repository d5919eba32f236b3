// Reads counts that perf stat printed: as text, with -x or with --json. Source: perf,
// util/stat-display.c.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/text.hpp"
#include "events/metrics/count_table.hpp"
#include "evname/metric.hpp"

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

/// Reads "1570437" and "99.50", which most numbers are; a quotient of two exact numbers is what the
/// digits are rounded to.
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

/// Reads the whole text as a number.
std::optional<double> read_number(std::string_view text) {
  if (const auto plain = read_plain_number(text)) return plain;
  if (text.empty() || std::string_view("0123456789-.").find(text.front()) == text.npos)
    return std::nullopt;
  const auto value = parse_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// What a line says.
struct CountLine {
  CountRow row;
  std::string fault;  ///< why there is no value although there should be one
};

/// Returns true for what stands in the place of a number: "nan", "-inf", "1e999", "12a".
bool is_no_count(std::string_view text) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const std::string word = to_lower(text.substr(sign ? 1 : 0, 3));
  return word == "nan" || word == "inf" || (!word.empty() && word[0] >= '0' && word[0] <= '9');
}

void set_fault(const std::string& problem, CountLine& line) {
  line.fault = line.row.count.event + ": " + problem;
  line.row.count.state = Counted::State::not_counted;
  line.row.count.value = 0;
}

/// No counter counts that far: it takes a century.
constexpr double kBeyondCounters = 9.3e18;

/// Rejects a value that no event can have. Of sensors, which have units, any is right.
void check_value(CountLine& line) {
  const Counted& count = line.row.count;
  if (count.state != Counted::State::counted || !line.fault.empty()) return;
  if (count.value < 0 && count.unit.empty())
    set_fault(fmt::format("{} is less than nothing", count.value), line);
  else if (count.value > kBeyondCounters)
    set_fault(fmt::format("{} is more than a counter counts", count.value), line);
}

/// Reads "<not counted>", "<not supported>" or a number; returns false for others.
bool read_value(std::string_view text, Counted& out) {
  if (text == "<not counted>") out.state = Counted::State::not_counted;
  if (text == "<not supported>") out.state = Counted::State::not_supported;
  if (out.state != Counted::State::counted) return true;
  const auto number = read_number(text);
  out.value = number.value_or(0);
  return number.has_value();
}

/// Takes "[uncore_imc_0]" off the name, and what perf adds for itself ("metric-id=…").
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

/// Sets how many counters the value is the sum of.
void set_counters(double number, Counted& out) {
  constexpr double kMost = 1 << 20;
  if (number >= 1 && number <= kMost) out.counters = static_cast<unsigned>(number);
}

/// Sets the share of the time that the event was counted, of which perf prints per cents.
void set_running(double per_cent, Counted& out) {
  if (per_cent > 0 && per_cent < 100) out.running = per_cent / 100;
}

/// Returns true for "CPU0", "S0-D0-C1", "N0", or a thread's name and number.
bool is_place(std::string_view text) {
  return !text.empty() && !read_number(text) && text.front() != '<' && text.back() >= '0' &&
         text.back() <= '9';
}

// Lines of `perf stat -x`. Source: perf, man page perf-stat, "CSV FORMAT", and util/stat-display.c.
//
//   [time] [place [number of counters]] value unit event [cgroup] [variance%] run-time share …

/// The fields of a line, without a copy. More than these no line of counts has.
struct Fields {
  std::array<std::string_view, 64> at;
  std::size_t size = 0;
};

Fields fields_of(std::string_view line, std::string_view separator) {
  Fields out;
  while (out.size < out.at.size()) {
    const std::size_t end =
        separator.size() == 1 ? line.find(separator.front()) : line.find(separator);
    out.at[out.size++] = trim(line.substr(0, end));
    if (end == line.npos) break;
    line.remove_prefix(end + separator.size());
  }
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

/// What stands at a field if a count is expected there.
enum class Found { nothing, count, fault, cut };

/// Reads from the value on. A value that is none is a fault; a line that ends too early is cut.
Found read_count(const Fields& fields, std::size_t at, CountLine& line) {
  if (at + 3 > fields.size) return Found::nothing;
  Counted& count = line.row.count;
  count = {};
  line.fault.clear();
  const std::string_view value = fields.at[at];
  const bool is_value = read_value(value, count);
  std::size_t next = 0;
  const std::string_view name = event_at(fields, at + 2, next);
  if ((!is_value && !is_no_count(value)) || is_number(fields.at[at + 1]) || name.empty() ||
      is_number(name))
    return Found::nothing;
  count.unit = fields.at[at + 1];
  clean_name(name, count);
  std::string_view cgroup;
  if (next < fields.size && !is_number(fields.at[next]) && !fields.at[next].ends_with('%'))
    cgroup = fields.at[next++];
  if (next < fields.size && fields.at[next].ends_with('%')) ++next;
  if (next + 2 > fields.size) return Found::cut;
  if (!is_number(fields.at[next]) || !is_number(fields.at[next + 1])) return Found::nothing;
  set_running(*read_number(fields.at[next + 1]), count);
  if (!cgroup.empty()) line.row.place.append(line.row.place.empty() ? "" : " ").append(cgroup);
  if (!is_value) set_fault(std::string(value) + " is no count", line);
  return is_value ? Found::count : Found::fault;
}

/// Reads a line of `perf stat -x`. Returns nullopt if it holds no count.
std::optional<CountLine> read_separated_row(std::string_view text, std::string_view separator) {
  if (trim(text).starts_with('#')) return std::nullopt;
  const Fields fields = fields_of(text, separator);
  CountLine line, other;
  Found best = Found::nothing;
  // A fault counts only if the line can't be read as a count in another way.
  const auto counts = [&](std::size_t at) {
    const Found found = read_count(fields, at, line);
    if (found == Found::count) return true;
    if (best == Found::nothing && found != Found::nothing) best = found, other = line;
    return false;
  };
  if (counts(0)) return line;
  std::size_t at = 0;
  if (at < fields.size && is_number(fields.at[at])) line.row.time = read_number(fields.at[at++]);
  if (at > 0 && counts(at)) return line;
  if (at < fields.size && is_place(fields.at[at])) {
    line.row.place = fields.at[at++];
    if (counts(at)) return line;
    if (at < fields.size && is_number(fields.at[at]) && counts(at + 1)) {
      set_counters(*read_number(fields.at[at]), line.row.count);
      return line;
    }
  }
  if (best == Found::fault) return other;
  if (best == Found::nothing) return std::nullopt;
  line = {};
  line.fault = "the line ends after " + other.row.count.event;
  return line;
}

/// Returns true for a line with fewer fields than a count and than a metric, which has no value of
/// an event.
bool is_begin_of_row(std::string_view line, std::string_view separator) {
  return !separator.empty() && is_no_count(trim(line)) && fields_of(line, separator).size < 5;
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

/// Reads a line of `perf stat --json`. Returns nullopt if it holds no count.
std::optional<CountLine> read_json_row(std::string_view text) {
  Line line;
  CountLine out;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  if (!reader.Parse<rapidjson::kParseIterativeFlag>(stream, line)) {
    if (text.find("\"counter-") == text.npos) return std::nullopt;  // of another program
    const bool number = reader.GetParseErrorCode() == rapidjson::kParseErrorNumberTooBig;
    out.fault = number ? "a number is too big" : "the line is no whole JSON object";
    return out;
  }
  CountRow& row = out.row;
  const bool is_value = read_value_of(line, row.count);
  clean_name(text_of(line, "event"), row.count);
  const std::string value = line.text("counter-value");
  if (row.count.event.empty() || (!is_value && !is_no_count(trim(value)))) return std::nullopt;
  if (!is_value) set_fault(value + " is no count", out);
  row.count.unit = text_of(line, "unit");
  row.place = place_of(line);
  row.time = line.number_of("interval");
  for (const char* key : {"counters", "aggregate-number"})
    if (const auto number = line.number_of(key)) set_counters(*number, row.count);
  set_running(line.number_of("pcnt-running").value_or(0), row.count);
  return out;
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

/// Returns true for the groups of a number whose locale separates them by a space.
bool is_group_of_digits(std::string_view text, bool is_first) {
  constexpr std::size_t kGroup = 3;
  const std::string_view digits = text.substr(0, text.find_first_of(",."));
  return (digits.size() == kGroup || (is_first && !digits.empty() && digits.size() < kGroup)) &&
         digits.find_first_not_of("0123456789") == digits.npos &&
         (!is_first || digits.size() == text.size());
}

std::vector<Word> separate_words(std::string_view line) {
  std::vector<Word> out;
  std::string_view last_group;
  for (std::size_t at = 0;;) {
    const std::size_t start = std::min(line.find_first_not_of(" \t\r", at), line.size());
    if (start == line.size()) return out;
    std::string_view rest = line.substr(start);
    std::size_t size = std::min(rest.find_first_of(" \t\r"), rest.size());
    for (const std::string_view none : {kNotCounted, kNotSupported})
      if (rest.starts_with(none)) size = none.size();
    const std::string_view word = rest.substr(0, size);
    const bool goes_on = !out.empty() && start - at == 1 && is_group_of_digits(word, false) &&
                         is_group_of_digits(last_group, out.back().text.size() < 4);
    last_group = word;
    if (goes_on) {
      Word& number = out.back();
      number.text = {number.text.data(),
                     static_cast<std::size_t>(word.data() + word.size() - number.text.data())};
    } else {
      out.push_back({word, start - at});
    }
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

/// Reads "(83.33%)", which ends the line of an event that shared its counter.
void read_running(std::string_view line, Counted& out) {
  line = trim(line);
  const std::size_t at = line.ends_with("%)") ? line.rfind('(') : line.npos;
  if (at == line.npos) return;
  line = line.substr(at + 1, line.size() - at - 3);
  set_running(read_number(line).value_or(0), out);
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
      const bool ascii = text[i] == ',' || text[i] == '.' || text[i] == '\'' || text[i] == ' ';
      if (!ascii && static_cast<unsigned char>(text[i]) < 0x80) return std::nullopt;
      last = i;
    } else {
      digits += text[i];
    }
  }
  if (digits.empty() || !is_digit(text.back())) return std::nullopt;
  const bool decimals =
      last != text.npos && text.size() - last == 3 && text[last] != '\'' && text[last] != ' ';
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
bool read_counted(std::string_view line, const std::vector<Word>& words, std::size_t at,
                  CountRow& row) {
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
  if (next != words.size()) return false;
  read_running(line, row.count);
  return true;
}

std::string place_of(const std::vector<Word>& words, std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out.append(i > begin ? " " : "").append(words[i].text);
  return out;
}

/// With a place of words[begin] to words[end - 1]; the last may be the number of counters.
bool read_place(std::string_view line, const std::vector<Word>& words, std::size_t begin,
                std::size_t end, CountRow& row) {
  const std::string all = place_of(words, begin, end);
  row.place = place_of(words, begin, end - 1);
  const auto counters = read_number(words[end - 1].text);
  if (counters && is_place(row.place) && read_counted(line, words, end, row)) {
    set_counters(*counters, row.count);
    return true;
  }
  row.place = all;
  return is_place(row.place) && read_counted(line, words, end, row);
}

/// Reads "0.102 seconds time elapsed", which stands below the counts of a run.
std::optional<Counted> read_run_time(std::string_view line) {
  if (line.find(" seconds ") == line.npos) return std::nullopt;
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

/// Reads a line of the text of `perf stat`. Returns nullopt if it holds no count.
std::optional<CountLine> read_text_row(std::string_view line) {
  if (trim(line).starts_with('#') || line.find("counter stats for") != line.npos ||
      read_run_time(line))
    return std::nullopt;
  const std::vector<Word> words = separate_words(without_remarks(line));
  CountLine out;
  CountRow& row = out.row;
  if (read_counted(line, words, 0, row)) return out;
  std::size_t begin = 0;
  if (!words.empty() && (row.time = read_time(words[0].text))) ++begin;
  row.place.clear();
  if (begin > 0 && read_counted(line, words, begin, row)) return out;
  for (std::size_t end = begin + 1; end < words.size(); ++end)
    if (read_place(line, words, begin, end, row)) return out;
  if (begin + 2 != words.size() || !is_no_count(words[begin].text) ||
      is_digit(words[begin].text[0]) || !can_be_event(words[begin + 1].text))
    return std::nullopt;
  row.place.clear();
  row.count = {};
  row.count.event = words[begin + 1].text;
  set_fault(std::string(words[begin].text) + " is no count", out);
  return out;
}

/// Returns true for "Performance counter stats for 'system wide':" and for CPUs.
bool is_title_of_cpus(std::string_view line) {
  constexpr std::string_view kTitle = "Performance counter stats for '";
  const std::string_view title = trim(line);
  if (!title.starts_with(kTitle)) return false;
  const std::string_view what = title.substr(kTitle.size());
  return what.starts_with("system wide'") || what.starts_with("CPU(s) ");
}

/// Returns true for a place that is made of CPUs, and no thread.
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

/// The separators that people give to -x, most usual first.
constexpr std::string_view kSeparators[] = {",", ";", "\t", "|", ":", " "};

/// "": no line has counts that a separator divides.
std::string guess_separator(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    for (const std::string_view separator : kSeparators)
      if (const auto found = metrics::read_separated_row(line, separator);
          found && found->fault.empty())
        return std::string(separator);
  return {};
}

/// What is wrong with lines. Of many, the first few are described.
class Faults {
 public:
  void add(std::size_t line, std::string_view what) {
    constexpr std::size_t kMost = 5;
    if (described_.size() < kMost)
      described_.push_back(fmt::format("line {}: {}", line + 1, what));
    else
      ++more_;
  }
  std::vector<std::string> take() && {
    if (more_ > 0)
      described_.push_back(counted(more_, "more line has no count", "more lines have no count"));
    return std::move(described_);
  }
  std::string first() const { return described_.empty() ? "" : described_.front(); }

 private:
  std::vector<std::string> described_;
  std::size_t more_ = 0;
};

Error no_counts(const Faults& faults) {
  return {
      Errc::invalid_argument,
      faults.first().empty() ? "no counts of perf stat were found" : faults.first(),
      {},
      "wanted: what perf stat prints, as text, with -x or with -j, or a file of perf stat record"};
}

bool has_event(const CountGroup& group, std::string_view event) {
  return std::ranges::find(group.counts, event, &Counted::event) != group.counts.end();
}

/// Adds the times of the whole run to each place; those of the process only if there is one place.
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
  Faults faults;
  const auto lines = split(text, '\n');
  const std::string between = separator.empty() ? guess_separator(lines) : std::string(separator);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const bool is_json = trim(line).starts_with('{');
    auto found = is_json           ? metrics::read_json_row(trim(line))
                 : between.empty() ? metrics::read_text_row(line)
                                   : metrics::read_separated_row(line, between);
    if (found) {
      metrics::check_value(*found);
      if (!found->fault.empty()) faults.add(i, found->fault);
      if (!found->row.count.event.empty()) table.add(std::move(found->row));
    } else if (auto time = metrics::read_run_time(line)) {
      times.push_back(std::move(*time));
    } else if (i + 1 == lines.size() && !trim(line).empty() &&
               (is_json || metrics::is_begin_of_row(line, between))) {
      faults.add(i, "the text ends inside the line");
    }
  }
  if (table.counts().empty()) return fail(no_counts(faults));
  Counts out = table.take();
  out.whole_cores = of_cpus(lines, out);
  add_run_times(times, out);
  set_lengths(out);
  out.warnings = std::move(faults).take();
  return out;
}

}  // namespace evname
