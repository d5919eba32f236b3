#include "list/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "input/no_match.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

bool fits(const std::string& glob, const std::string& text) {
  return glob.empty() || glob_match(to_lower(glob), to_lower(text));
}

/// The words of all searches, in lower case.
std::vector<std::string> words_of(const std::vector<std::string>& searches) {
  std::vector<std::string> words;
  for (const std::string& search : searches)
    for (const std::string_view word : split(search, ' '))
      if (!trim(word).empty()) words.push_back(to_lower(trim(word)));
  return words;
}

bool holds_words(const EventInfo& event, const std::vector<std::string>& searches) {
  if (searches.empty()) return true;
  const std::string text =
      to_lower(fmt::format("{}\n{}\n{}\n{}", event.name, event.topic, event.desc, event.long_desc));
  return std::ranges::all_of(words_of(searches),
                             [&](const std::string& word) { return text.find(word) != text.npos; });
}

/// The values of a member, each once.
std::string values_of(const std::vector<EventInfo>& events, std::string EventInfo::*member) {
  std::set<std::string> values;
  for (const EventInfo& event : events)
    if (!(event.*member).empty()) values.insert(event.*member);
  return fmt::format("{}", fmt::join(values, ", "));
}

bool none_fits(const std::vector<EventInfo>& all, const std::string& glob,
               std::string EventInfo::*member) {
  return std::ranges::none_of(all,
                              [&](const EventInfo& event) { return fits(glob, event.*member); });
}

/// What finds events where the globs, as they stand, find none.
std::string hint_for(const std::vector<EventInfo>& all, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    if (glob_hint(glob).empty()) continue;
    const auto count = std::ranges::count_if(
        all, [&](const EventInfo& event) { return fits("*" + glob + "*", event.name); });
    if (count > 0)
      return fmt::format("'*{}*' finds {} by parts of their names; --search looks at descriptions",
                         glob, count);
  }
  if (globs.empty()) return "each word has to be in the name, topic or description";
  const bool pattern = glob_hint(globs.front()).empty();
  return fmt::format("{}--search finds words of names and descriptions",
                     pattern ? "" : fmt::format("'*{}*' finds parts of names, ", globs.front()));
}

}  // namespace

bool Selection::accepts(const EventInfo& event) const {
  const auto named = [&](const std::string& glob) { return fits(glob, event.name); };
  return (globs.empty() || std::ranges::any_of(globs, named)) && fits(pmu, event.pmu) &&
         fits(topic, event.topic) && holds_words(event, search);
}

std::string Selection::text() const {
  std::vector<std::string> parts;
  if (!globs.empty()) parts.push_back(fmt::format("'{}'", fmt::join(globs, "' or '")));
  if (!search.empty()) parts.push_back(fmt::format("--search '{}'", fmt::join(search, " ")));
  if (!pmu.empty()) parts.push_back(fmt::format("--pmu '{}'", pmu));
  if (!topic.empty()) parts.push_back(fmt::format("--topic '{}'", topic));
  return fmt::format("{}", fmt::join(parts, " with "));
}

std::vector<EventInfo> all_events(const Machine& machine) {
  std::vector<EventInfo> events = machine.events(), kernel = machine.kernel_events(), out;
  out.reserve(events.size() + kernel.size());
  std::merge(std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()),
             std::make_move_iterator(kernel.begin()), std::make_move_iterator(kernel.end()),
             std::back_inserter(out), [](const EventInfo& a, const EventInfo& b) {
               return std::tie(a.pmu, a.name) < std::tie(b.pmu, b.name);
             });
  return out;
}

void tell_nothing(const Machine& machine, const std::vector<EventInfo>& all,
                  const Selection& selection) {
  const std::string& model = machine.cpu().model;
  const std::string where = model.empty() ? "this machine" : model;
  if (none_fits(all, selection.pmu, &EventInfo::pmu))
    return tell_error("no PMU of {} matches '{}' (there are {})", where, selection.pmu,
                      values_of(all, &EventInfo::pmu));
  if (none_fits(all, selection.topic, &EventInfo::topic))
    return tell_error("no topic of {} matches '{}' (there are {})", where, selection.topic,
                      values_of(all, &EventInfo::topic));
  tell_error("no event of {} matches {} ({})", where, selection.text(),
             hint_for(all, selection.globs));
}

}  // namespace evname::tools
