#include "input/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "evname/recording.hpp"
#include "input/recording.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

namespace {

bool g_left_out = false;  // set while the command line is read, before any machine is opened

}  // namespace

void add_user_events(Command& command) {
  command.flag("--no-user-events", g_left_out,
               "Leave out event files of $EVNAME_EVENTS, ~/.local/share/evname/events and "
               "/usr/share/evname/events");
}

UserEvents user_events() { return g_left_out ? UserEvents::leave_out : UserEvents::lay_over; }

void MachineOptions::add_to(Command& command) {
  const Option by_name =
      command
          .option(
              "--cpu", cpu,
              "CPUID string (GenuineIntel-6-55-4), model (skylakex) or short name (skx, zen4, n1), "
              "as `evname list --cpus` lists them, or product (13900k, graviton4); default: this "
              "machine")
          .value_name("CPU");
  Option by_file = command.option("-i,--input", input, "The machine a perf.data was recorded on")
                       .value_name("FILE");
  const Option tree = command.option("--sysfs", sysfs, "Take the PMUs from this sysfs tree")
                          .value_name("DIR")
                          .existing_directory();
  by_file.excludes(by_name).excludes(tree);
  command
      .option("--events", events,
              "Add the events of this directory to the built-in ones (a tree in the kernel's "
              "layout, a copy of Intel's perfmon or of Arm's data, or *.json files of this CPU)")
      .value_name("DIR");
}

Result<Machine> MachineOptions::open(bool gpus) const {
  for (const std::string& one : inputs())
    if (auto fine = check_not_printed_into(one); !fine) return fail(fine);
  if (!cpu.empty()) return Machine::named(cpu, sysfs, events, user_events());
  auto machine = open_plain(gpus);
  return machine && !events.empty() ? machine->with_events(events) : machine;
}

std::vector<std::string> MachineOptions::inputs() const {
  std::vector<std::string> out;
  for (const std::string* const one : {&input, &events, &sysfs})
    if (!one->empty()) out.push_back(*one);
  return out;
}

Result<Machine> MachineOptions::open_plain(bool gpus) const {
  if (!input.empty())
    return open_recording(input).map([](const Recording& file) { return file.machine(); });
  Roots roots;
  roots.gpus = gpus && sysfs.empty();
  if (!sysfs.empty()) roots.sysfs = sysfs;
  return Machine::live(roots, user_events());
}

namespace {

bool keep(Result<Machine> opened, std::optional<Machine>& machine, bool warn) {
  if (!opened) {
    Error error = opened.error();
    if (error.code == Errc::not_found && error.where.empty()) {
      if (error.hint.empty()) error.hint = "as in GenuineIntel-6-55-4, skylakex or n1";
      error.hint += error.hint.ends_with('?') ? " " : "; ";
      error.hint += "`evname list --cpus` lists them";
    }
    return tell_error("{}", error.text());
  }
  machine = std::move(*opened);
  if (warn)
    for (const std::string& warning : machine->warnings()) tell_warning("{}", warning);
  if (!machine->cpu().note.empty()) tell_note("{}", machine->cpu().note);
  return true;
}

}  // namespace

bool keep_machine(Result<Machine> opened, std::optional<Machine>& machine) {
  return keep(std::move(opened), machine, true);
}

bool open_machine(const MachineOptions& options, std::optional<Machine>& machine, bool gpus) {
  return keep(options.open(gpus), machine, true);
}

bool may_name_gpu(const std::vector<std::string>& texts) {
  return std::ranges::any_of(
      texts, [](const std::string& text) { return to_lower(text).find("drm") != text.npos; });
}

bool open_named_machine(const MachineOptions& options, std::optional<Machine>& machine, bool gpus) {
  const bool asked = !options.cpu.empty() || !options.input.empty() || !options.sysfs.empty();
  return keep(options.open(gpus), machine, asked);
}

std::vector<std::string> expand_queries(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  for (const std::string& argument : arguments) {
    if (argument != "-") {
      out.push_back(argument);
      continue;
    }
    char* line = nullptr;
    std::size_t room = 0;
    for (ssize_t size; (size = getline(&line, &room, stdin)) >= 0;) {
      const std::string_view text(line, static_cast<std::size_t>(size));
      const auto last = text.find_last_not_of(" \t\r\n");
      if (last != text.npos) out.emplace_back(text.substr(0, last + 1));
    }
    std::free(line);
  }
  return out;
}

std::string error_text(const Error& error) {
  if (error.offset != 0u) return error.text();
  Error plain = error;
  plain.where.clear();  // the whole query is meant
  return plain.text();
}

void print_warnings(const std::string& query, std::span<const Encoding> encodings) {
  std::set<std::string_view> told;
  for (const Encoding& e : encodings)
    for (const std::string& warning : e.warnings())
      if (told.insert(warning).second) tell_warning("{}: {}", query, warning);
}

void print_error(const std::string& query, const Error& error) {
  Error whole = error;
  if (whole.code == Errc::not_found && whole.hint.empty())
    whole.hint = "`evname list` with the same options shows what there is";
  tell_error("{}: {}", query.empty() ? "''" : query, error_text(whole));
  if (error.offset.value_or(0) > 0)
    to_stderr(fmt::format("  {}\n  {:>{}}\n", escaped(query), '^',
                          escaped(query.substr(0, *error.offset)).size() + 1));
}

std::optional<std::vector<Encoding>> resolve_query(const Machine& machine, const std::string& query,
                                                   bool json) {
  auto encodings = machine.resolve(query);
  if (encodings) {
    print_warnings(query, *encodings);
    return std::move(*encodings);
  }
  if (json)
    JsonLine().text("query", query).text("error", error_text(encodings.error()));
  else
    print_error(query, encodings.error());
  return std::nullopt;
}

std::string glob_hint(std::string_view name) {
  const bool pattern = name.find_first_of("*?[") != name.npos;
  return pattern ? std::string() : fmt::format(" ('*{}*' finds parts of names)", name);
}

}  // namespace evname::tools
