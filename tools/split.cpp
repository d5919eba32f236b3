// evname split: splits a recording by a key of its samples.

#include <fmt/format.h>

#include <algorithm>

#include "evname/rewrite.hpp"
#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct SplitArguments {
  std::string file, key, output;
  FilterOptions filter;
  SampleFilter chosen;
  NamedFunctions functions;
  bool json = false;
};

SplitKey key_of(const SplitArguments& options) {
  return std::ranges::find(split_keys(), options.key, &SplitKeyInfo::name)->key;
}

void print(const SplitResult::Part& part, bool json) {
  if (json)
    JsonLine().text("file", part.path).text("key", part.key).number("samples", part.samples);
  else
    print_out("{:>10}  {}  {}\n", part.samples, part.path, part.key);
}

int split_file(SplitArguments& options) {
  options.filter.fill(options.chosen);
  const auto file = open_perf_file(options.file);
  if (!file) return kUnusable;
  if (const auto times = options.filter.fill_times(*file, options.chosen); !times)
    return tell_error("{}", times.error().text());
  Progress progress;
  ExtractOptions how;
  how.pass.progress = progress.callback();
  how.symbols = &options.functions.get();
  const auto result = split(*file, key_of(options), options.chosen, options.output, how);
  progress.end();
  if (!result) return tell_error("{}", result.error().text());
  const int code = finish_pass(*file, result->tally);
  if (options.chosen.needs_symbols()) options.functions.tell_problems(true);
  for (const SplitResult::Part& part : result->parts) print(part, options.json);
  if (!result->parts.empty()) return code;
  if (options.filter.is_set())
    tell_no_match(options.filter, options.chosen, std::span(&*file, 1));
  else
    tell_error("there are no samples: nothing is written");
  return kPartial;
}

}  // namespace

void add_split(Command& command) {
  auto& options = command.runs(split_file);
  add_recording(command, options.file, "perf.data, file or directory");
  std::vector<std::string> keys;
  for (const SplitKeyInfo& row : split_keys()) keys.emplace_back(row.name);
  command.option("--by", options.key, "The key that samples are split by")
      .required()
      .value_name("KEY")
      .one_of(keys);
  command.option("-o,--output", options.output, "Directory for the files; it may be there already")
      .required()
      .value_name("DIR");
  command.flag("--json", options.json, "One JSON object per file");
  options.filter.add_to(command);
  options.functions.add_to(command);
  command.notes(
      "Each file has part of the samples and all other records and features, so that perf\n"
      "reads it as it reads the whole. Samples of a group with :S carry the values of all its\n"
      "events: by event they are in the file of its leader, and what was counted during samples\n"
      "that are left out is counted by the next one.");
}

}  // namespace evname::tools
