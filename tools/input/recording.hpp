#pragma once
// Opens recordings for all subcommands, with the options for finding symbols: --symfs, --vmlinux,
// --kallsyms, …

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "evname/recording.hpp"
#include "evname/symbols.hpp"
#include "recordings/report/detailed_report.hpp"

namespace evname::tools {

/// Opens a recording and reports its warnings, trace data that are not decoded, and a fallback of
/// its machine. Returns nullopt after reporting an error.
std::optional<Recording> open_perf_file(const std::string& path);

/// The argument FILE, which -i FILE names, too, as in perf; `value` is a text or a list of them.
template <class T>
void add_recording(Command& command, T& value, const std::string& about) {
  command.option("-i,--input,FILE", value, about).value_name("FILE").required();
}

/// Adds the -i of perf's own subcommands, which may be left out.
void add_perf_input(Command& command, std::string& file);
/// Returns perf's input: the file of -i; without it "-" if standard input is a pipe, else
/// "perf.data".
std::string perf_input(const std::string& file);

/// A message that --salvage may find more, if a pass has not read everything.
enum class Unread { gone, salvageable };

/// Reports the warnings of a pass, and returns the exit code for it.
int finish_pass(const Recording& file, const SampleTally& tally, Unread unread = Unread::gone);

/// --waiting
void add_waiting(Command& command, PassOptions& pass);

/// --jobs
void add_jobs(Command& command, unsigned& jobs);

/// Opens a recording; standard output must not go into it. From now on, if another process
/// truncates the file, this process ends with a message and kUnusable instead of a signal.
Result<Recording> open_recording(const std::string& path,
                                 const TraceOptions& traces = TraceOptions::none());

/// --itrace, --no-itrace: the samples to make of trace data.
class TraceArguments {
 public:
  void add_to(Command& command);
  /// Does the same as open_perf_file() with the chosen samples, or with `otherwise` without these
  /// options. Also returns nullopt if samples of undecodable trace data were requested.
  std::optional<Recording> open(const std::string& path, const TraceOptions& otherwise = {}) const;

 private:
  bool accepts(const Recording& file) const;

  std::string letters_;
  bool none_ = false;
};

class NamedFunctions {
 public:
  void add_to(Command& command);
  /// Returns the symbols of the options; makes them on first use.
  const Symbols& get();
  /// Returns the recordings, the files in the options, and the files of kallsyms and JIT compilers
  /// read so far.
  std::vector<std::string> inputs(std::span<const std::string> recordings) const;
  /// Reports Symbols::warnings() and the unusable files at the end; only the number of files if the
  /// user has not `asked` for functions. `unnamed`: the files whose functions lack names, those
  /// with most samples first, of `samples`; empty: unknown.
  void tell_problems(bool asked, std::span<const report::UnnamedFile> unnamed = {},
                     std::uint64_t samples = 0) const;

 private:
  SymbolOptions options_;
  bool no_inline_ = false, no_demangle_ = false, verbose_ = false;
  std::optional<Symbols> symbols_;
};

}  // namespace evname::tools
