#include "stat/metric_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/enum_table.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "metrics/options.hpp"
#include "metrics/output.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

bool may_group(GroupConstraint constraint, const ScheduleOptions& options) {
  switch (constraint) {
    case GroupConstraint::none:
      return true;
    case GroupConstraint::no_group_events_nmi:
    case GroupConstraint::no_threshold_and_nmi:
      return !options.nmi_watchdog;
    case GroupConstraint::no_group_events_smt:
      return !options.smt;
    default:
      return false;
  }
}

/// "{a,b}:W", "a"
std::string query_text(const MetricSet& set, std::span<const std::size_t> events, bool together) {
  std::vector<std::string> texts;
  for (const std::size_t index : events) texts.push_back(set.events()[index].text);
  const bool braces = together && texts.size() > 1;
  return fmt::format("{}{}{}", braces ? "{" : "", joined(texts, ","), braces ? "}:W" : "");
}

bool is_same_code(const Encoding& a, const Encoding& b) {
  return a.pmu == b.pmu && evname::words_of(a.code) == evname::words_of(b.code);
}

}  // namespace

double RunTimes::of(ToolTime time) const {
  constexpr auto kMembers =
      enum_values<ToolTime, double RunTimes::*>({{ToolTime::none, nullptr},
                                                 {ToolTime::elapsed, &RunTimes::elapsed},
                                                 {ToolTime::user, &RunTimes::user},
                                                 {ToolTime::system, &RunTimes::system}});
  const auto member = kMembers[time].value;
  return member != nullptr ? this->*member : std::numeric_limits<double>::quiet_NaN();
}

bool add_meant_metrics(const Machine& machine, StatOptions& options) {
  if (options.metric_only && !options.topdown && options.of_default_events())
    options.metrics.emplace_back("Default");
  if (!options.topdown) return true;
  unsigned most = 0;
  for (const MetricInfo::Group& group : list_metric_groups(machine))
    for (unsigned level = 1; level <= 9; ++level)
      if (group.name == fmt::format("TopdownL{}", level)) most = std::max(most, level);
  if (most == 0)
    return tell_error("{} has no metrics of the top-down tree (group TopdownL1)",
                      machine.cpu().model.empty() ? "this machine" : machine.cpu().model);
  if (options.topdown_level > most)
    return tell_error("--td-level {}: the tree has {} levels here", options.topdown_level, most);
  options.metric_only = true;
  options.metrics.push_back(fmt::format("TopdownL{}", std::max(options.topdown_level, 1U)));
  return true;
}

std::optional<MetricRows> MetricRows::plan(const Machine& machine, const StatOptions& options) {
  MetricFacts facts = MetricFacts::live(machine);
  options.add_to(facts);
  auto set = metric_set(machine, facts, options.metrics, options.expressions);
  if (!set) return std::nullopt;
  MetricRows rows(std::move(*set), ScheduleOptions::live());
  const auto metrics = rows.set_.metrics();
  std::vector<std::size_t> order(metrics.size());
  std::iota(order.begin(), order.end(), 0);
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    return rows.set_.events_of(a).size() > rows.set_.events_of(b).size();
  });
  const auto pmus = machine.pmus();
  const auto is_of_other_core = [&](const MetricInfo& metric) {
    return !options.cpu_type.empty() && metric.pmu != options.cpu_type &&
           std::ranges::any_of(
               pmus, [&](const PmuInfo& pmu) { return pmu.is_core && pmu.name == metric.pmu; });
  };
  for (const std::size_t i : order)
    if (!is_of_other_core(metrics[i]))
      rows.add_metric(i,
                      !options.metric_no_group && may_group(metrics[i].constraint, rows.options_));
  return rows;
}

std::vector<const MetricInfo*> MetricRows::metrics() const {
  std::vector<std::size_t> chosen;
  for (const Group& group : groups_)
    chosen.insert(chosen.end(), group.metrics.begin(), group.metrics.end());
  sort_stably(chosen);
  std::vector<const MetricInfo*> out;
  for (const std::size_t metric : chosen) out.push_back(&set_.metrics()[metric]);
  return out;
}

/// Returns true if a group shares an event with some events. The shared event needs only one
/// counter if all fit on the counters together.
bool MetricRows::may_join(const Group& group, std::span<const std::size_t> events) const {
  std::vector<std::size_t> common, all;
  std::ranges::set_intersection(group.events, events, std::back_inserter(common));
  if (!group.together || common.empty()) return false;
  std::ranges::set_union(group.events, events, std::back_inserter(all));
  const auto made = set_.schedule(all, options_);
  return made && made->groups.size() == 1;
}

void MetricRows::add_metric(std::size_t metric, bool together) {
  const auto events = set_.events_of(metric);
  const auto has_all = [&](const Group& group) {
    return group.together == together && std::ranges::includes(group.events, events);
  };
  auto at = std::ranges::find_if(groups_, has_all);
  if (at == groups_.end() && together)
    at = std::ranges::find_if(groups_, [&](const Group& group) { return may_join(group, events); });
  if (at == groups_.end() && !together)  // one for all single events
    at = std::ranges::find(groups_, false, &Group::together);
  if (at == groups_.end()) at = groups_.insert(at, Group{{}, {}, together});
  std::vector<std::size_t> all;
  std::ranges::set_union(at->events, events, std::back_inserter(all));
  at->events = std::move(all);
  at->metrics.push_back(metric);
}

std::vector<std::string> MetricRows::queries() const {
  std::vector<std::string> out;
  for (const Group& group : groups_) {
    std::vector<std::string> parts;
    const auto made = set_.schedule(group.events, options_);
    if (!made) tell_note("{}", made.error().text());
    if (made && group.together) {
      for (const auto& one : made->groups)
        parts.push_back(query_text(set_, one.events, one.together));
    } else {
      for (const std::size_t index : group.events)
        if (const MetricEvent& event = set_.events()[index];
            !event.is_tool() && !event.is_known() && !event.encodings.empty())
          parts.push_back(event.text);
    }
    out.push_back(joined(parts, ","));
  }
  return out;
}

EventCount MetricRows::count_of(const MetricEvent& event, std::span<const Row> rows,
                                std::size_t query, const RunTimes& times) const {
  EventCount sum;
  if (event.tool_time() != ToolTime::none) return {times.of(event.tool_time()), 1};
  for (const Row& row : rows) {
    const auto is_own = [&](const Encoding& e) { return is_same_code(e, *row.encoding); };
    if (row.query != query || !row.encoding || row.problem ||
        std::ranges::none_of(event.encodings, is_own))
      continue;
    if (row.value.running == 0 && row.value.enabled > 0) continue;
    sum.value = (sum.sources == 0 ? 0 : sum.value) + row.value.scaled;
    ++sum.sources;
  }
  return sum;
}

std::vector<MetricRow> MetricRows::values(std::span<const Row> rows, std::size_t first,
                                          const RunTimes& times) const {
  std::vector<MetricRow> out(set_.metrics().size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<EventCount> counts(set_.events().size());
    for (const std::size_t index : groups_[g].events)
      counts[index] = count_of(set_.events()[index], rows, first + g, times);
    const auto values = set_.evaluate(counts);
    const bool is_here = std::ranges::find(rows, first + g, &Row::query) != rows.end();
    for (const std::size_t metric : groups_[g].metrics) {
      MetricRow& row = out[metric] = {&set_.metrics()[metric], values[metric],
                                      lack_of(set_, metric, counts, values[metric], {})};
      // max(1 - x, 0) is a number for any x, but cores of another kind must have no value
      if (row.lack.missing.empty()) continue;
      row.value = {};
      row.value.gives_up = !is_here || values[metric].gives_up;
    }
  }
  std::erase_if(out, [](const MetricRow& row) { return row.metric == nullptr; });
  return out;
}

}  // namespace evname::tools
