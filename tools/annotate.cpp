// evname annotate: the samples of a recording, each with the name of its event.

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/read_file.hpp"
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
  std::vector<std::string> files;
  std::string list, log;
  std::string fields, format = "text";
  FilterOptions filter;
  NamedFunctions functions;
  TraceArguments traces;
  bool json = false;
  bool raw_names = false, force = false;
  std::string limit;
  AnnotateOptions annotate;
};

constexpr std::pair<const char*, Format> kFormats[] = {{"text", Format::text},
                                                       {"csv", Format::csv},
                                                       {"jsonl", Format::jsonl},
                                                       {"folded", Format::folded}};

std::optional<std::uint64_t> limit_of(std::string_view text) {
  return text.empty() ? UINT64_MAX : parse_decimal(text);
}

/// A negative number selects no sample.
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
    if (!fields) return tell_error("{}", fields.error().text());
    options.annotate.fields = std::move(*fields);
  }
  options.filter.fill(options.annotate.filter);
  options.annotate.count_periods |= options.annotate.pass.waits;
  return true;
}

/// Adds the recordings that --files-from lists.
bool add_listed(AnnotateArguments& options) {
  if (options.list.empty()) return true;
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const std::string path = options.list == "-" ? "/dev/stdin" : options.list;
  if (const auto fine = check_not_printed_into(options.list); !fine)
    return tell_error("{}", fine.error().text());
  const auto text = read_text_file(path, kMostBytes);
  if (!text) return tell_error("{}", text.error().text());
  for (const std::string_view line : split(*text, '\n'))
    if (!line.empty()) options.files.emplace_back(line);
  return true;
}

/// Writes to standard output. Leaves out a csv heading that equals the previous recording's.
class RecordingsOutput {
 public:
  explicit RecordingsOutput(Format format) : has_heading_(format == Format::csv) {}

  void begin_recording() { is_before_rows_ = has_heading_; }
  bool write(std::string_view text) {
    if (is_before_rows_) {
      begun_ += text;
      const std::size_t end = begun_.find('\n') + 1;
      if (end == 0) return true;
      is_before_rows_ = false;
      const std::string rest = std::exchange(begun_, {});
      const bool is_known = heading_ == rest.substr(0, end);
      heading_ = rest.substr(0, end);
      return write(is_known ? std::string_view(rest).substr(end) : rest);
    }
    return is_whole_ = to_stdout(text) && is_whole_;
  }
  /// Returns false if output was lost, so that reading on is useless.
  bool is_whole() const { return is_whole_; }

 private:
  bool has_heading_, is_before_rows_ = false, is_whole_ = true;
  std::string begun_, heading_;
};

Result<SampleTally> write_samples(const Recording& file, AnnotateArguments& options,
                                  RecordingsOutput& out) {
  if (auto times = options.filter.fill_times(file, options.annotate.filter); !times)
    return fail(times);
  options.annotate.symbols = &options.functions.get();
  return annotate(file, options.annotate, [&](std::string_view text) { return out.write(text); });
}

/// Returns the exit code for one recording.
int write_recording(AnnotateArguments& options, const std::string& path, RecordingsOutput& out,
                    SampleTally& tally) {
  const auto file = options.traces.open(path);
  if (!file) return kUnusable;
  Progress progress;
  options.annotate.pass.progress = progress.callback();
  out.begin_recording();
  auto written = write_samples(*file, options, out);
  progress.end();
  if (!written) return tell_error("{}", written.error().text());
  tally = std::move(*written);
  const auto unread = options.annotate.pass.salvage ? Unread::gone : Unread::salvageable;
  const int code = finish_pass(*file, tally, unread);
  if (tally.selected > 0 || !options.filter.is_set() || options.annotate.limit == 0) return code;
  tell_no_match(options.filter, options.annotate.filter, std::span(&*file, 1));
  return kPartial;
}

/// Returns the exit code for one recording, and adds its line to the log.
int annotate_file(AnnotateArguments& options, const std::string& path, RecordingsOutput& out,
                  std::string& log) {
  SampleTally tally;
  const int code = write_recording(options, path, out, tally);
  log += fmt::format("{}\t{}\t{}\n", code, std::min(tally.selected, options.annotate.limit), path);
  return code;
}

std::vector<std::string> inputs_of(const AnnotateArguments& options) {
  std::vector<std::string> inputs = options.functions.inputs(options.files);
  inputs.push_back(options.list);
  return inputs;
}

int annotate_files(AnnotateArguments& options) {
  if (!fill(options) || !add_listed(options)) return kUnusable;
  const auto limit = limit_of(options.limit);
  if (!limit) {
    tell_error("--limit {} leaves no sample; 0 is the least", options.limit);
    return kPartial;
  }
  options.annotate.limit = *limit;
  if (!options.log.empty() && !may_replace("--log", options.log, inputs_of(options), options.force))
    return kUnusable;
  RecordingsOutput out(options.annotate.format);
  std::string log;
  int most = kDone;
  std::size_t unusable_files = 0;
  for (const std::string& path : options.files) {
    const int code = annotate_file(options, path, out, log);
    unusable_files += code == kUnusable;
    most = std::max(most, code);
    if (!out.is_whole()) return kUnusable;
  }
  options.functions.tell_problems(options.annotate.format != Format::folded);
  if (!options.log.empty() &&
      (!flush_output() || !write_output(options.log, log, inputs_of(options))))
    return kUnusable;
  return unusable_files < options.files.size() ? std::min<int>(most, kPartial) : most;
}

std::string_view file_problem(const AnnotateArguments& options) {
  return options.files.empty() && options.list.empty() ? "FILE is missing" : "";
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

void add_input_options(Command& command, AnnotateArguments& options) {
  command
      .option("-i,--input,FILE", options.files,
              "perf.data, files or directories, one after the other; - reads standard input")
      .value_name("FILE");
  command
      .option("--files-from", options.list,
              "Recordings to read as well: a file with a path in each line; - is standard input")
      .value_name("FILE");
  command
      .option("--log", options.log,
              "Write a line for each recording at the end: exit code, samples, path")
      .value_name("FILE");
}

void add_line_options(Command& command, AnnotateArguments& options) {
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
               "folded: sum periods instead of samples, as --waiting does");
  add_waiting(command, options.annotate.pass);
  command.flag("--raw-order", options.annotate.pass.file_order,
               "Print samples in the order of the file, not of time");
  command.flag("--salvage", options.annotate.pass.salvage,
               "After damaged records, continue at the next place that looks like records");
  command.option("--limit", options.limit, "Stop after this many samples of a recording")
      .value_name("NUMBER")
      .checked_by(limit_problem);
}

}  // namespace

void add_annotate(Command& command) {
  auto& options = command.runs(annotate_files, file_problem);
  add_input_options(command, options);
  add_line_options(command, options);
  add_force(command, options.force);
  options.traces.add_to(command);
  add_jobs(command, options.annotate.pass.jobs);
  command.accept("--stdio");
  options.filter.add_to(command);
  options.functions.add_to(command);
  command.notes(
      field_help() +
      "\nIn csv and jsonl 'event' stands for event, pmu, code, config1 to config3 (jsonl: to\n"
      "config4, where not 0), attr; time is in seconds; what was not sampled is empty or null.");
}

}  // namespace evname::tools
