#include "metrics/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/text.hpp"
#include "output/event.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
std::string of_pmu(const MetricInfo& metric) {
  const bool only = metric.pmu.empty() || metric.pmu == "default_core" || metric.pmu == "software";
  return only ? "" : " (" + metric.pmu + ")";
}

namespace {

void add_info(JsonLine& line, const MetricInfo& metric) {
  line.text("name", metric.name).text("pmu", metric.pmu).texts("groups", metric.groups);
  line.text("desc", metric.desc).text("expr", metric.expr).text("simplified", metric.simplified);
  line.text("threshold", metric.threshold).real("scale", metric.scale).text("unit", metric.unit);
  line.text("constraint", to_string(metric.constraint));
  line.text("aggregation", to_string(metric.aggregation));
  line.boolean("shows_events", metric.shows_events);
  line.text("default_group", metric.default_group).texts("no_group", metric.no_group);
  line.text("model", metric.model);
}

void print_event_json(const std::string& metric, const MetricEvent& event) {
  for (const Encoding& e : event.encodings) {
    JsonLine line;
    line.text("metric", metric).text("event", event.text).text("pmu", e.pmu);
    add_code(line, e);
    line.text("terms", e.terms());
  }
  if (event.encodings.empty())
    JsonLine().text("metric", metric).text("event", event.text).text("problem", event.problem);
}

void print_event_text(const MetricEvent& event) {
  print_out("  {}\n", event.text);
  for (const Encoding& e : event.encodings)
    if (event.is_known())
      print_out("      {}  need not be counted: {}{}\n", perf_spelling(e), event.known,
                event.is_tool() ? " on this machine" : " cycles in the tables");
    else
      print_out("      {}  {}\n", e.pmu == "tool" ? "measured by perf itself" : perf_spelling(e),
                e.pmu == "tool" ? "" : code_words(e));
  if (event.encodings.empty()) print_out("      {}\n", event.problem);
}

void print_groups(const MetricSet& set, const std::string& metric, const MetricSchedule& made,
                  bool json) {
  if (!json && !made.groups.empty()) print_out("groups\n");
  for (const MetricSchedule::Group& group : made.groups) {
    std::vector<std::string> texts;
    for (const std::size_t index : group.events) texts.push_back(set.events()[index].text);
    const bool braces = group.together && texts.size() > 1;
    if (json)
      JsonLine().text("metric", metric).texts("group", texts).boolean("together", group.together);
    else
      print_out("  {}{}{}\n", braces ? "{" : "", joined(texts, ","), braces ? "}" : "");
  }
  if (!json && !made.why.empty()) print_out("  ({})\n", made.why);
}

void print_fact(const char* name, const std::string& value) {
  if (!value.empty()) print_out("  {:<12} {}\n", name, value);
}

void print_text(const MetricInfo& metric) {
  print_out("{}{}\n", metric.name, of_pmu(metric));
  print_fact("", metric.long_desc.empty() ? metric.desc : metric.long_desc);
  print_fact("formula", metric.expr);
  if (metric.simplified != metric.expr) print_fact("simplified", metric.simplified);
  print_fact("threshold", metric.threshold);
  if (metric.scale != 1 || !metric.unit.empty())
    print_fact("unit", fmt::format("{}, times {}", metric.unit, metric.scale));
  print_fact("groups", joined(metric.groups, ", "));
  print_fact("constraint", to_string(metric.constraint));
  print_fact("aggregation", to_string(metric.aggregation));
  print_fact("not grouped", joined(metric.no_group, ", "));
  print_fact("by default", metric.default_group);
  print_fact("model", metric.model);
}

/// As perf prints it, with one digit if there is a unit and else two; more if needed for three
/// significant digits.
std::string number_text(const MetricInfo& metric, const MetricSet::Value& value) {
  if (value.gives_up) return "-";
  const double size = std::abs(value.value);
  const int least = metric.unit.empty() && metric.scale == 1 ? 2 : 1;
  if (size == 0 || !std::isfinite(size)) return fmt::format("{:.{}f}", value.value, least);
  constexpr double kSmallest = 1e-4;
  if (size < kSmallest) return fmt::format("{:.2e}", value.value);
  const int digits = 2 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value.value, std::max(least, digits));
}

/// The reason in the counts why an event has none.
std::string_view state_of(const CountGroup& from, const std::string& event) {
  for (const CountedEvent& counted : from.counts) {
    const std::string_view name = counted.event;
    if (!starts_ignoring_case(name, event)) continue;
    if (name.size() > event.size() && name[event.size()] != ':') continue;
    if (!counted.is_counted()) return counted.supported ? "not counted" : "not supported";
  }
  return from.counts.empty() ? "not counted" : "not among the counts";
}

std::string why_missing(const CountGroup& from, std::span<const std::string> missing) {
  std::map<std::string_view, std::vector<std::string>> by_state;
  for (const std::string& event : missing) by_state[state_of(from, event)].push_back(event);
  std::string out;
  for (const auto& [state, events] : by_state)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", state, joined(events, ", "));
  return out;
}

}  // namespace

void print_metrics(std::span<const MetricInfo> metrics, bool json) {
  std::size_t width = 0;
  for (const MetricInfo& metric : metrics)
    width = std::max(width, metric.name.size() + of_pmu(metric).size());
  for (const MetricInfo& metric : metrics) {
    if (json) {
      JsonLine line;
      add_info(line, metric);
    } else {
      print_out("{:<{}}  {}\n", metric.name + of_pmu(metric), width,
                metric.desc.empty() ? metric.simplified : metric.desc);
    }
  }
}

void print_group(const MetricInfo::Group& group, bool json) {
  if (json)
    JsonLine().text("name", group.name).text("desc", group.desc).number("metrics", group.metrics);
  else
    print_out("{:<28} {:>4}  {}\n", group.name, group.metrics, group.desc);
}

void print_infos(std::span<const MetricInfo> metrics, bool json) {
  for (const MetricInfo& metric : metrics) {
    if (!json) {
      print_text(metric);
      continue;
    }
    JsonLine line;
    add_info(line, metric);
    line.text("long_desc", metric.long_desc);
  }
}

bool print_set(const MetricSet& set, ScheduleOptions options, bool json) {
  bool all = true;
  for (std::size_t i = 0; i < set.metrics().size(); ++i) {
    const MetricInfo& metric = set.metrics()[i];
    print_infos(std::span(&metric, 1), json);
    if (!json && !set.events_of(i).empty()) print_out("events\n");
    for (const std::size_t index : set.events_of(i)) {
      const MetricEvent& event = set.events()[index];
      if (json)
        print_event_json(metric.name, event);
      else
        print_event_text(event);
      all &= !event.encodings.empty();
    }
    options.constraint = metric.constraint;
    if (const auto made = set.schedule(set.events_of(i), options))
      print_groups(set, metric.name, *made, json);
    else
      tell_error("{}: {}", metric.name, made.error().text());
  }
  return all;
}

Lack lack_of(const MetricSet& set, std::size_t metric, std::span<const EventCount> counts,
             const MetricSet::Value& value, const CountGroup& from) {
  Lack lack;
  std::vector<std::string> zeros;
  for (const std::size_t index : set.events_of(metric)) {
    const std::string& event = set.events()[index].text;
    if (std::isnan(counts[index].value) && !set.events()[index].is_known())
      lack.missing.push_back(event);
    if (counts[index].value == 0) zeros.push_back(event);
  }
  if (!lack.missing.empty())
    lack.why = why_missing(from, lack.missing);
  else if (!value.has_value())
    lack.why = zeros.empty() ? "divided by 0"
                             : fmt::format("divided by 0: {} {} 0", joined(zeros, " and "),
                                           zeros.size() > 1 ? "are" : "is");
  return lack;
}

std::string value_line(const MetricInfo& metric, const MetricSet::Value& value,
                       const CountGroup& from, const Lack& lack, bool json) {
  std::string out;
  if (json) {
    JsonLine line(&out);
    if (from.time) line.real("time", *from.time);
    if (!from.place.empty()) line.text("place", from.place);
    line.text("metric", metric.name);
    if (!of_pmu(metric).empty()) line.text("pmu", metric.pmu);
    value.has_value() ? line.real("value", value.value) : line.null("value");
    line.text("unit", metric.unit);
    if (value.beyond) line.boolean("beyond", *value.beyond);
    if (!lack.missing.empty()) line.texts("missing", lack.missing);
    if (!lack.why.empty()) line.text("why", lack.why);
  } else {
    if (from.time) out += fmt::format("{:>16.9f} ", *from.time);
    if (!from.place.empty()) out += fmt::format("{:<12} ", shown(from.place));
    out += fmt::format("{:>16} {:<8} {}{}", number_text(metric, value), shown(metric.unit),
                       shown(metric.name), of_pmu(metric));
    if (value.beyond && *value.beyond) out += "  !";
    if (!lack.why.empty()) out += fmt::format("  ({})", shown(lack.why));
    out += '\n';
  }
  return out;
}

void print_value(const MetricInfo& metric, const MetricSet::Value& value, const CountGroup& from,
                 const Lack& lack, bool json) {
  to_stdout(value_line(metric, value, from, lack, json));
}

}  // namespace evname::tools
