#pragma once
// Writes texts of any bytes, such as names of threads and files, as JSON strings and as UTF-8.

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace evname {
inline namespace base {

/// Appends `text` in quotes, escaped by RFC 8259; each byte that is not well-formed UTF-8 becomes
/// U+FFFD. Allocates nothing but room in `out`.
void append_json_string(fmt::memory_buffer& out, std::string_view text);
void append_json_string(std::string& out, std::string_view text);

/// Appends JSON to a script of a page. Each "<" is escaped, so that no text ends the script; JSON
/// has "<" only in texts, where the escape means the same.
void append_to_script(std::string& out, std::string_view json);

/// Appends `text`; each byte that is not well-formed UTF-8 becomes U+FFFD.
void append_utf8(std::string& out, std::string_view text);

}  // namespace base
}  // namespace evname
