// evname import: takes the facts of a kernel-layout event tree into ours.

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "importer/import_tree.hpp"
#include "screen/tell.hpp"

namespace evname::tools {
namespace {

int import(const importer::ImportOptions& options) {
  compiler::Diagnostics diagnostics;
  const importer::ImportReport report = importer::import_tree(options, diagnostics);
  for (const compiler::Diagnostic& d : diagnostics.all())
    fmt::print(stderr, "{}\n", diagnostics.text(d));
  if (report.taken.empty()) {
    tell_error("import: no architecture (a directory with mapfile.csv) in {}", options.from);
    return kUnusable;
  }
  fmt::print("{}", importer::report_text(report));
  return diagnostics.count(compiler::Severity::error) > 0 ? kPartial : kDone;
}

}  // namespace

void add_import(CLI::App& app, Run& run) {
  auto options = std::make_shared<importer::ImportOptions>();
  CLI::App* command =
      app.add_subcommand("import", "Take the facts of a kernel-layout event tree into another");
  command
      ->add_option("--from", options->from,
                   "Tree to read: ARCH/mapfile.csv and ARCH/MODEL/TOPIC.json, or Intel's perfmon "
                   "repository")
      ->required()
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command
      ->add_option("--into", options->into, "Tree to write; its descriptions/ holds our own texts")
      ->required()
      ->type_name("DIR");
  command->add_option("--arch", options->architectures, "Only these architectures")->delimiter(',');
  command->callback([options, &run] { run = [options] { return import(*options); }; });
}

}  // namespace evname::tools
