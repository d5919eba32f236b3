#pragma once
// Standard output and standard error. Nothing else in the command writes to either.

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "cli/command.hpp"
#include "evname/error.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

/// Opens placeholders for closed standard descriptors, so that no file gets their numbers. Writing
/// to a placeholder fails as for a closed descriptor.
void keep_standard_descriptors();

/// Reports writing above the limit on file sizes (`ulimit -f`) like a full disk. Otherwise SIGXFSZ
/// would end the process and leave a partial file.
void outlive_size_limits();

///@{
/// Whether evname was called through a link named perf: programs that expect perf read the output.
void stand_for_perf();
bool stands_for_perf();
///@}

/// Adds text to standard output. Returns false if text was lost, so that the caller may stop;
/// finish_output() reports that.
bool to_stdout(std::string_view text);

/// Converts an argument for print_out(); a text becomes one line.
template <class T>
decltype(auto) shown(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return one_line(Screen::out, std::string(std::string_view(argument)));
  else
    return argument;
}

template <class... Args>
bool print_shown(fmt::string_view format, const Args&... args) {
  return to_stdout(fmt::vformat(format, fmt::make_format_args(args...)));
}

/// Prints by a pattern of fmt; an argument that is a text may be a name from a recording.
template <class... Args>
bool print_out(fmt::format_string<Args...> format, Args&&... args) {
  return print_shown(format, shown(args)...);
}

/// Writes a file that appears whole or not at all; "-" is standard output. Only users who may read
/// all of its inputs may read it. Returns false after reporting an error.
bool write_output(const std::string& path, std::string_view text,
                  std::span<const std::string> made_from = {});

/// --force
void add_force(Command& command, bool& force);

/// Returns true if the file of `option` may be written: it must not be one of the `inputs`, an
/// event file in use or, unless `force`, a recording, program or library. Otherwise reports why
/// not.
bool may_replace(const char* option, const std::string& path, std::span<const std::string> inputs,
                 bool force);

/// Fails if standard output goes into this input, or into a file of this directory.
Result<void> check_not_printed_into(const std::string& input);

/// Returns true if two outputs are the same file or pipe, under any names; they need not exist.
bool is_same_output(const std::string& a, const std::string& b);

/// Flushes standard output, for example before another process writes to it.
bool flush_output();

/// Ends standard output. Returns `code`, or kUnusable if some of it could not be written; reports
/// that unless the reader of a pipe has left.
int finish_output(int code);

/// Reports that the output of -o could not be written, unless that is standard output and the
/// reader of the pipe has left.
Failed tell_unwritten(const std::string& output, const Error& error);

/// Writes all of it to a descriptor, waiting for one that does not block. Returns 0 or an errno.
int write_all(int file, std::string_view text);

/// Writes to standard error at once. Returns false on failure, which matters only if the text is
/// the answer itself.
bool to_stderr(std::string_view text);

/// The same for a terminal; the text may move the cursor.
void draw(std::string_view text);

}  // namespace evname::tools
