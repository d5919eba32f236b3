#include "input/recording.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "input/machine.hpp"
#include "input/open_files.hpp"
#include "output/standard.hpp"
#include "recordings/symbols/mapping_kinds.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

namespace {

// A handler can call little more than write(2), so the message is prepared before.
char message[1024];
int shortened_files = 0;

void set_message(const std::string& path) {
  std::string text = "evname: ";
  // With several files, the address would have to be looked up.
  text +=
      ++shortened_files == 1 ? path.substr(0, sizeof message / 2) : std::string("one of the files");
  text += ": became shorter while it was read\n";
  std::memcpy(message, text.c_str(), text.size() + 1);
}

void on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    ::raise(signal);  // by now the default, which ends the process
    return;
  }
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(kUnusable);
}

void watch_for_shortened_files(const std::string& path) {
  set_message(path);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  ::sigaction(SIGBUS, &action, nullptr);
}

/// Reports warnings with the path, as thousands of files may share one stderr.
void warn(const Recording& file, std::span<const std::string> warnings) {
  const std::string path = file.facts().path;
  for (const std::string& warning : warnings) tell_warning("{}: {}", path, warning);
}

/// Returns true if reading ends at the damage that the warning is about.
bool leaves_unread(const std::string& warning) {
  return warning.find("not read") != warning.npos || warning.find("nothing after") != warning.npos;
}

}  // namespace

void add_perf_input(Command& command, std::string& file) {
  command
      .option("-i,--input", file,
              "perf.data, file or directory; by default perf.data, or standard input if it is a "
              "pipe")
      .value_name("FILE");
}

std::string perf_input(const std::string& file) {
  if (!file.empty()) return file;
  struct stat input;
  const bool is_pipe = ::fstat(STDIN_FILENO, &input) == 0 && S_ISFIFO(input.st_mode);
  return is_pipe ? "-" : "perf.data";
}

Result<Recording> open_recording(const std::string& path, const TraceOptions& traces) {
  if (auto fine = check_not_printed_into(path); !fine) return fail(fine);
  watch_for_shortened_files(path);
  return Recording::open(path, user_events(), traces);
}

namespace {

std::optional<Recording> open_with(const std::string& path, const TraceOptions& traces) {
  auto file = open_recording(path, traces);
  if (!file) {
    tell_error("{}{}", path.empty() ? "'': " : "", file.error().text());
    return std::nullopt;
  }
  warn(*file, file->warnings());
  warn(*file, file->machine().warnings());
  if (const std::string& note = file->machine().cpu().note; !note.empty())
    tell_note("{}: {}", path, note);
  return *std::move(file);
}

void tell_undecoded(const Recording& file, std::string_view hint = "") {
  const FileFacts facts = file.facts();
  if (!facts.undecoded_traces.empty())
    tell_note("{}: the trace data of {} are not decoded{}", facts.path, facts.undecoded_traces,
              hint);
}

}  // namespace

std::optional<Recording> open_perf_file(const std::string& path) {
  auto file = open_with(path, TraceOptions::none());
  if (file) tell_undecoded(*file);
  return file;
}

namespace {

std::string trace_problem(const std::string& letters) {
  const auto read = parse_trace_options(letters);
  return read ? std::string() : read.error().text();
}

}  // namespace

void TraceArguments::add_to(Command& command) {
  command
      .option("--itrace", letters_,
              "Samples to make of trace data of Arm's SPE: f, m, t caches and TLB, b branches, a "
              "remote accesses, M memory, i operations, l branch stacks; by default all but l")
      .value_name("LETTERS")
      .checked_by(trace_problem);
  command.flag("--no-itrace", none_, "Leave trace data alone, without a note");
}

std::optional<Recording> TraceArguments::open(const std::string& path,
                                              const TraceOptions& otherwise) const {
  const TraceOptions traces = none_              ? TraceOptions::none()
                              : letters_.empty() ? otherwise
                                                 : *parse_trace_options(letters_);
  auto file = open_with(path, traces);
  return file && accepts(*file) ? std::move(file) : std::nullopt;
}

bool TraceArguments::accepts(const Recording& file) const {
  const FileFacts facts = file.facts();
  const bool is_asked = !none_ && !letters_.empty();
  if (is_asked && !facts.undecoded_traces.empty())
    return tell_error("--itrace={}: {} has trace data of {}, which evname does not decode",
                      letters_, facts.path, facts.undecoded_traces);
  if (!none_) tell_undecoded(file, " (as with --no-itrace)");
  return true;
}

namespace {

/// For a recording with counts but no samples, names the subcommand that reads it.
void tell_of_counts(const Recording& file, const SampleTally& tally) {
  constexpr std::uint32_t kStat = 76;
  const bool has_counts =
      std::ranges::any_of(tally.records, [](const auto& record) { return record.first == kStat; });
  const std::string path = file.facts().path;
  if (tally.samples == 0 && has_counts)
    tell_note(
        "{0}: has counts of `perf stat record` and no samples: `evname metrics --from {0}` "
        "computes metrics of them, `evname topdown --from {0}` a tree",
        path);
}

}  // namespace

int finish_pass(const Recording& file, const SampleTally& tally, Unread unread) {
  warn(file, tally.warnings);
  for (const std::string& note : tally.gaps) tell_note("{}: {}", file.facts().path, note);
  tell_of_counts(file, tally);
  if (unread == Unread::salvageable && std::ranges::any_of(tally.warnings, leaves_unread))
    tell_note("{}: with --salvage, evname looks for more records in the part that was not read",
              file.facts().path);
  const std::size_t of_order = tally.late > 0 ? 1 : 0;  // a warning about complete data
  const bool whole = file.warnings().empty() && tally.warnings.size() == of_order &&
                     tally.unknown_ids == 0 && tally.malformed == 0;
  return whole ? kDone : kPartial;
}

void add_waiting(Command& command, PassOptions& pass) {
  command.flag("--waiting", pass.waits,
               "Time that threads waited instead of samples: from sched:sched_switch, "
               "context-switches with --switch-events, or perf's --off-cpu");
}

void add_jobs(Command& command, unsigned& jobs) {
  command.option("--jobs", jobs, "Threads to use at most; by default as many as there are cores");
}

namespace {

/// Returns the fault of a file of symbols; "" if there is none.
std::string symbols_problem(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) return fmt::format("{}: {}", path, std::strerror(errno));
  const auto fine = check_not_printed_into(path);
  return fine ? "" : fine.error().text();
}

}  // namespace

void NamedFunctions::add_to(Command& command) {
  command.option("--symfs", options_.symfs, "Look for files below this directory")
      .value_name("DIRECTORY")
      .existing_directory();
  command.option("-k,--vmlinux", options_.vmlinux, "The kernel's image")
      .value_name("FILE")
      .checked_by(symbols_problem);
  command.option("--kallsyms", options_.kallsyms, "The kernel's symbols")
      .value_name("FILE")
      .checked_by(symbols_problem);
  command.flag("--debuginfod", options_.debuginfod,
               "Ask the servers of $DEBUGINFOD_URLS for files that are not here");
  command.flag("--no-inline", no_inline_, "Leave out inlined calls, which is faster");
  command.flag("--no-demangle", no_demangle_,
               "Print names of C++ and Rust as the symbols have them");
  command.flag("-v,--verbose", verbose_, "Report where the functions of each file were looked for");
}

const Symbols& NamedFunctions::get() {
  if (symbols_) return *symbols_;
  options_.inlines = !no_inline_;
  options_.demangle = !no_demangle_;
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (options_.debuginfod && (!servers || !*servers))
    tell_warning("--debuginfod: $DEBUGINFOD_URLS names no server, so none is asked");
  allow_many_files();
  if (verbose_) options_.tell = [](std::string_view message) { tell_note("{}", message); };
  return symbols_.emplace(options_);
}

std::vector<std::string> NamedFunctions::inputs(std::span<const std::string> recordings) const {
  std::vector<std::string> all(recordings.begin(), recordings.end());
  all.insert(all.end(), {options_.vmlinux, options_.kallsyms});
  if (symbols_)
    for (std::string& file : symbols_->plain_files()) all.push_back(std::move(file));
  return all;
}

namespace {

/// A kind of file, and the ways to the names of its functions.
struct Remedy {
  bool (*is_for)(const report::UnnamedFile& file);
  const char* what;
};

bool is_kernel(const report::UnnamedFile& file) { return symbols::is_kernel_image(file.name); }
bool is_made(const report::UnnamedFile& file) {
  const std::string_view name = file.name;
  return symbols::is_without_file(name) || symbols::is_named_memory(name) ||
         (last_part(name).starts_with("perf-") && name.ends_with(".map"));
}
bool is_module(const report::UnnamedFile& file) {
  return !is_kernel(file) && !is_made(file) && symbols::is_module(file.name);
}
bool is_user(const report::UnnamedFile& file) {
  return !is_kernel(file) && !is_made(file) && !is_module(file);
}
bool has_build_id(const report::UnnamedFile& file) {
  return is_user(file) && !file.build_id.empty();
}
bool is_path_alone(const report::UnnamedFile& file) {
  return is_user(file) && file.build_id.empty();
}

/// Each file has one kind.
constexpr Remedy kRemedies[] = {
    {is_kernel, "the kernel: --vmlinux FILE or --kallsyms FILE"},
    {is_module, "its modules: --symfs DIRECTORY with /lib/modules of the recorded machine"},
    {has_build_id,
     "files with a build id: --debuginfod (packages of distributions), --symfs DIRECTORY (files of "
     "the recorded machine), or copies of them in ~/.debug (perf buildid-cache --add)"},
    {is_made, "code made at run time: /tmp/perf-PID.map or a jitdump, which its compiler writes"},
    {is_path_alone, "files without one: --symfs DIRECTORY (files of the recorded machine)"},
};

/// The files with most samples: "libc.so.6 12.3%, a.out 0.4%".
std::string most_unnamed(std::span<const report::UnnamedFile> files, std::uint64_t samples) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> texts;
  for (const report::UnnamedFile& file : files.first(std::min(files.size(), kMost)))
    texts.push_back(
        fmt::format("{} {:.1f}%", last_part(file.name),
                    100 * static_cast<double>(file.samples) / static_cast<double>(samples)));
  return joined(texts, ", ");
}

/// The remedies for these files; all of them if there are none.
std::string remedies_for(std::span<const report::UnnamedFile> files) {
  std::vector<std::string> texts;
  for (const Remedy& one : kRemedies)
    if (files.empty() || std::ranges::any_of(files, one.is_for)) texts.emplace_back(one.what);
  return joined(texts, "; ");
}

}  // namespace

void NamedFunctions::tell_problems(bool asked, std::span<const report::UnnamedFile> unnamed,
                                   std::uint64_t samples) const {
  constexpr std::size_t kMost = 5;
  if (!symbols_) return;
  if (const std::size_t count = symbols_->files_by_path().size())
    tell_warning(
        "{} file{} without a build id {} taken to be the recorded one{} because of {} path{}",
        count, count > 1 ? "s" : "", count > 1 ? "were" : "was", count > 1 ? "s" : "",
        count > 1 ? "their" : "its", verbose_ ? "" : " (-v tells which)");
  if (verbose_) return;
  auto problems = symbols_->problems();
  const std::size_t warnings = symbols_->warnings().size();
  // Several threads found them in any order.
  const auto rest = problems.begin() + static_cast<std::ptrdiff_t>(warnings);
  std::sort(problems.begin(), rest);
  std::sort(rest, problems.end());
  const std::size_t shown = std::min(asked ? problems.size() : warnings, kMost);
  for (std::size_t i = 0; i < shown; ++i) tell_warning("{}", problems[i]);
  const std::size_t left = problems.size() - shown;
  if (left == 0 && (problems.size() == warnings || unnamed.empty())) return;
  std::vector<std::string> parts;
  if (left > 0)
    parts.push_back(fmt::format("{}{} file{} could not be used (-v tells which)", left,
                                shown > 0 ? " more" : "", left > 1 ? "s" : ""));
  if (!unnamed.empty() && samples > 0)
    parts.push_back("most samples are in " + most_unnamed(unnamed, samples));
  tell_note("functions may lack names: {}", joined(parts, "; "));
  tell_note("names for {}", remedies_for(unnamed));
}

}  // namespace evname::tools
