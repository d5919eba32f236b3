// Parses the conversions of print formats of tracepoints: "%-5.3lx", "%pI4".

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "recordings/annotation/print_format.hpp"

namespace evname::annotation {
namespace {

/// "%pI4" and the like: Documentation/core-api/printk-formats.rst of Linux.
constexpr std::string_view kNetworkAddresses[] = {"I4",  "i4", "I6",  "i6",
                                                  "I6c", "IS", "ISp", "ISpc"};

bool number_before(std::string_view& text, std::uint32_t& out) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  out = number;
  return parsed.ec != std::errc::result_out_of_range && number <= kWidestPrint;
}

/// Reads the letters after "%p", which are the kernel's own.
bool pointer(std::string_view& text, PrintPiece& piece) {
  std::size_t size = 0;
  while (size < text.size() &&
         (is_print_letter(text[size]) || (text[size] >= '0' && text[size] <= '9')))
    ++size;
  const std::string_view kind = text.substr(0, size);
  text.remove_prefix(size);
  if (kind == "s" || kind == "S" || kind == "f" || kind == "F") {
    piece.conversion = 'f';
    piece.spec = kind;
  } else if (std::ranges::find(kNetworkAddresses, kind) != std::end(kNetworkAddresses)) {
    piece.conversion = 'a';
    piece.spec = kind;
  }
  return kind.empty() || piece.conversion != 'p';
}

void length_modifier(std::string_view& text, std::uint32_t long_bits, PrintPiece& piece) {
  const std::pair<std::string_view, std::uint32_t> kLengths[] = {
      {"hh", 8}, {"h", 16}, {"ll", 64}, {"L", 64}, {"l", long_bits}, {"z", long_bits}};
  for (const auto& [letters, bits] : kLengths) {
    if (!text.starts_with(letters)) continue;
    text.remove_prefix(letters.size());
    piece.bits = bits;
    return;
  }
}

/// Reads "%-5.3lx" and the like.
bool conversion(std::string_view& text, std::uint32_t long_bits, PrintPiece& piece) {
  const std::size_t flags = std::min(text.find_first_not_of("-+ #0", 1), text.size());
  piece.spec = text.substr(0, flags);
  piece.left = piece.spec.find('-') != std::string::npos;
  text.remove_prefix(flags);
  if (!number_before(text, piece.width)) return false;
  if (piece.width > 0) piece.spec += fmt::format("{}", piece.width);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!number_before(text, piece.precision)) return false;
    piece.spec += fmt::format(".{}", piece.precision);
  }
  length_modifier(text, long_bits, piece);
  constexpr std::string_view kConversions = "dicuxXosp";
  if (text.empty() || kConversions.find(text[0]) == kConversions.npos) return false;
  piece.conversion = text[0] == 'i' ? 'd' : text[0];
  text.remove_prefix(1);
  (piece.spec += "ll") += piece.conversion;
  return piece.conversion != 'p' || pointer(text, piece);
}

}  // namespace

bool read_conversions(std::string_view text, std::uint32_t long_bits,
                      std::vector<PrintPiece>& pieces) {
  PrintPiece piece;
  while (!text.empty()) {
    const std::size_t percent = std::min(text.find('%'), text.size());
    piece.text += text.substr(0, percent);
    text.remove_prefix(percent);
    if (text.empty()) break;
    if (text.starts_with("%%")) {
      piece.text += '%';
      text.remove_prefix(2);
      continue;
    }
    if (!conversion(text, long_bits, piece)) return false;
    pieces.push_back(std::exchange(piece, {}));
  }
  pieces.push_back(std::move(piece));
  return true;
}

}  // namespace evname::annotation
