// evname schedule: finds out which events can be counted together, and splits others into groups.

#include "evname/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "evname/attr.hpp"
#include "input/machine.hpp"
#include "output/event.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ScheduleArguments {
  MachineOptions machine;
  bool json = false;
  std::string nmi_watchdog = "auto", smt = "auto";
  std::optional<unsigned> counters;
  int constraint = static_cast<int>(GroupConstraint::none);
  std::vector<std::string> events;
};

ScheduleOptions schedule_options(const ScheduleArguments& options) {
  const MachineOptions& machine = options.machine;
  const bool live = machine.cpu.empty() && machine.input.empty() && machine.sysfs.empty();
  ScheduleOptions out = live ? ScheduleOptions::live() : ScheduleOptions{};
  out.constraint = static_cast<GroupConstraint>(options.constraint);
  if (options.nmi_watchdog != "auto") out.nmi_watchdog = options.nmi_watchdog == "on";
  if (options.smt != "auto") {
    out.smt = options.smt == "on";
    out.generic_counters.reset();
  }
  if (options.counters) out.generic_counters = options.counters;
  return out;
}

/// Of all queries together; false: some name none.
bool resolve_all(const Machine& machine, const ScheduleArguments& options,
                 std::vector<Encoding>* out) {
  bool all = true;
  for (const std::string& query : expand_queries(options.events)) {
    auto encodings = resolve_query(machine, query, options.json);
    all &= encodings.has_value();
    if (!encodings) continue;
    const std::size_t first = out->size();
    for (Encoding& e : *encodings) {
      e.leader += first;
      out->push_back(std::move(e));
    }
  }
  return all;
}

/// Without modifiers that only a group written by hand can have, or (D, e) only its leader.
std::string event_modifiers(const Encoding& e, bool leads) {
  std::string out = e.modifiers;
  std::erase_if(out, [&](char c) { return c == 'W' || (!leads && (c == 'D' || c == 'e')); });
  return out;
}

/// Returns true if the text resolves to this code on these PMUs and on no others.
bool means(const Machine& machine, const std::string& text, const Encoding& e,
           const std::vector<std::string>& pmus) {
  const auto found = machine.resolve(text);
  if (!found) return false;
  std::set<std::string_view> meant;
  for (const Encoding& one : *found) {
    if (words_of(one.code) != words_of(e.code)) return false;
    meant.insert(one.pmu);
  }
  return meant == std::set<std::string_view>(pmus.begin(), pmus.end());
}

/// Returns the event on one of several PMUs in the syntax of perf's -e.
std::string event_on_pmu(const Machine& machine, const Schedule& schedule, const Encoding& e,
                         const std::string& pmu) {
  if (e.source != Source::raw)
    if (std::string text = fmt::format("{}/{}/", pmu, e.name); means(machine, text, e, {pmu}))
      return text + e.modifiers;
  for (const Encoding& other : schedule.events)
    if (other.pmu == pmu && other.name == e.name && words_of(other.code) == words_of(e.code)) {
      Encoding there = other;
      there.modifiers = e.modifiers;
      return perf_spelling(there);
    }
  return perf_spelling(e);
}

/// Returns the syntax of perf's -e: the name if it means only these PMUs, else each PMU named.
std::string event_text(const Machine& machine, const Schedule& schedule, const Encoding& e,
                       bool leads, const std::vector<std::string>& pmus) {
  Encoding plain = e;
  plain.modifiers = event_modifiers(e, leads);
  const bool of_pmu = std::find(pmus.begin(), pmus.end(), e.pmu) != pmus.end();
  if (!of_pmu) return perf_spelling(plain);
  const std::string name(e.name);
  if (!e.has_given_name() && means(machine, name, e, pmus)) return full_name(plain);
  std::vector<std::string> each;
  for (const std::string& pmu : pmus) each.push_back(event_on_pmu(machine, schedule, plain, pmu));
  return joined(each, ",");
}

std::vector<std::string> event_texts(const Machine& machine, const Schedule& schedule,
                                     const Schedule::Pmu& pmu, const Schedule::Group& group) {
  std::vector<std::string> out;
  for (const Schedule::Event& one : group)
    out.push_back(event_text(machine, schedule, schedule.events[one.event], out.empty(), pmu.pmus));
  return out;
}

/// "uncore_cha_0 and 27 more"
std::string pmus_text(const Schedule::Pmu& pmu) {
  return pmu.pmus.size() == 1
             ? pmu.pmus.front()
             : fmt::format("{} and {} more", pmu.pmus.front(), pmu.pmus.size() - 1);
}

void print_text(const Machine& machine, const Schedule& schedule) {
  std::vector<std::string> groups;
  for (const Schedule::Pmu& pmu : schedule.pmus) {
    for (const Schedule::Group& group : pmu.groups) {
      const auto events = event_texts(machine, schedule, pmu, group);
      const bool braces = events.size() > 1 && pmu.grouped;
      groups.push_back(
          fmt::format("{}{}{}", braces ? "{" : "", joined(events, ","), braces ? "}" : ""));
    }
    if (pmu.why.empty()) continue;
    tell_note("{}: {} groups{}: {}", pmus_text(pmu), pmu.groups.size(),
              pmu.smallest ? "" : " (fewer may do)", pmu.why);
  }
  print_out("{}\n", joined(groups, ","));
}

void print_json(const Machine& machine, const Schedule& schedule) {
  for (const Schedule::Pmu& pmu : schedule.pmus)
    for (std::size_t i = 0; i < pmu.groups.size(); ++i) {
      std::vector<std::string> counters;
      for (const Schedule::Event& one : pmu.groups[i]) counters.push_back(one.counter);
      JsonLine line;
      line.texts("pmus", pmu.pmus).number("group", i).number("groups", pmu.groups.size());
      line.texts("events", event_texts(machine, schedule, pmu, pmu.groups[i]));
      line.texts("counters", counters).number("generic_counters", pmu.generic_counters);
      line.number("fixed_counters", pmu.fixed_counters).boolean("grouped", pmu.grouped);
      line.boolean("smallest", pmu.smallest).text("why", pmu.why);
    }
}

int schedule(const ScheduleArguments& options) {
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine)) return kUnusable;
  std::vector<Encoding> encodings;
  const bool all = resolve_all(*machine, options, &encodings);
  if (encodings.empty()) return kPartial;
  const auto made = evname::schedule(*machine, encodings, schedule_options(options));
  if (!made) {
    if (options.json)
      JsonLine().text("error", made.error().text());
    else
      tell_error("{}", made.error().text());
    return kPartial;
  }
  for (const std::string& note : made->warnings) tell_note("{}", note);
  if (options.json)
    print_json(*machine, *made);
  else
    print_text(*machine, *made);
  return all ? kDone : kPartial;
}

}  // namespace

void add_schedule(Command& command) {
  auto& options = command.runs(schedule);
  options.machine.add_to(command);
  command.flag("--json", options.json, "One JSON object per line, one for each group");
  command
      .option("--nmi-watchdog", options.nmi_watchdog,
              "Whether the NMI watchdog takes a counter; auto: as on this machine, off for others")
      .one_of({"on", "off", "auto"});
  command
      .option("--smt", options.smt,
              "Whether threads share a core; auto: as on this machine, on for others")
      .one_of({"on", "off", "auto"});
  command.option("--counters", options.counters, "Generic counters that the core PMU has")
      .between(1, 64);
  command.choice(
      "--constraint", options.constraint,
      "MetricConstraint: NO_GROUP_EVENTS, NO_GROUP_EVENTS_NMI, NO_GROUP_EVENTS_SMT, "
      "NO_THRESHOLD_AND_NMI",
      {{"NO_GROUP_EVENTS", static_cast<int>(GroupConstraint::no_group_events)},
       {"NO_GROUP_EVENTS_NMI", static_cast<int>(GroupConstraint::no_group_events_nmi)},
       {"NO_GROUP_EVENTS_SMT", static_cast<int>(GroupConstraint::no_group_events_smt)},
       {"NO_THRESHOLD_AND_NMI", static_cast<int>(GroupConstraint::no_threshold_and_nmi)}});
  command
      .option("EVENT", options.events,
              "What perf's -e takes; groups in braces stay whole; - reads standard input")
      .required();
  command.notes(
      "Prints the fewest groups; standard error says why one is not enough. Exit code 1: an\n"
      "event is unknown, or one or a group of braces can't be counted at all.");
}

}  // namespace evname::tools
