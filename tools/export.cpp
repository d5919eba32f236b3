// evname export: writes the samples of recordings as a profile for a viewer or a compiler.

#include <fmt/format.h>

#include <algorithm>

#include "evname/profile.hpp"
#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ExportArguments {
  std::vector<std::string> files;
  std::string format, output;
  FilterOptions filter;
  ProfileOptions profile;
  NamedFunctions functions;
  TraceArguments traces;
  bool addresses = false, force = false;
};

/// Returns the row of --format.
const ProfileFormatInfo& format_of(const ExportArguments& options) {
  return *std::ranges::find(profile_formats(), options.format, &ProfileFormatInfo::name);
}

void fill(ExportArguments& options) {
  options.profile.format = format_of(options).format;
  options.profile.gzip = options.output.ends_with(".gz");
  options.filter.fill(options.profile.filter);
}

int finish(const ExportArguments& options, std::span<const Recording> files,
           const ProfileTally& tally) {
  int code = files.size() == options.files.size() ? kDone : kPartial;
  const auto unread = options.profile.pass.salvage ? Unread::gone : Unread::salvageable;
  for (std::size_t i = 0; i < files.size(); ++i)
    code = std::max(code, finish_pass(files[i], tally.files[i], unread));
  for (const std::string& warning : tally.warnings)
    tell_warning("{}: {}", options.profile.binary, warning);
  if (!options.profile.binary.empty())
    tell_note("{}: {} samples, {} branches, {} of them outside of it; {} samples of others",
              options.profile.binary, tally.samples, tally.branches, tally.outside,
              tally.other_samples);
  if (tally.samples > 0) return code;
  if (options.filter.is_set())
    tell_no_match(options.filter, options.profile.filter, files);
  else
    tell_error("there are no samples: nothing is written");
  return kPartial;
}

/// Returns the samples to make from trace data: for compilers, one for each operation or branch.
TraceOptions traces_for(const ProfileOptions& profile) {
  const auto only = [](TraceKind kind, std::uint64_t branches) {
    return TraceOptions{static_cast<unsigned>(kind), 1, branches};
  };
  if (profile.binary.empty()) return {};
  return profile.plain ? only(TraceKind::instructions, 0) : only(TraceKind::branches, 2);
}

int export_files(ExportArguments& options) {
  fill(options);
  const bool is_shown = options.output == "-" && is_terminal(Screen::out);
  if (is_shown && !format_of(options).is_text)
    return tell_error(
        "{} is binary, and standard output is a terminal: write it to a file, or into a pipe",
        options.format);
  std::vector<std::string> inputs = options.functions.inputs(options.files);
  inputs.push_back(options.profile.binary);
  if (!may_replace("-o", options.output, inputs, options.force)) return kUnusable;
  // An unreadable recording does not hide the others.
  std::vector<Recording> files;
  for (const std::string& path : options.files)
    if (const auto file = options.traces.open(path, traces_for(options.profile)))
      files.push_back(*file);
  if (files.empty()) return kUnusable;
  if (const auto times = options.filter.fill_times(files[0], options.profile.filter); !times)
    return tell_error("{}", times.error().text());
  if (!options.addresses) options.profile.symbols = &options.functions.get();
  Progress progress;
  options.profile.pass.progress = progress.callback();
  // A terminal must not act on names in the recordings.
  const auto tally = is_shown ? export_profile(files, options.profile, TextSink(to_stdout))
                              : export_profile(files, options.profile, options.output);
  progress.end();
  if (!tally) return tell_unwritten(options.output, tally.error());
  options.functions.tell_problems(false);
  return finish(options, files, *tally);
}

std::string format_help() {
  std::string help = "Formats (--format):\n";
  for (const ProfileFormatInfo& info : profile_formats())
    help += fmt::format(
        "  {:<11} {}{}\n", info.name, info.what,
        info.missing.empty() ? "" : fmt::format(" (not built: needs {})", info.missing));
  return help;
}

void add_profile_options(Command& command, ExportArguments& options) {
  std::vector<std::string> formats;
  for (const ProfileFormatInfo& info : profile_formats()) formats.emplace_back(info.name);
  command.option("--format", options.format, "The viewer or compiler that is to read it")
      .required()
      .value_name("FORMAT")
      .one_of(formats);
  command
      .option("-o,--output", options.output,
              "Output file, compressed if its name ends in .gz; - is standard output")
      .required()
      .value_name("FILE");
}

/// Adds the options of profiles for compilers.
void add_binary_options(Command& command, ExportArguments& options) {
  command
      .option("--binary", options.profile.binary,
              "bolt, profgen, autofdo: the program, library, vmlinux or module that the profile is "
              "for")
      .value_name("BINARY");
  command
      .option("--recorded-as", options.profile.recorded_as,
              "Its path or name in the recordings, if they know no build id and call it otherwise")
      .value_name("PATH");
  command.flag("--ignore-build-id", options.profile.ignore_build_id,
               "Use a recorded file of that name even if its build id differs");
  command.flag("--nl,--ba", options.profile.plain,
               "bolt, autofdo: count the samples themselves instead of branch stacks");
}

}  // namespace

void add_export(Command& command) {
  auto& options = command.runs(export_files);
  add_recording(command, options.files, "perf.data, one or more; - reads standard input");
  add_profile_options(command, options);
  add_binary_options(command, options);
  add_jobs(command, options.profile.pass.jobs);
  add_force(command, options.force);
  add_waiting(command, options.profile.pass);
  command.flag("--salvage", options.profile.pass.salvage,
               "After damaged records, continue at the next place that looks like records");
  command.flag("--addresses", options.addresses, "Addresses in place of functions");
  options.functions.add_to(command);
  options.traces.add_to(command);
  options.filter.add_to(command);
  command.notes(
      format_help() +
      "\nEach event is a sample type, track or profile of its own, with its PMU and code.\n"
      "Of several recordings, each counts time from its first sample. Profiles for compilers add\n"
      "all events and recordings up: perf2bolt -pa -p OUT, llvm-profgen "
      "--unsymbolized-profile=OUT,\n"
      "create_llvm_prof --profiler=text --profile=OUT, each with --binary or the like.");
}

}  // namespace evname::tools
