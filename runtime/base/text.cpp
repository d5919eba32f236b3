#include "base/text.hpp"

#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace evname {
inline namespace base {
namespace {

std::optional<std::uint64_t> parse_base(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) letter = to_lower(letter);
  return out;
}

std::string hex_text(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : bytes) (out += kDigits[byte >> 4]) += kDigits[byte & 15];
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) { return parse_base(text, 10); }

std::optional<std::uint64_t> parse_hex(std::string_view text) { return parse_base(text, 16); }

std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.starts_with("0x")) return parse_hex(text.substr(2));
  return parse_decimal(text);
}

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
// strtod() also accepts spaces, a plus, hexadecimal digits and the user's decimal point.
static std::size_t read_by_strtod(const std::string& copy, double& value) {
  static const locale_t kPlain = newlocale(LC_ALL_MASK, "C", locale_t());
  const locale_t own = uselocale(kPlain);
  char* end = nullptr;
  errno = 0;
  const double number = std::strtod(copy.c_str(), &end);
  uselocale(own);
  if (end == copy.c_str() || errno == ERANGE) return 0;
  value = number;
  return static_cast<std::size_t>(end - copy.c_str());
}

std::size_t read_double(std::string_view text, double& value) {
  if (text.empty() || std::string_view(" \t\n\v\f\r+").find(text[0]) != text.npos) return 0;
  return read_by_strtod(std::string(text.substr(0, text.find_first_of("xX"))), value);
}

static std::size_t read_hex(std::string_view text, double& value) {
  double number = 0;
  const std::size_t size = read_by_strtod("0x" + std::string(text), number);
  if (size <= 2) return 0;
  value = number;
  return size - 2;
}
#else
static std::size_t read_by_from_chars(std::string_view text, double& value,
                                      std::chars_format format) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  return error == std::errc{} ? static_cast<std::size_t>(end - text.data()) : 0;
}

std::size_t read_double(std::string_view text, double& value) {
  return read_by_from_chars(text, value, std::chars_format::general);
}

static std::size_t read_hex(std::string_view text, double& value) {
  return read_by_from_chars(text, value, std::chars_format::hex);
}
#endif

std::size_t read_hex_double(std::string_view text, double& value) {
  constexpr std::string_view kFirst = "0123456789abcdefABCDEF.";
  const bool begins = !text.empty() && kFirst.find(text[0]) != text.npos;
  return begins ? read_hex(text, value) : 0;
}

std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  if (text.empty() || read_double(text, value) != text.size()) return std::nullopt;
  return value;
}

std::vector<unsigned> parse_cpu_list(std::string_view text, std::size_t limit) {
  std::vector<unsigned> cpus;
  for (const std::string_view piece : split(trim(text), ',')) {
    const auto dash = piece.find('-');
    const auto first = parse_decimal(piece.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_decimal(piece.substr(dash + 1));
    if (!first || !last || *last > std::numeric_limits<unsigned>::max()) break;
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) {
      if (cpus.size() >= limit) return cpus;
      cpus.push_back(static_cast<unsigned>(cpu));
    }
  }
  return cpus;
}

std::string without_formulas(std::string_view text) {
  constexpr std::string_view kSeparators = ";\t\r\n";
  constexpr std::string_view kFirst[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                         "\n", "＝", "＋", "－", "＠"};
  std::string out;
  bool begins = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto is_here = [&](std::string_view first) { return text.substr(at).starts_with(first); };
    if (begins && std::ranges::any_of(kFirst, is_here)) out += '\'';
    out += text[at];
    begins = kSeparators.find(text[at]) != kSeparators.npos;
  }
  return out;
}

std::string seconds_text(std::uint64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  // A table has thousands of times. The added second keeps the zeros before the fraction.
  std::string text = fmt::format_int(ns / kSecond).str();
  const std::size_t point = text.size();
  text += fmt::format_int(kSecond + ns % kSecond).str();
  text[point] = '.';
  return text;
}

std::string microseconds_text(std::uint64_t ns) {
  std::string text = seconds_text(ns);
  text.resize(text.size() - 3);
  return text;
}

}  // namespace base
}  // namespace evname
