#include "input/symbol_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "screen/screen.hpp"

namespace evname::tools {
namespace {

std::string unreadable(const std::string& path) {
  return ::access(path.c_str(), R_OK) == 0 ? "" : fmt::format("{}: {}", path, std::strerror(errno));
}

}  // namespace

void NamedFunctions::add_to(Command& command) {
  command.option("--symfs", options_.symfs, "Look for files below this directory")
      .value_name("DIRECTORY")
      .existing_directory();
  command.option("--vmlinux", options_.vmlinux, "The kernel's image")
      .value_name("FILE")
      .checked_by(unreadable);
  command.option("--kallsyms", options_.kallsyms, "The kernel's symbols")
      .value_name("FILE")
      .checked_by(unreadable);
  command.flag("--debuginfod", options_.debuginfod,
               "Ask the servers of $DEBUGINFOD_URLS for files that are not here");
  command.flag("--no-inline", no_inline_, "Leave out inlined calls, which is faster");
  command.flag("--no-demangle", no_demangle_,
               "Print names of C++ and Rust as the symbols have them");
  command.flag("-v,--verbose", verbose_, "Report where the functions of each file were looked for");
}

const Symbols& NamedFunctions::of(const PerfData& file) {
  if (symbols_) return *symbols_;
  options_.inlines = !no_inline_;
  options_.demangle = !no_demangle_;
  options_.kernel_release = file.features().os_release;
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (options_.debuginfod && (!servers || !*servers))
    tell_warning("--debuginfod: $DEBUGINFOD_URLS names no server, so none is asked");
  if (verbose_) options_.tell = [](std::string_view message) { tell_note("{}", message); };
  return symbols_.emplace(options_);
}

void NamedFunctions::tell_problems(bool asked) const {
  constexpr std::size_t kMost = 5;
  if (!symbols_ || verbose_) return;
  const auto problems = symbols_->problems();
  const std::size_t shown = asked ? std::min(problems.size(), kMost) : 0;
  for (std::size_t i = 0; i < shown; ++i) tell_warning("{}", problems[i]);
  if (const std::size_t left = problems.size() - shown)
    tell_note("functions may lack names: {}{} file{} could not be used (-v tells which)", left,
              shown > 0 ? " more" : "", left > 1 ? "s" : "");
}

}  // namespace evname::tools
