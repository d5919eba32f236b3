// What perf stat prints for people. Source of the columns: perf, util/stat-display.c.
//
//   [time] [place [number of counters]] value [unit] event [cgroup]  # value unit metric  ( +- 1% )
//
// One space stands between the value and its unit, more where there is no unit.

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "events/metrics/count_rows.hpp"

namespace evname::metrics {
namespace {

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

}  // namespace

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

}  // namespace evname::metrics
