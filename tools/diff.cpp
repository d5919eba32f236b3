// evname diff: compares the events of two CPUs.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/enum_table.hpp"
#include "base/glob.hpp"
#include "base/text.hpp"
#include "diff/compare.hpp"
#include "events/machine/code_lists.hpp"
#include "input/machine.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct DiffArguments {
  std::string a, b;
  std::string glob = "*";
  bool json = false;
};

struct Side {
  std::optional<Machine> machine;
  std::vector<CodedEvent> events;

  bool open(const std::string& cpu);
  const std::string& label() const { return machine->cpu().model; }
  /// "event=0xd1,umask=0x20"; "" if it has no code.
  std::string terms(const CodedEvent& event) const;
};

/// The events of a machine that is only named, once per PMU that has them.
std::vector<CodedEvent> coded_events(const Machine& machine) {
  std::vector<CodedEvent> out;
  for (const machine::EventCode& event : machine::event_codes(machine)) {
    CodedEvent& to = out.emplace_back();
    to.pmu = event.pmu;
    to.name = event.name;
    if (event.code) to.code = words_of(*event.code);
    to.is_core = event.is_core;
    to.deprecated = event.deprecated;
    to.desc = event.desc;
  }
  return out;
}

bool Side::open(const std::string& cpu) {
  if (!keep_machine(Machine::named(cpu, {}, {}, user_events()), machine)) return false;
  events = coded_events(*machine);
  if (events.empty()) tell_error("{}: there are no events to compare", cpu);
  return !events.empty();
}

std::string Side::terms(const CodedEvent& event) const {
  if (!event.code) return {};
  return machine->names_of(event.pmu, make_code(0, *event.code)).terms;
}

/// "cpu/event=0xd1,umask=0x20/", which is what perf takes.
std::string spelling(const Side& side, const CodedEvent& event) {
  return event.code ? fmt::format("{}/{}/", event.pmu, side.terms(event))
                    : std::string(event.pmu) + " (needs a parameter)";
}

using DiffRow = std::array<std::string, 4>;

DiffRow text_row(const Side& a, const Side& b, const Difference& row) {
  switch (row.change) {
    case Change::only_a:
      return {std::string(row.a->name), spelling(a, *row.a), std::string(row.a->desc), {}};
    case Change::only_b:
      return {std::string(row.b->name), spelling(b, *row.b), std::string(row.b->desc), {}};
    case Change::code:
      return {std::string(row.a->name), spelling(a, *row.a), "->", spelling(b, *row.b)};
    case Change::name:
      break;
  }
  return {std::string(row.a->name), "->", std::string(row.b->name), spelling(b, *row.b)};
}

/// Aligned columns, except for the last one.
void print_rows(const std::vector<DiffRow>& rows, Role role) {
  std::array<std::size_t, 4> widths{};
  for (const DiffRow& row : rows)
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      if (!row[i + 1].empty()) widths[i] = std::max(widths[i], row[i].size());
  for (const DiffRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size() && !row[i].empty(); ++i) {
      const bool last = i + 1 == row.size() || row[i + 1].empty();
      const std::size_t width = last ? 0 : widths[i];
      line += "  " + (i == 0 ? colored(role, row[i], width) : fmt::format("{:<{}}", row[i], width));
    }
    print_out("{}\n", line);
  }
}

void print_text(const Side& a, const Side& b, const std::vector<Difference>& rows) {
  const std::tuple<Change, Role, std::string> sections[] = {
      {Change::only_a, Role::removed, "Only in " + a.label()},
      {Change::only_b, Role::added, "Only in " + b.label()},
      {Change::code, Role::event, "Same name, another code in " + b.label()},
      {Change::name, Role::event, "Same code, another name in " + b.label()},
  };
  for (const auto& [change, role, title] : sections) {
    const auto [first, last] = std::ranges::equal_range(rows, change, {}, &Difference::change);
    print_out("{}{}: {}\n", change == Change::only_a ? "" : "\n", colored(Role::heading, title),
              last - first);
    std::vector<DiffRow> texts;
    for (auto at = first; at != last; ++at) texts.push_back(text_row(a, b, *at));
    print_rows(texts, role);
  }
}

void print_json(const Side& a, const Side& b, const Difference& row) {
  using enum Change;
  constexpr auto kKinds =
      enum_values<Change>({{only_a, "only_a"}, {only_b, "only_b"}, {code, "code"}, {name, "name"}});
  const CodedEvent& event = row.a != nullptr ? *row.a : *row.b;
  JsonLine line;
  line.text("kind", kKinds[row.change].value);
  line.text("pmu", event.pmu).text("name", event.name);
  const auto terms = [&](const char* key, const Side& side, const CodedEvent* of) {
    of != nullptr && of->code ? line.text(key, side.terms(*of)) : line.null(key);
  };
  terms("a", a, row.a);
  terms("b", b, row.b);
  row.b != nullptr ? line.text("pmu_b", row.b->pmu) : line.null("pmu_b");
  row.b != nullptr ? line.text("name_b", row.b->name) : line.null("name_b");
  line.boolean("kept", row.kept).text("desc", event.desc);
  row.b != nullptr ? line.text("desc_b", row.b->desc) : line.null("desc_b");
}

/// Keeps only rows with a name that matches the glob. False: no event has such a name.
bool select(const Side& a, const Side& b, const std::string& glob, std::vector<Difference>& rows) {
  const Glob pattern(to_lower(glob));
  const auto fits = [&](const CodedEvent& event) { return pattern.matches(event.name); };
  std::erase_if(rows, [&](const Difference& row) {
    return !(row.a != nullptr && fits(*row.a)) && !(row.b != nullptr && fits(*row.b));
  });
  return !rows.empty() || std::ranges::any_of(a.events, fits) ||
         std::ranges::any_of(b.events, fits);
}

int diff(const DiffArguments& options) {
  Side a, b;
  if (!a.open(options.a) || !b.open(options.b)) return kUnusable;
  if (const std::string& arch = a.machine->cpu().arch, &other = b.machine->cpu().arch;
      arch != other)
    return tell_error("{} is {} and {} is {}: their codes have nothing in common", options.a, arch,
                      options.b, other);
  auto rows = compare_events(a.events, b.events);
  if (!select(a, b, options.glob, rows)) {
    tell_error("no event of {} or {} matches '{}'{}", options.a, options.b, options.glob,
               glob_hint(options.glob));
    return kPartial;
  }
  if (!options.json) print_text(a, b, rows);
  if (options.json)
    for (const Difference& row : rows) print_json(a, b, row);
  return kDone;
}

}  // namespace

void add_diff(Command& command) {
  auto& options = command.runs(diff);
  command.option("CPU_A", options.a, "CPUID string or model to come from")
      .required()
      .value_name("CPU");
  command.option("CPU_B", options.b, "CPUID string or model to go to").required().value_name("CPU");
  command.option("GLOB", options.glob, "Only rows with a name like this (any case)");
  command.flag("--json", options.json, "One JSON object per line");
  command.notes(
      "Codes are compared PMU by PMU, without sample periods; `cpu` is compared with both core "
      "PMUs\n"
      "of a hybrid CPU. The same code need not count the same thing: compare the descriptions.");
}

}  // namespace evname::tools
