// evname script: perf script, for the tools that call it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/output/output_file.hpp"
#include "base/text.hpp"
#include "info/perf_header.hpp"
#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "recordings/annotation/script_options.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

using annotation::TimesFrom;

/// An option of perf script that evname refuses, and the reason. `value`: it takes one.
struct RefusedRow {
  const char* names;
  bool value;
  const char* why;
};
constexpr const char* kScripts =
    "evname runs no scripts; evname annotate --json prints an object for each sample to a script, "
    "and the Python module evname reads recordings";
constexpr const char* kFilters =
    "evname loads no filters; --dsos, -S, --sym, --comms, --time and others choose samples";
constexpr const char* kTraces =
    "evname decodes no instruction traces; --itrace chooses samples of Arm's SPE";
constexpr const char* kGuests =
    "evname knows no files of virtual machines; without it their functions are unknown";
constexpr RefusedRow kRefused[] = {
    {"-d,--debug-mode", false, "evname info --records counts and checks records"},
    {"-l,--list", false, kScripts},
    {"-s,--script", true, kScripts},
    {"-g,--gen-script", true, kScripts},
    {"--list-dlfilters", false, kFilters},
    {"--dlfilter", true, kFilters},
    {"--dlarg", true, kFilters},
    {"--insn-trace", false, kTraces},
    {"--xed", false, "evname decodes instructions itself: -F +disasm"},
    {"--call-trace", false, kTraces},
    {"--call-ret-trace", false, kTraces},
    {"--graph-function", true, kTraces},
    {"--show-round-events", false,
     "evname sorts by time instead; evname info --records counts them"},
    {"--demangle-kernel", false, "functions of the kernel have the names of its symbols"},
    {"--guestmount", true, kGuests},
    {"--guestvmlinux", true, kGuests},
    {"--guestkallsyms", true, kGuests},
    {"--guestmodules", true, kGuests},
    {"--guest-code", false, kGuests},
    {"--stitch-lbr", false,
     "callchains of the CPU's branch stack are printed as they were recorded"},
    {"--no-merge-callchains", false, "a callchain in two parts is always one"},
};

/// Holds one of them as it was given.
struct Refused {
  Option option;
  std::string value;
  bool given = false;
};

struct ScriptArguments {
  std::string file;
  std::vector<std::string> fields;
  TraceArguments traces;
  FilterOptions filter;
  NamedFunctions functions;
  annotation::ScriptOptions annotate;
  bool header = false, header_only = false, all_features = false;
  bool relative = false, deltas = false, dumps = false;
  bool bytes = false, unsorted_bytes = false;  ///< of records
  std::vector<std::string> files, symbols, roots;
  std::string range, most_frames, most_blocks, on, off, unwinder, addr2line;
  std::array<Refused, std::size(kRefused)> refused;
};

/// Records that are printed beside samples.
struct Others {
  const char* option;
  bool annotation::OtherRecords::*member;
  const char* what;
};
constexpr Others kOthers[] = {
    {"--show-mmap-events", &annotation::OtherRecords::mmaps, "Also print what was mapped"},
    {"--show-task-events", &annotation::OtherRecords::tasks,
     "Also print the names, forks and exits of threads"},
    {"--show-switch-events", &annotation::OtherRecords::switches, "Also print context switches"},
    {"--show-namespace-events", &annotation::OtherRecords::namespaces, "Also print namespaces"},
    {"--show-cgroup-events", &annotation::OtherRecords::cgroups, "Also print cgroups"},
    {"--show-lost-events", &annotation::OtherRecords::lost, "Also print what was lost"},
    {"--show-bpf-events", &annotation::OtherRecords::bpf,
     "Also print BPF programs and their symbols"},
    {"--show-text-poke-events", &annotation::OtherRecords::text_pokes,
     "Also print changes of the kernel's code"}};

/// Returns the event of a name, as perf looks for it; fails if the recording has none.
Result<std::optional<std::size_t>> event_named(const Recording& file, const std::string& name) {
  if (name.empty()) return std::optional<std::size_t>();
  for (const RecordedEvent& event : file.events())
    if (event.recorded_name == name || event.name == name) return std::optional(event.attr);
  return fail(Errc::not_found, fmt::format("the recording has no event '{}'", name), {},
              "evname info lists its events");
}

/// Returns the number of an option that was checked.
std::uint64_t count_of(const std::string& text) { return parse_decimal(text).value_or(0); }

/// Splits lists at commas.
std::vector<std::string> listed_words(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists)
    for (const std::string_view word : split(list, ','))
      if (!word.empty()) words.emplace_back(word);
  return words;
}

void fill_style(const ScriptArguments& options, annotation::LineStyle& style) {
  if (options.relative) style.times = TimesFrom::first_sample;
  if (options.deltas) style.times = TimesFrom::last_sample;
  if (!options.most_frames.empty()) style.most_frames = count_of(options.most_frames);
  style.most_blocks = count_of(options.most_blocks);
  style.roots = listed_words(options.roots);
}

/// A word of -S that is a hexadecimal number is an address, too, as in perf.
void fill_places(const ScriptArguments& options, annotation::NamedPlaces& places) {
  places.files = listed_words(options.files);
  places.functions = listed_words(options.symbols);
  for (const std::string& word : places.functions)
    if (const auto address = parse_hex(word)) places.addresses.push_back(*address);
  places.range = count_of(options.range);
}

/// --time of --reltime counts from the first sample.
Result<void> fill_times(const Recording& file, ScriptArguments& options) {
  SampleFilter& filter = options.annotate.filter;
  if (auto times = options.filter.fill_times(file, filter); !times) return times;
  if (!options.relative || filter.times.empty()) return {};
  const auto& known = perf_data::features_of(file).sample_time;
  if (!known)
    return fail(Errc::not_found, "the recording does not say when its first sample was", {},
                "--time without --reltime takes times of the recording");
  for (TimeRange& range : filter.times) {
    range.first += (*known)[0];
    if (range.last != UINT64_MAX) range.last += (*known)[0];
  }
  return {};
}

Result<void> fill(const Recording& file, ScriptArguments& options) {
  annotation::ScriptOptions& how = options.annotate;
  how.names = NameStyle::recorded;
  how.printable = is_terminal(Screen::out) && !options.dumps;
  how.others.counts = !options.dumps;
  options.filter.fill(how.filter);
  fill_style(options, how.style);
  fill_places(options, how.places);
  auto fields = annotation::parse_script_fields(options.fields, file, how.style.hides_callers);
  if (!fields) return fail(fields);
  how.event_fields = std::move(*fields);
  if (auto times = fill_times(file, options); !times) return times;
  const auto on = event_named(file, options.on), off = event_named(file, options.off);
  if (!on || !off) return fail(on ? off : on);
  how.on_off.on = *on;
  how.on_off.off = *off;
  how.symbols = &options.functions.get();
  how.pass.file_order = options.unsorted_bytes;
  if (options.bytes || options.unsorted_bytes) how.dump = dump_options(file);
  return {};
}

/// Writes the lines of an event to its own file, and says so as perf does.
Result<SampleTally> dump_event(const Recording& file, const annotation::ScriptOptions& options,
                               const RecordedEvent& event) {
  annotation::ScriptOptions own = options;
  const std::string path = fmt::format("{}.{}.dump", file.facts().path, event.recorded_name);
  const std::string inputs[] = {file.facts().path};
  auto out = OutputFile::create(path, inputs);
  if (!out) return fail(out);
  own.only_event = event.attr;
  std::uint64_t bytes = 0;
  const auto tally = annotation::annotate(file, own, [&](std::string_view text) {
    bytes += text.size();
    return out->write(text).has_value();
  });
  if (!tally) return tally;
  if (auto done = out->commit(); !done) return fail(done);
  print_out("[ perf script: Wrote {:.3f} MB {} ({} samples) ]\n",
            static_cast<double>(bytes) / 1024 / 1024, path, tally->selected);
  return tally;
}

Result<SampleTally> dump_events(const Recording& file, const ScriptArguments& options) {
  Result<SampleTally> tally;
  for (const RecordedEvent& event : file.events())
    if (tally = dump_event(file, options.annotate, event); !tally) break;
  return tally;
}

/// Reports options that are refused, or do not go together.
bool are_usable(const ScriptArguments& options) {
  for (std::size_t i = 0; i < std::size(kRefused); ++i)
    if (options.refused[i].option.is_given())
      return tell_error("script: {}: {}", kRefused[i].names, kRefused[i].why);
  if (options.relative && options.deltas)
    return tell_error("--reltime and --deltatime exclude each other");
  const bool is_mixed = options.annotate.others.any() || options.relative || options.deltas ||
                        options.bytes || options.unsorted_bytes;
  if (options.dumps && (is_mixed || perf_input(options.file) == "-"))
    return tell_error(
        "--per-event-dump reads a file once for each event, so it goes with no pipe, -D, "
        "--reltime, --deltatime or --show-…-events: run these alone");
  if (!options.unwinder.empty() && options.unwinder != "libdw" && options.unwinder != "libunwind")
    return tell_error("--unwind-style {}: there are libdw and libunwind", options.unwinder);
  return true;
}

void tell_unused(const ScriptArguments& options) {
  if (!options.unwinder.empty())
    tell_note("--unwind-style {}: callers are unwound by evname itself", options.unwinder);
  if (!options.addr2line.empty())
    tell_note("--addr2line {}: evname reads debug information itself", options.addr2line);
}

int print_script(ScriptArguments& options) {
  if (!are_usable(options)) return kUnusable;
  const auto file = options.traces.open(perf_input(options.file));
  if (!file) return kUnusable;
  tell_unused(options);
  if (options.header || options.header_only)
    print_header(header_lines(*file, options.all_features));
  if (options.header_only) return file->warnings().empty() ? kDone : kPartial;
  const bool is_pipe = file->facts().form == FileFacts::Form::pipe;
  if (is_pipe && (options.header || options.all_features))
    print_header(feature_header(*file, options.all_features));
  if (const auto filled = fill(*file, options); !filled)
    return tell_error("{}", filled.error().text());
  const auto tally = options.dumps ? dump_events(*file, options)
                                   : annotation::annotate(*file, options.annotate, to_stdout);
  if (!tally) return tell_error("{}", tally.error().text());
  options.functions.tell_problems(false);
  return finish_pass(*file, *tally);
}

std::string no_count_problem(const std::string& text) {
  return parse_number(text) ? "" : "'" + text + "' is not a number";
}

void add_header_options(Command& command, ScriptArguments& options) {
  command.flag("--header", options.header, "Print the recording's header first, as perf does");
  command.flag("--header-only", options.header_only, "Print only the header");
  command.flag("-I,--show-info", options.all_features,
               "--header: with the topology of CPUs, caches and memory");
}

void add_place_options(Command& command, ScriptArguments& options) {
  command.option("--dsos", options.files, "Only samples in these files")
      .value_name("FILES")
      .one_value_each();
  command
      .option("-S,--symbols", options.symbols,
              "Only samples in functions of these names, or at these hexadecimal addresses")
      .value_name("NAMES")
      .one_value_each();
  command.option("--addr-range", options.range, "-S: this many bytes from each address on")
      .value_name("BYTES")
      .checked_by(no_count_problem);
  command.option("--switch-on", options.on, "Only samples after the first of this event")
      .value_name("EVENT");
  command.option("--switch-off", options.off, "Only samples before the next of this event")
      .value_name("EVENT");
  command.flag("--show-on-off-events", options.annotate.on_off.shows_both,
               "Also the samples of --switch-on and --switch-off");
}

void add_dump_options(Command& command, ScriptArguments& options) {
  command.flag("-D,--dump-raw-trace", options.bytes,
               "Also print the bytes and the fields of each record");
  command.flag("--dump-unsorted-raw-trace", options.unsorted_bytes,
               "The same, in the order of the file");
}

void add_style_options(Command& command, ScriptArguments& options) {
  annotation::LineStyle& style = options.annotate.style;
  command.flag("-G,--hide-call-graph", style.hides_callers, "Print no callers");
  command.option("--max-stack", options.most_frames, "Addresses of a callchain; by default 127")
      .value_name("NUMBER")
      .checked_by(no_count_problem);
  command.option("--stop-bt", options.roots, "Leave out the callers of these functions")
      .value_name("NAMES")
      .one_value_each();
  command.flag("--reltime", options.relative, "Times since the first line");
  command.flag("--deltatime", options.deltas, "Times since the line before");
  command.flag("--ns", style.nanoseconds, "Times with nine decimals");
  command.flag("-L,--Latency", style.latency_columns, "Short columns of threads and CPUs");
  command.flag("--full-source-path", style.full_sources, "Sources with their directories");
  command.flag("--show-kernel-path", style.file_paths,
               "Paths of the kernel's image and modules instead of [names]");
  command
      .option("--max-blocks", options.most_blocks, "Blocks of code of brstackinsn; by default all")
      .value_name("NUMBER")
      .checked_by(no_count_problem);
  command.flag("--per-event-dump", options.dumps,
               "Write the lines of each event to a file of its own, perf.data.EVENT.dump");
}

/// Options that change nothing here, and those that are refused.
void add_other_options(Command& command, ScriptArguments& options) {
  for (const char* names :
       {"-f,--force", "--stdio", "-a,--all-cpus", "--inline", "--demangle", "--merge-callchains"})
    command.accept(names);
  command.option("--unwind-style", options.unwinder, "").hide();
  command.option("--addr2line", options.addr2line, "").hide();
  for (std::size_t i = 0; i < std::size(kRefused); ++i) {
    Refused& one = options.refused[i];
    one.option = kRefused[i].value ? command.option(kRefused[i].names, one.value, "").hide()
                                   : command.flag(kRefused[i].names, one.given, "").hide();
  }
}

}  // namespace

void add_script(Command& command) {
  auto& options = command.runs(print_script);
  add_perf_input(command, options.file);
  command
      .option("-F,--fields", options.fields,
              "What to print: comm,pid,ip; +srcline or -period change the default; trace:comm,time "
              "for events of a type: hw, sw, trace, raw, break")
      .value_name("FIELDS")
      .one_value_each();
  add_header_options(command, options);
  for (const Others& row : kOthers)
    command.flag(row.option, options.annotate.others.*row.member, row.what);
  add_dump_options(command, options);
  options.traces.add_to(command);
  add_jobs(command, options.annotate.pass.jobs);
  options.filter.add_to(command);
  add_place_options(command, options);
  add_style_options(command, options);
  options.functions.add_to(command);
  add_other_options(command, options);
  command.notes(
      "The output equals perf script 7.3's, byte for byte, except as docs/perf.md lists.\n"
      "Called through a link named perf, evname takes only script and buildid-list, so that\n"
      "perf2bolt, llvm-profgen and others that look for perf in $PATH use it.");
}

}  // namespace evname::tools
