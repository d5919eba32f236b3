// evname emit: the codes of chosen events on chosen CPUs as a source file of its own.

#include <fmt/format.h>

#include <algorithm>

#include "emit/writers.hpp"
#include "input/machine.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct EmitArguments {
  std::vector<std::string> cpus, events;
  std::string format, output = "-";
};

struct Language {
  const char* name;
  std::string (*write)(const Emitted& emitted);
};
constexpr Language kLanguages[] = {
    {"c", c_source}, {"c++", cpp_source}, {"rust", rust_source}, {"json", json_lines}};

/// As a shell takes it, on one line whatever it holds.
std::string shell_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + "'";
}

std::string command_line(const EmitArguments& options, const std::vector<std::string>& events) {
  std::string out = "evname emit";
  for (const std::string& cpu : options.cpus) out += " --cpu " + shell_word(cpu);
  return fmt::format("{} --events {} --format {}", out,
                     shell_word(fmt::format("{}", fmt::join(events, ","))), options.format);
}

/// Tells what each model lacks. False: something is missing.
bool is_complete(const Emitted& emitted) {
  bool complete = true;
  for (const EmittedModel& model : emitted.models)
    for (const EmittedCode& code : model.codes)
      if (!code.error.empty()) {
        complete = false;
        tell_error("{}: {}: {}", model.name, code.event, code.error);
      }
  return complete;
}

bool read_events(const EmitArguments& options, std::vector<std::string>& events) {
  for (const std::string& list : expand_queries(options.events))
    if (const auto done = add_events(list, events); !done) {
      print_error(list, done.error());
      return false;
    }
  if (events.empty()) tell_error("--events names no event");
  return !events.empty();
}

int emit(const EmitArguments& options) {
  std::vector<std::string> events;
  if (!read_events(options, events)) return kUnusable;
  const auto rows = cpu_rows(options.cpus, user_events());
  if (!rows) {
    tell_error("{}", rows.error().text());
    return kUnusable;
  }
  Emitted emitted = emit_codes(*rows, events);
  emitted.command = command_line(options, events);
  const auto* format = std::ranges::find_if(
      kLanguages, [&](const Language& one) { return one.name == options.format; });
  if (!write_output(options.output, format->write(emitted))) return kUnusable;
  return is_complete(emitted) ? kDone : kPartial;
}

}  // namespace

void add_emit(Command& command) {
  auto& options = command.runs(emit);
  std::vector<std::string> formats;
  for (const Language& format : kLanguages) formats.emplace_back(format.name);
  command
      .option("--cpu", options.cpus,
              "Models like this ('skylake*', 'arm/*'), or a CPUID string; may be repeated")
      .required()
      .value_name("CPU");
  command
      .option("--events", options.events,
              "What perf's -e takes, without groups and modifiers; - reads lists from standard "
              "input; may be repeated")
      .required()
      .value_name("EVENTS");
  command.option("--format", options.format, "c (C99), c++ (C++17), rust (2021) or json")
      .required()
      .value_name("FORMAT")
      .one_of(formats);
  command.option("-o,--output", options.output, "Output file; default: standard output")
      .value_name("FILE");
  command.notes(
      "The rows of the table are CPUID patterns; the comment at its top explains how to match "
      "them.\n"
      "A type that only the machine knows is -1, None or null. An event that a model lacks, or\n"
      "whose code only the machine knows, has a row without PMU (in JSON: without code) and is\n"
      "reported on standard error; the exit code is 1 then.");
}

}  // namespace evname::tools
