#pragma once
// Standard output and standard error. Nothing else in the command writes to either.

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "screen/screen.hpp"

namespace evname::tools {

/// Opens something in the place of standard descriptors that are closed, so that no file gets their
/// numbers: writing to it fails like writing to what is closed.
void keep_standard_descriptors();

/// Adds text to standard output. False: what is written there is lost, and more of it is not worth
/// making; finish_output() tells that.
bool to_stdout(std::string_view text);

/// What print_out() shows of an argument: of a text, one line.
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

/// The same for a pattern of fmt and its arguments, of which a text may be a name from a recording.
template <class... Args>
bool print_out(fmt::format_string<Args...> format, Args&&... args) {
  return print_shown(format, shown(args)...);
}

/// Writes a file that is there whole or not at all; "-" is standard output. It is open to nobody
/// whom the files are closed to that it was made from. False: it told why not.
bool write_output(const std::string& path, std::string_view text,
                  std::span<const std::string> made_from = {});

/// Hands over what standard output has kept so far: before another process writes there, say.
bool flush_output();

/// The last use of standard output. `code`, or kUnusable where not all of it could be written,
/// which it tells unless it is because the reader of a pipe has left.
int finish_output(int code);

/// Whether standard output is a pipe whose reader has left.
bool reader_has_left();

/// Writes all of it to a descriptor; 0, or an errno. One that does not block, as one shared with
/// another program may not, is waited for.
int write_all(int file, std::string_view text);

/// Writes to standard error at once. Where that fails there is nobody left to tell.
void to_stderr(std::string_view text);

/// The same for a terminal, and what moves its cursor.
void draw(std::string_view text);

}  // namespace evname::tools
