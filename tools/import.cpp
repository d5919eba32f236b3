// evname import: takes the facts of a kernel-layout event tree into ours.

#include <fmt/format.h>

#include "evname/import.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

int import(const ImportOptions& options) {
  const ImportReport report = import_events(options);
  for (const std::string& note : report.notes) to_stderr(note + "\n");
  if (report.architectures == 0) {
    tell_error("import: no architecture (a directory with mapfile.csv) in {}", options.from);
    return kUnusable;
  }
  to_stdout(report.summary);
  return report.errors > 0 ? kPartial : kDone;
}

}  // namespace

void add_import(Command& command) {
  auto& options = command.runs(import);
  command
      .option("--from", options.from,
              "Tree to read: ARCH/mapfile.csv and ARCH/MODEL/TOPIC.json, or Intel's perfmon "
              "repository")
      .required()
      .value_name("DIR")
      .existing_directory();
  command.option("--into", options.into, "Tree to write; its descriptions/ holds our own texts")
      .required()
      .value_name("DIR");
  command.option("--arch", options.architectures, "Only these architectures").comma_separated();
}

}  // namespace evname::tools
