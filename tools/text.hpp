#pragma once
// Small pieces of text. ASCII, whatever the locale.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"

namespace evname::tools {

std::string to_lower(std::string_view text);
/// Without spaces and line ends around it.
std::string_view trim(std::string_view text);
/// Pieces between separators; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
/// The whole text as a number without prefix.
std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10);
/// Two lower-case digits a byte: "ab12".
std::string hex_text(std::span<const std::uint8_t> bytes);
/// fnmatch(3) without flags: `*`, `?` and bracket sets.
bool glob_match(std::string_view pattern, std::string_view text);
/// " ('*x*' finds parts of names)" for the name "x", of which there is none; "" for a pattern.
std::string glob_hint(std::string_view name);

/// A time in ns as seconds with nine decimals.
std::string seconds_text(std::uint64_t ns);
/// The same as perf prints it: cut off after six.
std::string microseconds_text(std::uint64_t ns);

/// A whole file of at most `limit` bytes; sizes in procfs are not known beforehand.
Result<std::string> read_text_file(const std::string& path, std::size_t limit = 1 << 20);

}  // namespace evname::tools
