#pragma once
// Helpers for ASCII text, independent of the locale.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/letters.hpp"

namespace evname {
inline namespace base {

std::string to_lower(std::string_view text);
std::string_view trim(std::string_view text);

/// Returns the part after the last slash: "neoverse-n1" of "arm/neoverse-n1".
inline std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
/// Returns the directory of a file: "." if its path names none.
std::string directory_of(const std::string& path);

/// Returns true for a control character of ASCII.
inline bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < ' ' || letter == 0x7f;
}

/// Returns the pieces between separators; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns the parts, texts or whole numbers, with a separator between them. fmt::join() does more,
/// but is instantiated again in each file.
template <class Parts>
std::string joined(const Parts& parts, std::string_view separator) {
  std::string out;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!std::exchange(is_first, false)) out += separator;
    if constexpr (std::is_convertible_v<decltype(part), std::string_view>)
      out += part;
    else
      out += std::to_string(part);
  }
  return out;
}

/// Returns a number with its noun and verb: "1 record is" or "2 records are".
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

/// Returns how to get a library that the build lacks: its packages in Debian and Fedora.
inline std::string install_hint(std::string_view debian, std::string_view fedora) {
  return std::string("install ")
      .append(debian)
      .append(" (Debian, Ubuntu) or ")
      .append(fedora)
      .append(" (Fedora), and build evname again");
}

/// Reads the whole text as a decimal number.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// Reads the whole text as a hexadecimal number without prefix.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// Returns two lower-case digits a byte: "ab12".
std::string hex_text(std::span<const std::uint8_t> bytes);

/// Reads the whole text as decimal, or hexadecimal after "0x".
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Reads the number at the start of a text as std::from_chars does, which older versions of LLVM's
/// C++ library lack. Returns its length; 0: there is no number, or it is out of range.
std::size_t read_double(std::string_view text, double& value);

/// The same of a hexadecimal number without prefix: "1.8p3".
std::size_t read_hex_double(std::string_view text, double& value);

/// Reads the whole text as read_double() does.
std::optional<double> parse_double(std::string_view text);

/// More CPUs than machines have.
inline constexpr std::size_t kMostCpus = 1 << 16;

/// Returns the first `limit` CPUs of a list as the kernel writes it ("0-3,8"), in its order;
/// reading stops at the first piece that is no number or range.
std::vector<unsigned> parse_cpu_list(std::string_view text, std::size_t limit = kMostCpus);

/// Returns the text with ' before each letter that a spreadsheet would take for the start of a
/// formula: at the start of the text, or after a separator of cells.
std::string without_formulas(std::string_view text);

/// Returns a time in ns as seconds with nine decimals.
std::string seconds_text(std::uint64_t ns);
/// Returns the same as perf prints it: cut off after six decimals.
std::string microseconds_text(std::uint64_t ns);

}  // namespace base
}  // namespace evname
