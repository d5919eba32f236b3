// evname import: takes the facts of event trees into ours.

#include <fmt/format.h>

#include "base/text.hpp"
#include "importer/import.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ImportArguments {
  ImportOptions import;
  std::vector<std::string> more;  ///< trees without --from
};

int import(const ImportArguments& given) {
  ImportOptions options = given.import;
  options.from.insert(options.from.end(), given.more.begin(), given.more.end());
  if (options.from.empty()) {
    tell_error("import: no tree to read: give --from DIR, or --check DIR");
    return kUnusable;
  }
  const ImportReport report = import_events(options);
  for (const std::string& note : report.notes) to_stderr(note + "\n");
  if (report.architectures == 0) {
    tell_error("import: no architecture (a directory with mapfile.csv) in {}",
               joined(options.from, ", "));
    return kUnusable;
  }
  to_stdout(report.summary);
  return report.errors > 0 || (options.check && report.changes > 0) ? kPartial : kDone;
}

}  // namespace

void add_import(Command& command) {
  auto& options = command.runs(import);
  command
      .option("--from", options.import.from,
              "Trees to read: the kernel's pmu-events/arch, Intel's perfmon repository, Arm's "
              "telemetry data, Arm's data repository; of an event the newest statement of the "
              "CPU's maker counts, else the kernel's")
      .value_name("DIR")
      .one_value_each()
      .existing_directory();
  command.flag("--check", options.import.check,
               "Write nothing; print what would change, by model. Exit code 1: something would");
  command.flag("--report", options.import.report,
               "List the events on whose codes a maker and the kernel disagree");
  command.option("DIR", options.more, "More trees to read").existing_directory();
  command
      .option("--into", options.import.into, "Tree to write; its descriptions/ holds our own texts")
      .required()
      .value_name("DIR");
  command.option("--arch", options.import.architectures, "Only these architectures")
      .value_name("ARCH")
      .comma_separated();
}

}  // namespace evname::tools
