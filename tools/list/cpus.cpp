#include "list/cpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "evname/machine.hpp"
#include "evname/models.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct Cpu {
  std::string arch, model;
  std::vector<std::string> names, patterns;
  std::size_t events = 0;
  std::string source;  ///< where the events are from
};

/// Sets where the events are from, and how many there are with those of the directory.
void add_directory(Cpu& cpu, const std::string& example_cpuid, const std::string& events) {
  cpu.source = events;
  const auto machine =
      Machine::named(example_cpuid.empty() ? cpu.arch + "/" + cpu.model : example_cpuid, {}, {},
                     UserEvents::leave_out);
  if (const auto with = machine ? machine->with_events(events) : machine)
    cpu.events = with->events().size();
}

std::vector<Cpu> all_cpus() {
  std::vector<Cpu> out;
  const auto rows = cpu_patterns();
  for (const ModelInfo& model : models()) {
    Cpu cpu{std::string(model.arch), std::string(model.name), {}, {}, model.events, {}};
    for (const auto& names : {model.short_names, model.other_names})
      cpu.names.insert(cpu.names.end(), names.begin(), names.end());
    for (const CpuPattern& row : rows)
      if (row.arch == model.arch && row.model == model.name) cpu.patterns.emplace_back(row.pattern);
    out.push_back(std::move(cpu));
  }
  return out;
}

/// What an argument may mean: a glob of names, or one CPU as --cpu takes it.
struct Wanted {
  std::string glob, arch, model;
};

Wanted wanted_by(const std::string& text) {
  Wanted wanted{to_lower(text), {}, {}};
  const auto machine = Machine::named(text);
  if (!machine) return wanted;
  const CpuInfo& cpu = machine->cpu();
  if (cpu.matched_by == MatchedBy::cpuid || cpu.matched_by == MatchedBy::name)
    wanted.arch = cpu.arch, wanted.model = cpu.model;
  return wanted;
}

bool is_like(const Cpu& cpu, const Wanted& wanted) {
  const std::string model = to_lower(cpu.model);
  const auto fits = [&](const std::string& name) { return glob_match(wanted.glob, name); };
  return (cpu.arch == wanted.arch && cpu.model == wanted.model) || fits(model) ||
         fits(model.substr(model.rfind('/') + 1)) || fits(cpu.arch) ||
         fits(cpu.arch + "/" + model) || std::ranges::any_of(cpu.names, fits) ||
         std::ranges::count(cpu.patterns, wanted.glob, to_lower) > 0;
}

bool holds(const Cpu& cpu, const std::string& words) {
  const std::string text = to_lower(fmt::format(
      "{} {} {} {}", cpu.arch, cpu.model, fmt::join(cpu.names, " "), fmt::join(cpu.patterns, " ")));
  return std::ranges::all_of(split(words, ' '), [&](std::string_view word) {
    return text.find(to_lower(word)) != text.npos;
  });
}

std::string source_of(const Cpu& cpu) {
  const auto machine = Machine::named(cpu.arch + "/" + cpu.model);
  const std::string built_in = machine ? machine->cpu().source : std::string();
  if (cpu.source.empty() || built_in.empty()) return cpu.source + built_in;
  return cpu.source + "; " + built_in;
}

/// Adds the models of the directory, with its rows before those of the build. False: it told why
/// the directory can't be read.
bool add_models(const std::string& events, std::vector<Cpu>& cpus) {
  const auto found = models_in(events);
  if (!found) return tell_error("{}", found.error().text()), false;
  for (const DirectoryModel& model : *found) {
    const auto is_model = [&](const Cpu& cpu) {
      return cpu.arch == model.arch && cpu.model == model.name;
    };
    auto at = std::ranges::find_if(cpus, is_model);
    if (at == cpus.end()) at = cpus.insert(at, {model.arch, model.name, {}, {}, 0, {}});
    for (const std::string& pattern : model.patterns)
      if (std::ranges::find(at->patterns, pattern) == at->patterns.end())
        at->patterns.push_back(pattern);
    add_directory(*at, model.example_cpuid, events);
  }
  std::ranges::stable_sort(cpus, {}, [](const Cpu& cpu) { return std::tie(cpu.arch, cpu.model); });
  return true;
}

void print_text(const std::vector<Cpu>& cpus) {
  std::size_t model = 0;
  for (const Cpu& cpu : cpus) model = std::max(model, cpu.model.size());
  for (const Cpu& cpu : cpus) {
    print_out("{}  {:<8}{:>6} events  {}\n", colored(Role::event, cpu.model, model), cpu.arch,
              cpu.events, fmt::join(cpu.patterns, "  "));
    if (const std::string source = source_of(cpu); !source.empty())
      print_out("{:{}}  from {}\n", "", model, source);
    if (!cpu.names.empty()) print_out("{:{}}  also {}\n", "", model, fmt::join(cpu.names, ", "));
  }
}

void print_json(const Cpu& cpu) {
  JsonLine line;
  line.text("arch", cpu.arch).text("model", cpu.model).texts("names", cpu.names);
  line.texts("patterns", cpu.patterns).number("events", cpu.events);
  line.text("source", source_of(cpu));
}

}  // namespace

int list_cpus(const std::vector<std::string>& globs, const std::vector<std::string>& search,
              const std::string& events, bool json) {
  std::vector<Cpu> cpus = all_cpus();
  if (!events.empty() && !add_models(events, cpus)) return kUnusable;
  std::vector<Wanted> wanted;
  for (const std::string& glob : globs) wanted.push_back(wanted_by(glob));
  std::erase_if(cpus, [&](const Cpu& cpu) {
    const auto like = [&](const Wanted& one) { return is_like(cpu, one); };
    const auto found = [&](const std::string& words) { return holds(cpu, words); };
    return (!wanted.empty() && std::ranges::none_of(wanted, like)) ||
           !std::ranges::all_of(search, found);
  });
  if (!json) print_text(cpus);
  if (json)
    for (const Cpu& cpu : cpus) print_json(cpu);
  if (!cpus.empty()) return kDone;
  tell_error("no CPU matches {} (`evname list --cpus` lists all)",
             fmt::join(globs.empty() ? search : globs, ", "));
  return kPartial;
}

}  // namespace evname::tools
