#pragma once
// Standard output and standard error. Nothing else in the command writes to either.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace evname::tools {

/// Opens something in the place of standard descriptors that are closed, so that no file gets their
/// numbers: writing to it fails like writing to what is closed.
void keep_standard_descriptors();

/// Adds text to standard output. False: what is written there is lost, and more of it is not worth
/// making; finish_output() tells that.
bool to_stdout(std::string_view text);

/// The same for a pattern of fmt and its arguments.
template <class... Args>
bool print_out(fmt::format_string<Args...> format, Args&&... args) {
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), format, std::forward<Args>(args)...);
  return to_stdout({text.data(), text.size()});
}

/// Hands over what standard output has kept so far: before another process writes there, say.
bool flush_output();

/// The last use of standard output. `code`, or kUnusable where not all of it could be written,
/// which it tells unless it is because the reader of a pipe has left.
int finish_output(int code);

/// Whether standard output is a pipe whose reader has left.
bool reader_has_left();

/// Writes to standard error at once. Where that fails there is nobody left to tell.
void to_stderr(std::string_view text);

/// The same for a terminal, and what moves its cursor.
void draw(std::string_view text);

}  // namespace evname::tools
