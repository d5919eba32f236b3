// evname annotate: the samples of a recording, each with the name of its event.

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "evname/annotate.hpp"
#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct AnnotateArguments {
  std::string file;
  std::string fields, format = "text";
  FilterOptions filter;
  NamedFunctions functions;
  TraceArguments traces;
  bool json = false;
  bool raw_names = false;
  std::string limit;
  AnnotateOptions annotate;
};

constexpr std::pair<const char*, Format> kFormats[] = {{"text", Format::text},
                                                       {"csv", Format::csv},
                                                       {"jsonl", Format::jsonl},
                                                       {"folded", Format::folded}};

int unusable(const Error& error) {
  tell_error("{}", error.text());
  return kUnusable;
}

std::optional<std::uint64_t> limit_of(std::string_view text) {
  return text.empty() ? UINT64_MAX : parse_decimal(text);
}

/// A number below 0 is one that no sample is within.
std::string limit_problem(const std::string& text) {
  const bool negative = text.starts_with('-');
  if (parse_decimal(negative ? std::string_view(text).substr(1) : text)) return {};
  return fmt::format("'{}' is not a number of samples", text);
}

bool fill(AnnotateArguments& options) {
  for (const auto& [name, format] : kFormats)
    if (name == options.format) options.annotate.format = format;
  if (options.json) options.annotate.format = Format::jsonl;
  options.annotate.printable = is_terminal(Screen::out);
  if (options.raw_names) options.annotate.names = NameStyle::recorded;
  if (!options.fields.empty()) {
    auto fields = parse_fields(options.fields, default_fields(options.annotate.format));
    if (!fields) return unusable(fields.error()) == kDone;
    options.annotate.fields = std::move(*fields);
  }
  options.filter.fill(options.annotate.filter);
  return true;
}

Result<SampleTally> write_samples(const PerfData& file, AnnotateArguments& options) {
  if (auto times = options.filter.fill_times(file, options.annotate.filter); !times)
    return fail(times);
  options.annotate.symbols = &options.functions.of(file);
  return annotate(file, options.annotate, to_stdout);
}

int annotate_file(AnnotateArguments& options) {
  if (!fill(options)) return kUnusable;
  const auto limit = limit_of(options.limit);
  if (!limit) {
    tell_error("--limit {} leaves no sample; 0 is the least", options.limit);
    return kPartial;
  }
  options.annotate.limit = *limit;
  const auto file = open_perf_file(options.file, options.traces.chosen());
  if (!file || !options.traces.check(*file)) return kUnusable;
  Progress progress;
  options.annotate.pass.progress = progress.callback();
  const auto tally = write_samples(*file, options);
  progress.end();
  if (!tally) return unusable(tally.error());
  options.functions.tell_problems(options.annotate.format != Format::folded);
  const auto unread = options.annotate.pass.salvage ? Unread::gone : Unread::salvageable;
  const int code = finish_pass(*file, *tally, unread);
  if (tally->selected > 0 || !options.filter.is_set() || options.annotate.limit == 0) return code;
  tell_no_match(options.filter, options.annotate.filter, std::span(&*file, 1));
  return kPartial;
}

std::string field_help() {
  std::string fields, registers;
  for (const FieldInfo& field : all_fields())
    if (field.name.starts_with("ibs_"))
      registers += fmt::format("  {:<25} {}\n", field.name, field.what);
    else
      fields += fmt::format("  {:<15} {}\n", field.name, field.what);
  return "Fields (--fields, names of perf script first):\n" + fields +
         "\nFields of AMD's IBS (perf record -R): registers, each with its parts\n" + registers;
}

}  // namespace

void add_annotate(Command& command) {
  auto& options = command.runs(annotate_file);
  add_recording(command, options.file, "perf.data, file or directory; - reads standard input");
  command
      .option("-F,--fields", options.fields,
              "What to print: comm,pid,ip; +ip or -tid change the default")
      .value_name("FIELDS");
  std::vector<std::string> formats;
  for (const auto& [name, format] : kFormats) formats.emplace_back(name);
  command
      .option("--format", options.format,
              "text: as perf script prints; csv; jsonl: one object per sample; folded: stacks")
      .value_name("FORMAT")
      .one_of(formats);
  command.flag("--json", options.json, "The same as --format jsonl");
  command.flag("--raw-names", options.raw_names, "text: print names as they were recorded");
  command.flag("--no-formulas", options.annotate.guard_formulas,
               "csv: ' before a text that a spreadsheet would take for a formula");
  command.flag("--periods", options.annotate.count_periods,
               "folded: sum periods instead of samples");
  command.flag("--raw-order", options.annotate.pass.file_order,
               "Print samples in the order of the file, not of time");
  command.flag("--salvage", options.annotate.pass.salvage,
               "After damaged records, continue at the next place that looks like records");
  command.option("--limit", options.limit, "Stop after so many samples")
      .value_name("NUMBER")
      .checked_by(limit_problem);
  options.traces.add_to(command);
  add_jobs(command, options.annotate.pass.jobs);
  command.accept("--stdio");
  options.filter.add_to(command);
  options.functions.add_to(command);
  command.notes(
      field_help() +
      "\nIn csv and jsonl 'event' stands for event, pmu, code, config1 to config3 (jsonl: where\n"
      "not 0), attr; time is in seconds; what was not sampled is empty or null.");
}

}  // namespace evname::tools
