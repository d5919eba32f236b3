// evname pack: writes a recording that has the names of its functions.

#include <fmt/format.h>

#include "base/text.hpp"
#include "evname/rewrite.hpp"
#include "input/recording.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct PackArguments {
  std::string file, output;
  bool json = false, force = false;
  NamedFunctions functions;
};

void print(const Packed& packed, const PackArguments& options) {
  if (options.json && options.output != "-")
    return void(JsonLine()
                    .number("places", packed.places)
                    .number("bytes", packed.bytes)
                    .number("stacks", packed.stacks));
  std::string text =
      fmt::format("evname: {} named, in {}", counted(packed.places, "place is", "places are"),
                  counted(packed.bytes, "byte", "bytes"));
  if (packed.stacks > 0)
    text += fmt::format("; {} callers in place of a copied stack",
                        counted(packed.stacks, "sample has", "samples have"));
  to_stderr(text + '\n');
}

int pack_file(PackArguments& options) {
  if (!may_replace("-o", options.output, options.functions.inputs({&options.file, 1}),
                   options.force))
    return kUnusable;
  const auto file = open_perf_file(options.file);
  if (!file) return kUnusable;
  Progress progress;
  const auto packed =
      pack(*file, options.functions.get(), options.output, {.progress = progress.callback()});
  progress.end();
  if (!packed) return tell_unwritten(options.output, packed.error());
  const int code = finish_pass(*file, packed->tally);
  options.functions.tell_problems(false);
  print(*packed, options);
  if (packed->places > 0 || packed->tally.samples == 0) return code;
  tell_error("no address of the samples has a name here: run it where they were recorded");
  return kPartial;
}

}  // namespace

void add_pack(Command& command) {
  auto& options = command.runs(pack_file);
  add_recording(command, options.file, "perf.data, file or directory");
  command.option("-o,--output", options.output, "Output file; - is standard output")
      .required()
      .value_name("FILE");
  add_force(command, options.force);
  command.flag("--json", options.json, "One JSON object that says what was added");
  options.functions.add_to(command);
  command.notes(
      "Run it on the machine of the recording: whoever gets the output needs no programs,\n"
      "libraries, debug information or kernel to see functions, lines and inlined calls in it.\n"
      "Where perf copied stacks (--call-graph dwarf), their callers take the copies' place, which\n"
      "makes the recording smaller. perf reads the output, and looks for names as before.");
}

}  // namespace evname::tools
