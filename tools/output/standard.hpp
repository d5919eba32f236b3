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

/// Opens something in the place of standard descriptors that are closed, so that no file gets their
/// numbers: writing to it fails like writing to what is closed.
void keep_standard_descriptors();

/// Makes writing above the limit on file sizes (`ulimit -f`) an error that is reported like a full
/// disk. Otherwise SIGXFSZ would end the process and leave a partial file.
void outlive_size_limits();

/// Adds text to standard output. Returns false if text was lost, so that more is not worth making;
/// finish_output() reports that.
bool to_stdout(std::string_view text);

/// Returns what print_out() shows of an argument: of a text, one line.
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

/// Writes a file that is there whole or not at all; "-" is standard output. It is open to nobody
/// whom the files are closed to that it was made from. Returns false after reporting why not.
bool write_output(const std::string& path, std::string_view text,
                  std::span<const std::string> made_from = {});

/// --force
void add_force(Command& command, bool& force);

/// Returns true if the file that `option` names may be written: it is none of the `inputs`, no
/// event file of the user that is in use and, unless `force`, no recording, program or library.
/// Otherwise reports why not.
bool may_replace(const char* option, const std::string& path, std::span<const std::string> inputs,
                 bool force);

/// Fails if what is printed would go into this input, or into a file of one that is a directory.
Result<void> check_not_printed_into(const std::string& input);

/// Returns true if two outputs would be one file or pipe, by whatever names; neither need exist.
bool is_same_output(const std::string& a, const std::string& b);

/// Writes what standard output has kept so far: before another process writes there, say.
bool flush_output();

/// Ends standard output. Returns `code`, or kUnusable if not all of it could be written, which it
/// reports unless the reader of a pipe has left.
int finish_output(int code);

/// Returns true if standard output is a pipe whose reader has left.
bool reader_has_left();

/// Writes all of it to a descriptor, waiting for one that does not block. Returns 0 or an errno.
int write_all(int file, std::string_view text);

/// Writes to standard error at once. Returns false if that fails, which is worth knowing only if
/// the text is the answer itself: nobody is left to report it to.
bool to_stderr(std::string_view text);

/// The same for a terminal, and what moves its cursor.
void draw(std::string_view text);

}  // namespace evname::tools
