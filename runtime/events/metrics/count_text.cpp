#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "events/metrics/count_lines.hpp"

namespace evname::metrics {

namespace {

// Reads the default output of perf stat. Source of the columns: perf, util/stat-display.c.
//
//   [time] [place [number of counters]] value [unit] event [cgroup]  # value unit metric  ( +- 1% )
//
// There is one space between the value and its unit, and more without a unit.

constexpr std::string_view kNotCounted = "<not counted>", kNotSupported = "<not supported>";

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

/// Without the metric, the variance and the share of time after the event.
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

/// Reads "(83.33%)" or "(83,33%)", which ends the line of an event that shared its counter.
std::optional<double> share_at_end(std::string_view line) {
  line = trim(line);
  const std::size_t at = line.ends_with("%)") ? line.rfind('(') : line.npos;
  if (at == line.npos) return std::nullopt;
  return read_grouped(line.substr(at + 1, line.size() - at - 3));
}

/// "     0.100227042": always nine decimals.
std::optional<double> read_time(std::string_view text) {
  constexpr std::size_t kDecimals = 9;
  const std::size_t point = text.find('.');
  if (point == text.npos || text.size() - point - 1 != kDecimals) return std::nullopt;
  return read_number(text);
}

bool read_text_value(std::string_view text, CountedEvent& out) {
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
  set_running(share_at_end(line).value_or(0), row.count);
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

}  // namespace

std::optional<CountedEvent> read_run_time(std::string_view line) {
  if (line.find(" seconds ") == line.npos) return std::nullopt;
  constexpr std::pair<std::string_view, const char*> kTimes[] = {
      {"seconds time elapsed", "duration_time"},
      {"seconds user", "user_time"},
      {"seconds sys", "system_time"}};
  const std::string_view rest = trim(without_remarks(line));
  for (const auto& [end, event] : kTimes) {
    if (!rest.ends_with(end)) continue;
    const std::string_view number = rest.substr(0, rest.find(' '));
    if (const auto value = read_number(number))
      return CountedEvent{{.value = *value}, event, {}, "s"};
  }
  return std::nullopt;
}

std::optional<double> read_share_of_metric(std::string_view line) {
  const std::size_t mark = line.find('#');
  if (mark == line.npos || mark == 0 ||
      without_remarks(line).find_first_not_of("0123456789., \t") != line.npos)
    return std::nullopt;
  return share_at_end(line.substr(mark));
}

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
  // The place is before the last five words at most: value, unit, event, its description in
  // brackets, cgroup.
  for (std::size_t end = std::max(begin + 1, words.size() - std::min<std::size_t>(words.size(), 5));
       end < words.size(); ++end)
    if (read_place(line, words, begin, end, row)) return out;
  if (begin + 2 != words.size() || !is_no_count(words[begin].text) ||
      is_digit(words[begin].text[0]) || !can_be_event(words[begin + 1].text))
    return std::nullopt;
  row.place.clear();
  row.count = {};
  row.count.event = words[begin + 1].text;
  set_fault(std::string(words[begin].text) + " is not a count", out);
  return out;
}

}  // namespace evname::metrics
