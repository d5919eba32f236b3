// evname import: imports the facts of event trees into ours.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/output/output_place.hpp"
#include "base/text.hpp"
#include "events/machine/code_lists.hpp"
#include "evname/machine.hpp"
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

std::string code_text(const Code& code) {
  return code.config[1] == 0 ? fmt::format("{:#x}", code.config[0])
                             : fmt::format("{:#x},{:#x}", code.config[0], code.config[1]);
}

/// Adds a line for each name of libpfm4 that has another code in the tables of the model.
void add_pfm4_differences(const ModelInfo& model, std::vector<std::string>& lines) {
  const auto machine = Machine::named(fmt::format("{}/{}", model.arch, model.name));
  if (!machine) return;
  for (const machine::Pfm4Name& name : machine::pfm4_names(*machine)) {
    const auto resolved = machine->resolve(name.name);
    if (!resolved) continue;
    for (const Encoding& e : *resolved)
      if (e.pmu.starts_with(name.pmu) && !std::ranges::equal(e.code.config, name.code.config))
        lines.push_back(fmt::format("  {}/{} {}: libpfm4 {}, tables {} ({}; {})\n", model.arch,
                                    model.name, name.name, code_text(name.code), code_text(e.code),
                                    e.name, machine->cpu().source));
  }
}

/// Returns the names whose codes differ between libpfm4 and the tables; of all architectures if
/// none is given. The tables merge the facts of a model's sources and do not know the source of a
/// code, so a line lists all sources of its model.
std::string pfm4_differences(const std::vector<std::string>& architectures) {
  std::vector<std::string> lines;
  for (const ModelInfo& model : models())
    if (architectures.empty() || std::ranges::count(architectures, model.arch) != 0)
      add_pfm4_differences(model, lines);
  return fmt::format("libpfm4 and the tables disagree on {} names:\n{}", lines.size(),
                     joined(lines, ""));
}

bool is_same_directory(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && is_same_file(of_a, of_b);
}

int import(const ImportArguments& given) {
  ImportOptions options = given.import;
  options.from.insert(options.from.end(), given.more.begin(), given.more.end());
  if (options.from.empty() && options.report) {
    to_stdout(pfm4_differences(options.architectures));
    return kDone;
  }
  if (options.from.empty())
    return tell_error("import: no tree to read: give --from DIR, or --check DIR");
  for (const std::string& tree : options.from)
    if (is_same_directory(tree, options.into))
      return tell_error("import: --into {} is a tree that is read", options.into);
  const ImportReport report = import_events(options);
  for (const std::string& note : report.notes) to_stderr(escaped(note) + "\n");
  if (report.architectures == 0)
    return tell_error("import: no architecture (a directory with mapfile.csv) in {}",
                      joined(options.from, ", "));
  to_stdout(report.summary);
  if (options.report) to_stdout(pfm4_differences(options.architectures));
  return report.errors > 0 || (options.check && report.changes > 0) ? kPartial : kDone;
}

}  // namespace

void add_import(Command& command) {
  auto& options = command.runs(import);
  command
      .option("--from", options.import.from,
              "Trees to read: the kernel's pmu-events/arch, Intel's perfmon repository, Arm's "
              "telemetry data, Arm's data repository; of an event the newest statement of the "
              "CPU's maker counts, else the kernel's. libpfm4's sources or PAPI's renew pfm4/")
      .value_name("DIR")
      .one_value_each()
      .existing_directory();
  command.flag("--check", options.import.check,
               "Write nothing; print what would change, by model. Exit code 1: something would");
  command.flag("--report", options.import.report,
               "List the events on whose codes a maker and the kernel disagree, and the names of "
               "libpfm4 that "
               "have another code in the tables of this build; without trees only the latter");
  command.option("DIR", options.more, "More trees to read").existing_directory();
  command
      .option("--into", options.import.into, "Tree to write; its descriptions/ holds our own texts")
      .required()
      .value_name("DIR");
  command.option("--arch", options.import.architectures, "Only these architectures")
      .value_name("ARCH")
      .comma_separated()
      .one_value_each();
}

}  // namespace evname::tools
