#pragma once
// What all subcommands that read a recording do with it, and the options that say where names of
// functions are looked for: --symfs, --vmlinux, --kallsyms, …

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "evname/perf_data.hpp"
#include "evname/symbols.hpp"

namespace evname::tools {

/// Opens a recording and reports its warnings, trace data that are not decoded, and how its machine
/// was matched if that is a fallback. Returns nullopt after reporting why it can't.
std::optional<PerfData> open_perf_file(const std::string& path);

/// The argument FILE, which -i FILE names, too, as in perf; `value` is a text or a list of them.
template <class T>
void add_recording(Command& command, T& value, const std::string& about) {
  command.option("-i,--input,FILE", value, about).value_name("FILE").required();
}

/// Adds the -i of perf's own subcommands, which may be left out.
void add_perf_input(Command& command, std::string& file);
/// Returns what perf reads: the file of -i; without one "-" if standard input is a pipe, else
/// "perf.data".
std::string perf_input(const std::string& file);

/// What --salvage might find in what a pass has not read.
enum class Unread { gone, salvageable };

/// Reports the warnings of a pass, and returns the exit code for it.
int finish_pass(const PerfData& file, const SampleTally& tally, Unread unread = Unread::gone);

/// --jobs
void add_jobs(Command& command, unsigned& jobs);

/// Opens a recording, into which standard output must not lead. From now on a file that another
/// process has shortened ends this process with a message and kUnusable; what is read of the part
/// that went away would else end it by a signal.
Result<PerfData> open_recording(const std::string& path,
                                const TraceOptions& traces = TraceOptions::none());

/// --itrace, --no-itrace: the samples to make of trace data.
class TraceArguments {
 public:
  void add_to(Command& command);
  /// Does the same as open_perf_file() with the samples that are chosen, `otherwise` without these
  /// options. Returns nullopt, too, if samples were asked for of trace data that are not decoded.
  std::optional<PerfData> open(const std::string& path, const TraceOptions& otherwise = {}) const;

 private:
  bool accepts(const PerfData& file) const;

  std::string letters_;
  bool none_ = false;
};

class NamedFunctions {
 public:
  void add_to(Command& command);
  /// Returns the symbols that the options choose, made when first asked for.
  const Symbols& get();
  /// Returns the recordings, the files that the options name, and those of kallsyms and of JIT
  /// compilers that were found and read so far.
  std::vector<std::string> inputs(std::span<const std::string> recordings) const;
  /// Reports, after all is named, Symbols::warnings() and which files could not be used; of the
  /// files only how many if the user has not `asked` for functions.
  void tell_problems(bool asked) const;

 private:
  SymbolOptions options_;
  bool no_inline_ = false, no_demangle_ = false, verbose_ = false;
  std::optional<Symbols> symbols_;
};

}  // namespace evname::tools
