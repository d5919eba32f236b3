// evname import: takes the facts of a kernel-layout event tree into ours.

#include <fmt/format.h>

#include "compiler/import/import_tree.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

int import(const gen::ImportOptions& options) {
  gen::Diagnostics diagnostics;
  const gen::ImportReport report = gen::import_tree(options, diagnostics);
  for (const gen::Diagnostic& d : diagnostics.all())
    fmt::print(stderr, "{}\n", diagnostics.text(d));
  if (report.taken.empty()) {
    tell_error("import: no architecture (a directory with mapfile.csv) in {}", options.from);
    return kUnusable;
  }
  fmt::print("{}", gen::report_text(report));
  return diagnostics.count(gen::Severity::error) > 0 ? kPartial : kDone;
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
