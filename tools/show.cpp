// evname show: prints everything known about one event.

#include <fmt/format.h>

#include <algorithm>

#include "base/letters.hpp"
#include "events/machine/code_lists.hpp"
#include "input/machine.hpp"
#include "output/event.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ShowArguments {
  MachineOptions machine;
  bool json = false;
  std::string event;
};

/// The facts about an event on one PMU, and its codes: one for each instance of the PMU.
struct Shown {
  std::string title;  ///< as in the request: with modifiers, or a raw code
  EventInfo info;     ///< only has the name if nothing is known
  std::vector<Encoding> codes;
};

void line(const char* label, std::string_view value) {
  if (!value.empty()) print_out("  {} {}\n", colored(Role::pmu, label, 11), value);
}

/// The other names that mean the same code on that PMU.
std::string other_names(const Machine& machine, const Encoding& e, const std::string& own) {
  const CodeNames names = machine.names_of(e.pmu, e.code);
  std::string out;
  for (const std::string& name : names.names)
    if (names.exact && name != own) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// "uncore_imc" also stands for uncore_imc_0, and "cpu" in a table for the core PMU.
bool is_of_pmu(const Encoding& e, const EventInfo& info) {
  return e.pmu == info.pmu || e.pmu.starts_with(info.pmu + "_") || info.source == Source::kernel;
}

/// The facts in tables and machine about that name on the PMU of the encoding.
std::optional<EventInfo> info_of(const Machine& machine, const std::string& name,
                                 const Encoding& e) {
  std::optional<EventInfo> other;
  for (const auto& list : {machine.events(name), machine.kernel_events(name)})
    for (const EventInfo& info : list) {
      if (is_of_pmu(e, info)) return info;
      if (!other) other = info;
    }
  return other;
}

/// Events by name or glob, each with its codes.
std::vector<Shown> named(const Machine& machine, const std::string& glob) {
  std::vector<Shown> out;
  for (const auto& list : {machine.events(glob), machine.kernel_events(glob)})
    for (const EventInfo& info : list) {
      Shown shown{info.name, info, {}};
      if (auto all = machine.resolve(info.name)) {
        const auto elsewhere = [&](const Encoding& e) { return !is_of_pmu(e, info); };
        if (!std::ranges::all_of(*all, elsewhere)) std::erase_if(*all, elsewhere);
        shown.codes = std::move(*all);
      }
      out.push_back(std::move(shown));
    }
  return out;
}

/// An event with modifiers or terms, or a code. It has the description of the name behind it.
std::vector<Shown> resolved(const Machine& machine, const std::vector<Encoding>& encodings) {
  std::vector<Shown> out;
  for (const Encoding& e : encodings) {
    const CodeNames names = machine.names_of(e.pmu, e.code);
    const bool has_name = e.source != Source::raw;
    std::string name = has_name ? std::string(e.name) : std::string();
    if (!has_name && !names.names.empty()) name = names.names.front();
    Shown shown{full_name(e), {}, {e}};
    if (auto info = name.empty() ? std::nullopt : info_of(machine, name, e)) {
      shown.info = std::move(*info);
    } else {
      shown.info.name = e.name;
      shown.info.pmu = e.pmu;
      shown.info.terms = e.terms();
    }
    if (!has_name && !names.names.empty())
      shown.title += " = " + name + (names.exact ? "" : " with " + names.qualifiers);
    out.push_back(std::move(shown));
  }
  return out;
}

bool is_on_pmu(const machine::Pfm4Name& name, const Encoding& e) {
  return e.pmu.starts_with(name.pmu);
}

/// libpfm4's name of the event, and its code for the name if that differs.
struct Pfm4Spelling {
  std::string names;
  std::string other_code;
};

/// "mem_load_retired.l3_miss" of "skx::MEM_LOAD_RETIRED:L3_MISS".
std::string own_spelling(std::string_view name) {
  name.remove_prefix(name.find("::") + 2);
  std::string out;
  for (const char letter : name) out += letter == ':' ? '.' : to_lower(letter);
  return out;
}

Pfm4Spelling pfm4_spelling(const std::vector<machine::Pfm4Name>& names, const Encoding& e,
                           const std::string& own) {
  Pfm4Spelling out;
  for (const machine::Pfm4Name& name : names) {
    if (!is_on_pmu(name, e)) continue;
    if (std::ranges::equal(name.code.config, e.code.config)) {
      if (!name.is_alias) out.names += (out.names.empty() ? "" : ", ") + name.name;
    } else if (own_spelling(name.name) == own) {
      out.other_code =
          fmt::format("{:#x} is libpfm4's code of {}; evname uses its own tables' code",
                      name.code.config[0], name.name);
    }
  }
  return out;
}

void print_text(const Machine& machine, const std::vector<machine::Pfm4Name>& pfm4,
                const Shown& shown) {
  const EventInfo& event = shown.info;
  print_out("{}{}\n", colored(Role::event, shown.title), event.deprecated ? " (deprecated)" : "");
  line("about", event.desc);
  line("more", event.long_desc);
  line("pmu", event.pmu);
  line("model", event.model);
  line("from files", event.directory);
  if (event.model == machine.cpu().model && event.directory.empty())
    line("facts from", machine.cpu().source);
  line("topic", event.topic);
  line("terms", event.terms);
  if (!event.unit.empty()) line("unit", fmt::format("{} x {}", event.scale, event.unit));
  if (event.per_pkg) line("counts", "once per package");
  line("precise", word_of(event.precise));
  if (event.precise_address) line("address", "of the data, in precise samples");
  line("errata", event.errata);
  for (const Encoding& e : shown.codes) {
    line("perf stat", perf_spelling(e));
    line("code", fmt::format("{}/{}/", e.pmu, config_words(e)));
    line("type", e.code.has_type ? fmt::format("{}", e.code.type) : "only the machine knows it");
    line("same code", other_names(machine, e, event.name));
    const Pfm4Spelling spelling = pfm4_spelling(pfm4, e, event.name);
    line("libpfm4", spelling.names);
    line("", spelling.other_code);
  }
}

void print_json(const Shown& shown) {
  if (shown.codes.empty()) return print_event_json(shown.info, true);
  for (const Encoding& e : shown.codes) print_event_json(shown.info, true, &e);
}

int show_events(const ShowArguments& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine, may_name_gpu({options.event}))) return kUnusable;
  std::vector<Shown> all = named(*machine, options.event);
  if (all.empty()) {
    const auto encodings = machine->resolve(options.event);
    if (!encodings) {
      print_error(options.event, encodings.error());
      return kPartial;
    }
    print_warnings(options.event, *encodings);
    all = resolved(*machine, *encodings);
  }
  const std::vector<machine::Pfm4Name> pfm4 =
      options.json ? std::vector<machine::Pfm4Name>() : machine::pfm4_names(*machine);
  for (const Shown& shown : all) {
    if (options.json)
      print_json(shown);
    else
      print_text(*machine, pfm4, shown);
  }
  return kDone;
}

}  // namespace

void add_show(Command& command) {
  auto& options = command.runs(show_events);
  options.machine.add_to(command);
  command.flag("--json", options.json, "One JSON object per line");
  command
      .option(
          "EVENT", options.event,
          "A name (any case), a glob of names, or what perf's -e takes: with modifiers or terms, "
          "r20d1")
      .required();
}

}  // namespace evname::tools
