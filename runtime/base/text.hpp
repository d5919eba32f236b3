#pragma once
// Small text helpers that every layer needs. All ASCII, locale-independent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"

namespace evname {

std::string to_lower(std::string_view text);
std::string_view trim(std::string_view text);

/// Pieces between separators; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The whole text as a decimal number.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// The whole text as a hexadecimal number without prefix.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// The whole text as decimal, or hexadecimal after "0x".
std::optional<std::uint64_t> parse_number(std::string_view text);

/// fnmatch(3) without flags: `*`, `?` and bracket sets.
bool glob_match(std::string_view pattern, std::string_view text);

/// A whole file of at most `limit` bytes (sysfs, procfs: sizes there are not known beforehand).
Result<std::string> read_text_file(const std::string& path, std::size_t limit = 1 << 20);

}  // namespace evname
