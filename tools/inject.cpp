// evname inject: writes a recording with the names of its events.

#include "evname/rewrite.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct InjectArguments {
  std::string file, output;
  bool json = false, force = false;
  FilterOptions filter;
  SampleFilter chosen;
  NamedFunctions functions;
};

void report(const std::vector<Renamed>& renamed, const InjectArguments& options) {
  for (const Renamed& one : renamed) {
    if (options.json && options.output != "-")
      JsonLine().number("attr", one.attr).text("from", one.from).text("to", one.to);
    else
      to_stderr(fmt::format("evname: {} is {}\n", escaped(one.from), escaped(one.to)));
  }
  if (renamed.empty()) to_stderr("evname: no event lacks a name; copied as it is\n");
}

int inject_chosen(const Recording& file, InjectArguments& options) {
  if (const auto times = options.filter.fill_times(file, options.chosen); !times)
    return tell_error("{}", times.error().text());
  Progress progress;
  ExtractOptions how;
  how.pass.progress = progress.callback();
  how.symbols = &options.functions.get();
  const auto extracted = extract(file, options.chosen, options.output, how);
  progress.end();
  if (!extracted) return tell_unwritten(options.output, extracted.error());
  const int code = finish_pass(file, extracted->tally);
  if (options.chosen.needs_symbols()) options.functions.tell_problems(true);
  if (extracted->tally.selected == 0) {
    tell_no_match(options.filter, options.chosen, std::span(&file, 1));
    return kPartial;
  }
  if (!extracted->renamed.empty()) report(extracted->renamed, options);
  return code;
}

/// Returns the exit code. Damage of a file is known after opening, damage of a saved pipe only
/// after reading its records.
int finish_copy(const Recording& file) {
  std::error_code ignored;
  const bool is_saved_pipe = file.facts().form == FileFacts::Form::pipe &&
                             std::filesystem::is_regular_file(file.facts().path, ignored);
  if (is_saved_pipe) return finish_pass(file, perf_data::survey(file).tally);
  return file.warnings().empty() ? kDone : kPartial;
}

/// A copy that keeps everything may take the place of its own recording, and of others.
bool may_write(const InjectArguments& options) {
  if (options.filter.is_set())
    return may_replace("-o", options.output, options.functions.inputs({&options.file, 1}),
                       options.force);
  std::error_code not_there;
  const bool is_own = std::filesystem::equivalent(options.file == "-" ? "/dev/stdin" : options.file,
                                                  options.output, not_there);
  return is_own || may_replace("-o", options.output, {}, true);
}

int inject_file(InjectArguments& options) {
  options.filter.fill(options.chosen);
  if (!may_write(options)) return kUnusable;
  const auto file = open_perf_file(options.file);
  if (!file) return kUnusable;
  if (options.filter.is_set()) return inject_chosen(*file, options);
  Progress progress;
  const auto renamed = inject(*file, options.output, {.progress = progress.callback()});
  progress.end();
  if (!renamed) return tell_unwritten(options.output, renamed.error());
  report(*renamed, options);
  return finish_copy(*file);
}

}  // namespace

void add_inject(Command& command) {
  auto& options = command.runs(inject_file);
  add_recording(command, options.file, "perf.data; - reads standard input");
  command.option("-o,--output", options.output, "Output file; - is standard output")
      .required()
      .value_name("FILE");
  add_force(command, options.force);
  command.flag("--json", options.json, "One JSON object per event that was named");
  options.filter.add_to(command);
  options.functions.add_to(command);
  command.notes(
      "Only names change: samples and all else are copied byte for byte. Events that\n"
      "were recorded by name keep it. With a filter the other samples are left out; all\n"
      "other records stay, and what was compressed is written uncompressed.");
}

}  // namespace evname::tools
