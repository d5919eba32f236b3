// evname annotate: the samples of a recording, each with the name of its event.

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

#include "command.hpp"
#include "evname/perf_data.hpp"

namespace evname::tools {
namespace {

enum class Format { text, jsonl };

struct Options {
  std::string file;
  Format format = Format::text;
  bool json = false;
  bool raw_names = false;
};

bool to_stdout(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

void warn(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "evname: warning: {}\n", warning);
}

int annotate(const Options& options) {
  const auto file = PerfData::open(options.file);
  if (!file) {
    fmt::print(stderr, "evname: {}\n", file.error().text());
    return kUnusable;
  }
  warn(file->warnings());
  if (const std::string& note = file->machine().cpu().note; !note.empty())
    fmt::print(stderr, "evname: note: {}\n", note);
  const NameStyle style = options.raw_names ? NameStyle::recorded : NameStyle::symbolic;
  const bool jsonl = options.json || options.format == Format::jsonl;
  const SampleTally tally =
      jsonl ? write_jsonl(*file, to_stdout) : write_text(*file, to_stdout, style);
  warn(tally.warnings);
  const bool whole = file->warnings().empty() && tally.warnings.empty() && tally.unknown_ids == 0 &&
                     tally.malformed == 0;
  return whole ? kDone : kPartial;
}

}  // namespace

void add_annotate(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("annotate", "The samples of a perf.data with the names of their events");
  command->add_option("FILE", options->file, "perf.data; - reads standard input")->required();
  const std::map<std::string, Format> formats{{"text", Format::text}, {"jsonl", Format::jsonl}};
  command
      ->add_option("--format", options->format,
                   "text: as perf script prints; jsonl: one object a sample")
      ->transform(CLI::CheckedTransformer(formats));
  command->add_flag("--json", options->json, "The same as --format jsonl");
  command->add_flag("--raw-names", options->raw_names, "Text: the names as they were recorded");
  command->footer(
      "Example: evname annotate perf.data\n"
      "Keys of jsonl: comm, pid, tid, cpu, time (seconds), event, pmu, code, attr; config1 to "
      "config3 where they are not 0.");
  command->callback([options, &run] { run = [options] { return annotate(*options); }; });
}

}  // namespace evname::tools
