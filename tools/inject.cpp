// evname inject: a recording with the names of its events put into it.

#include "evname/inject.hpp"

#include <fmt/format.h>

#include "input/recording.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct Options {
  std::string file, output;
  bool json = false;
};

void report(const std::vector<Renamed>& renamed, const Options& options) {
  for (const Renamed& one : renamed) {
    if (options.json && options.output != "-")
      JsonLine().number("attr", one.attr).text("from", one.from).text("to", one.to);
    else
      to_stderr(fmt::format("evname: {} is {}\n", one_line(Screen::error, one.from),
                            one_line(Screen::error, one.to)));
  }
  if (renamed.empty()) to_stderr("evname: no event lacks a name; copied as it is\n");
}

int inject_file(const Options& options) {
  const auto file = open_perf_file(options.file);
  if (!file) return kUnusable;
  const auto renamed = inject(*file, options.output);
  if (!renamed) {
    if (options.output != "-" || !reader_has_left()) tell_error("{}", renamed.error().text());
    return kUnusable;
  }
  report(*renamed, options);
  return file->warnings().empty() ? kDone : kPartial;
}

}  // namespace

void add_inject(Command& command) {
  auto& options = command.runs(inject_file);
  command.option("FILE", options.file, "perf.data; - reads standard input").required();
  command.option("-o,--output", options.output, "Output file; - is standard output")
      .required()
      .value_name("FILE");
  command.flag("--json", options.json, "One JSON object per event that was named");
  command.notes(
      "Only names change: samples and all else are copied byte for byte. Events that\n"
      "were recorded by name keep it.");
}

}  // namespace evname::tools
