// evname list: lists the events of a machine, or the CPUs that --cpu accepts.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/glob.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/cpu/find_model.hpp"
#include "events/machine/code_lists.hpp"
#include "events/overlay/overlay.hpp"
#include "evname/attr.hpp"
#include "evname/counters.hpp"
#include "evname/machine.hpp"
#include "input/machine.hpp"
#include "output/event.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

/// An event has to satisfy all that are given. Case does not matter.
struct Selection {
  std::vector<std::string> globs;   ///< one of them for the name
  std::vector<std::string> search;  ///< words, each of them in the name, topic or a description
  std::string pmu, topic;           ///< globs

  /// The query: "'l2_*'".
  std::string text() const;
};

/// A glob in any case; an empty one fits everything.
class Pattern {
 public:
  explicit Pattern(const std::string& glob) : glob_(glob.empty() ? "*" : to_lower(glob)) {}
  bool fits(const std::string& text) const { return glob_.matches(to_lower(text)); }

 private:
  Glob glob_;
};

/// The words of all searches, in lower case.
std::vector<std::string> search_words(const std::vector<std::string>& searches) {
  std::vector<std::string> words;
  for (const std::string& search : searches)
    for (const std::string_view word : split(search, ' '))
      if (!trim(word).empty()) words.push_back(to_lower(trim(word)));
  return words;
}

bool holds_words(const EventInfo& event, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  const std::string text = to_lower(fmt::format("{}\n{}\n{}\n{}\n{}", event.name, event.topic,
                                                event.desc, event.long_desc, event.errata));
  return std::ranges::all_of(words,
                             [&](const std::string& word) { return text.find(word) != text.npos; });
}

/// The values of a member, each once.
std::string values_of(const std::vector<EventInfo>& events, std::string EventInfo::*member) {
  std::set<std::string> values;
  for (const EventInfo& event : events)
    if (!(event.*member).empty()) values.insert(event.*member);
  return joined(values, ", ");
}

bool none_fits(const std::vector<EventInfo>& all, const std::string& glob,
               std::string EventInfo::*member) {
  const Pattern pattern(glob);
  return std::ranges::none_of(all,
                              [&](const EventInfo& event) { return pattern.fits(event.*member); });
}

/// Suggests other globs if the given ones match nothing.
std::string hint_for(const std::vector<EventInfo>& all, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    if (glob_hint(glob).empty()) continue;
    const Pattern part("*" + glob + "*");
    const auto count =
        std::ranges::count_if(all, [&](const EventInfo& event) { return part.fits(event.name); });
    if (count > 0)
      return fmt::format("'*{}*' finds {} by parts of their names; --search looks at descriptions",
                         glob, count);
  }
  if (globs.empty()) return "each word has to be in the name, topic or description";
  const bool pattern = glob_hint(globs.front()).empty();
  return fmt::format("{}--search finds words of names and descriptions",
                     pattern ? "" : fmt::format("'*{}*' finds parts of names, ", globs.front()));
}

std::vector<EventInfo> selected(const Selection& selection, const std::vector<EventInfo>& all) {
  const Pattern pmu(selection.pmu), topic(selection.topic);
  std::vector<Pattern> names;
  for (const std::string& glob : selection.globs) names.emplace_back(glob);
  const std::vector<std::string> words = search_words(selection.search);
  std::vector<EventInfo> out;
  for (const EventInfo& event : all) {
    const auto is_named = [&](const Pattern& name) { return name.fits(event.name); };
    if ((names.empty() || std::ranges::any_of(names, is_named)) && pmu.fits(event.pmu) &&
        topic.fits(event.topic) && holds_words(event, words))
      out.push_back(event);
  }
  return out;
}

std::string Selection::text() const {
  std::vector<std::string> parts;
  if (!globs.empty()) parts.push_back(fmt::format("'{}'", joined(globs, "' or '")));
  if (!search.empty()) parts.push_back(fmt::format("--search '{}'", joined(search, " ")));
  if (!pmu.empty()) parts.push_back(fmt::format("--pmu '{}'", pmu));
  if (!topic.empty()) parts.push_back(fmt::format("--topic '{}'", topic));
  return joined(parts, " with ");
}

/// Leaves out the generic events that this machine's PMU does not have. Returns how many.
std::size_t leave_out_missing(const Machine& machine, std::vector<EventInfo>& events) {
  const auto is_missing = [&](const EventInfo& event) {
    if (event.pmu != "hardware" && event.pmu != "hw_cache") return false;
    const auto opened = Counters::open(machine, event.name + ":u");
    return !opened && opened.error().code == Errc::unsupported;
  };
  return std::erase_if(events, is_missing);
}

/// All events of the machine: of its tables and PMUs, of the kernel and of perf; sorted by PMU,
/// then name.
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

/// Returns the events of PMUs that the machine may have, if no others match the globs.
std::vector<EventInfo> possible_events(const Machine& machine, std::span<const std::string> globs) {
  std::vector<EventInfo> out;
  for (const std::string& glob : globs)
    for (EventInfo& event : machine.events(glob)) out.push_back(std::move(event));
  return out;
}

/// Reports on stderr that nothing was selected, and similar names.
void tell_nothing(const Machine& machine, const std::vector<EventInfo>& all,
                  const Selection& selection) {
  const std::string& model = machine.cpu().model;
  const std::string where = model.empty() ? "this machine" : model;
  if (none_fits(all, selection.pmu, &EventInfo::pmu))
    tell_error("no PMU of {} matches '{}' (there are {})", where, selection.pmu,
               values_of(all, &EventInfo::pmu));
  else if (none_fits(all, selection.topic, &EventInfo::topic))
    tell_error("no topic of {} matches '{}' (there are {})", where, selection.topic,
               values_of(all, &EventInfo::topic));
  else
    tell_error("no event of {} matches {} ({})", where, selection.text(),
               hint_for(all, selection.globs));
}

struct ListedCpu {
  std::string arch, model;
  std::vector<std::string> names, patterns;
  std::size_t events = 0;
  std::string source;  ///< where the events are from
};

/// Sets the source and the number of the events, with those from the directory included.
void add_directory(ListedCpu& cpu, const std::string& example_cpuid, const std::string& events) {
  cpu.source = events;
  const auto machine =
      Machine::named(example_cpuid.empty() ? cpu.arch + "/" + cpu.model : example_cpuid, {}, {},
                     UserEvents::leave_out);
  if (const auto with = machine ? machine->with_events(events) : machine) {
    const std::vector<EventInfo> all = with->events();  // drivers' are not of the tables
    cpu.events =
        static_cast<std::size_t>(std::ranges::count(all, Source::table, &EventInfo::source));
  }
}

std::vector<ListedCpu> all_cpus() {
  std::vector<ListedCpu> out;
  const auto rows = cpu::cpu_patterns();
  for (const ModelInfo& model : models()) {
    ListedCpu cpu{std::string(model.arch), std::string(model.name), {}, {}, model.events, {}};
    for (const auto& names : {model.short_names, model.other_names})
      cpu.names.insert(cpu.names.end(), names.begin(), names.end());
    for (const cpu::CpuPattern& row : rows)
      if (row.arch == model.arch && row.model == model.name) cpu.patterns.emplace_back(row.pattern);
    out.push_back(std::move(cpu));
  }
  return out;
}

/// An argument: a glob of names, or one CPU as for --cpu.
struct Wanted {
  std::string text;  ///< lower case
  Glob glob;
  std::string arch, model;
};

Wanted wanted_by(const std::string& text) {
  Wanted wanted{to_lower(text), Glob(to_lower(text)), {}, {}};
  const auto machine = Machine::named(text);
  if (!machine) return wanted;
  const CpuInfo& cpu = machine->cpu();
  if (cpu.matched_by == MatchedBy::cpuid || cpu.matched_by == MatchedBy::name) {
    wanted.arch = cpu.arch;
    wanted.model = cpu.model;
  }
  return wanted;
}

bool is_like(const ListedCpu& cpu, const Wanted& wanted) {
  const std::string model = to_lower(cpu.model);
  const auto fits = [&](const std::string& name) { return wanted.glob.matches(name); };
  return (cpu.arch == wanted.arch && cpu.model == wanted.model) || fits(model) ||
         fits(std::string(last_part(model))) || fits(cpu.arch) || fits(cpu.arch + "/" + model) ||
         std::ranges::any_of(cpu.names, fits) ||
         std::ranges::any_of(cpu.patterns, [&](std::string_view pattern) {
           return to_lower(pattern) == wanted.text;
         });
}

bool holds(const ListedCpu& cpu, const std::string& words) {
  const std::string text = to_lower(fmt::format("{} {} {} {}", cpu.arch, cpu.model,
                                                joined(cpu.names, " "), joined(cpu.patterns, " ")));
  return std::ranges::all_of(split(words, ' '), [&](std::string_view word) {
    return text.find(to_lower(word)) != text.npos;
  });
}

std::string source_of(const ListedCpu& cpu) {
  const auto machine = Machine::named(cpu.arch + "/" + cpu.model);
  const std::string built_in = machine ? machine->cpu().source : std::string();
  if (cpu.source.empty() || built_in.empty()) return cpu.source + built_in;
  return cpu.source + "; " + built_in;
}

/// Adds the models of the directory, with its rows before the build's. Returns false after
/// reporting why the directory can't be read.
bool add_models(const std::string& events, std::vector<ListedCpu>& cpus) {
  const auto found = overlay::models_in(events);
  if (!found) return tell_error("{}", found.error().text());
  for (const overlay::DirectoryModel& model : *found) {
    const auto is_model = [&](const ListedCpu& cpu) {
      return cpu.arch == model.arch && cpu.model == model.name;
    };
    auto at = std::ranges::find_if(cpus, is_model);
    if (at == cpus.end()) at = cpus.insert(at, {model.arch, model.name, {}, {}, 0, {}});
    for (const std::string& pattern : model.patterns)
      if (std::ranges::find(at->patterns, pattern) == at->patterns.end())
        at->patterns.push_back(pattern);
    add_directory(*at, model.example_cpuid, events);
  }
  sort_stably_by(cpus, [](const ListedCpu& cpu) { return std::tie(cpu.arch, cpu.model); });
  return true;
}

void print_text(const std::vector<ListedCpu>& cpus) {
  std::size_t model = 0;
  for (const ListedCpu& cpu : cpus) model = std::max(model, cpu.model.size());
  for (const ListedCpu& cpu : cpus) {
    print_out("{}  {:<8}{:>6} events  {}\n", colored(Role::event, cpu.model, model), cpu.arch,
              cpu.events, joined(cpu.patterns, "  "));
    if (const std::string source = source_of(cpu); !source.empty())
      print_out("{:{}}  from {}\n", "", model, source);
    if (!cpu.names.empty()) print_out("{:{}}  also {}\n", "", model, joined(cpu.names, ", "));
  }
}

void print_json(const ListedCpu& cpu) {
  JsonLine line;
  line.text("arch", cpu.arch).text("model", cpu.model).texts("names", cpu.names);
  line.texts("patterns", cpu.patterns).number("events", cpu.events);
  line.text("source", source_of(cpu));
}

/// Prints a line for each model with a name or pattern that matches one of the globs, or with a
/// CPUID string among them; all models without globs. Includes the models of the directory
/// `events`, if it is not empty. Returns the exit code.
int list_cpus(const std::vector<std::string>& globs, const std::vector<std::string>& search,
              const std::string& events, bool json) {
  std::vector<ListedCpu> cpus = all_cpus();
  if (!events.empty() && !add_models(events, cpus)) return kUnusable;
  std::vector<Wanted> wanted;
  for (const std::string& glob : globs) wanted.push_back(wanted_by(glob));
  std::erase_if(cpus, [&](const ListedCpu& cpu) {
    const auto like = [&](const Wanted& one) { return is_like(cpu, one); };
    const auto found = [&](const std::string& words) { return holds(cpu, words); };
    return (!wanted.empty() && std::ranges::none_of(wanted, like)) ||
           !std::ranges::all_of(search, found);
  });
  if (!json) print_text(cpus);
  if (json)
    for (const ListedCpu& cpu : cpus) print_json(cpu);
  if (!cpus.empty()) return kDone;
  tell_error("no CPU matches {} (`evname list --cpus` lists all)",
             joined(globs.empty() ? search : globs, ", "));
  return kPartial;
}

/// The events by libpfm4's names, with the tables' names of their codes.
std::vector<EventInfo> pfm4_events(const Machine& machine) {
  std::map<std::pair<std::string, std::string>, EventInfo> own;
  for (EventInfo& event : all_events(machine))
    own.try_emplace({event.pmu, event.name}, std::move(event));
  std::vector<EventInfo> out;
  for (machine::Pfm4Name& name : machine::pfm4_names(machine)) {
    const CodeNames names = is_generic_type(name.code.type) && name.code.has_type
                                ? machine.names_of(name.code)
                                : machine.names_of(name.pmu, name.code);
    EventInfo event;
    if (names.exact && !names.names.empty())
      if (const auto at = own.find({name.pmu, names.names.front()}); at != own.end())
        event = at->second;
    event.name = std::move(name.name);
    event.pmu = std::move(name.pmu);
    event.terms = names.terms;
    out.push_back(std::move(event));
  }
  return out;
}

struct ListArguments {
  MachineOptions machine;
  std::string style = "perf";
  bool json = false;
  bool cpus = false;
  Selection selection;
};

constexpr std::size_t kPiece = 1 << 13;

void print(fmt::memory_buffer& out) {
  to_stdout({out.data(), out.size()});
  out.clear();
}

void print_text(const std::vector<EventInfo>& events) {
  std::size_t name = 0, pmu = 0;
  for (const EventInfo& event : events) {
    name = std::max(name, event.name.size());
    pmu = std::max(pmu, event.pmu.size());
  }
  fmt::memory_buffer out;
  for (const EventInfo& event : events) {
    out.append(colored(Role::event, event.name, name + 2));
    out.append(colored(Role::pmu, event.pmu, pmu + 2));
    if (event.deprecated) out.append(colored(Role::warning, "(deprecated)", 13));
    out.append(event.desc.empty() ? event.terms : event.desc);
    out.push_back('\n');
    if (out.size() > kPiece) print(out);
  }
  print(out);
}

int list(const ListArguments& options) {
  const Selection& selection = options.selection;
  if (options.cpus)
    return list_cpus(selection.globs, selection.search, options.machine.events, options.json);
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine, true)) return kUnusable;
  const auto all = options.style == "pfm4" ? pfm4_events(*machine) : all_events(*machine);
  auto events = selected(selection, all);
  if (events.empty() && options.style == "perf")
    events = selected(selection, possible_events(*machine, selection.globs));
  const MachineOptions& of = options.machine;
  const bool is_live = of.cpu.empty() && of.input.empty() && of.sysfs.empty();
  const std::size_t missing = is_live ? leave_out_missing(*machine, events) : 0;
  if (options.json) {
    for (const EventInfo& event : events) print_event_json(event);
  } else {
    print_text(events);
  }
  if (!events.empty()) return kDone;
  if (missing != 0) {
    tell_error("no event that this machine's PMU has matches {}", selection.text());
    return kPartial;
  }
  tell_nothing(*machine, all, selection);
  return kPartial;
}

}  // namespace

void add_list(Command& command) {
  auto& options = command.runs(list);
  options.machine.add_to(command);
  command
      .option("--search", options.selection.search,
              "Only events with all these words in name, topic or description: 'l3 miss'")
      .value_name("WORDS")
      .one_value_each();
  command.option("--pmu", options.selection.pmu, "Only events of PMUs like this: 'uncore_*'")
      .value_name("PMU");
  command.option("--topic", options.selection.topic, "Only events of topics like this: memory")
      .value_name("TOPIC");
  command.flag(
      "--cpus", options.cpus,
      "Instead of events, list the CPUs that --cpu takes, with the CPUIDs and names of each, the "
      "number of its events and where they are from");
  command
      .option("--style", options.style,
              "Whose names: perf's or libpfm4's (skx::MEM_LOAD_RETIRED:L3_MISS)")
      .one_of({"perf", "pfm4"});
  command.flag("--json", options.json, "One JSON object per line");
  command.option("GLOB", options.selection.globs,
                 "Only names like this (any case), such as 'l2_*'; one or more");
  command.notes(
      "Lists the events of the model's tables and of the machine's PMUs; the generic events of "
      "the\n"
      "kernel, which are hardware, software and cache events, but of this machine only those that\n"
      "its PMU has; what perf itself measures; and the tracepoints that the machine or the "
      "recording\n"
      "has.");
}

}  // namespace evname::tools
