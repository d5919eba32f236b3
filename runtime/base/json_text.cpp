#include "base/json_text.hpp"

#include <algorithm>
#include <cstdint>

namespace evname {
inline namespace base {
namespace {

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xc0) == 0x80;
}

// Length of the well-formed UTF-8 sequence at `at` (Unicode, table 3-7); 0: none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  struct Row {
    std::uint8_t first, last, low, high, length;
  };
  static constexpr Row kRows[] = {
      {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  auto lead = static_cast<std::uint8_t>(text[at]);
  for (const Row& row : kRows) {
    if (lead < row.first || lead > row.last) continue;
    if (row.length == 1) return 1;
    if (at + 1 >= text.size()) return 0;
    auto second = static_cast<std::uint8_t>(text[at + 1]);
    if (second < row.low || second > row.high) return 0;
    for (std::size_t i = 2; i < row.length; ++i)
      if (!continues(text, at + i)) return 0;
    return row.length;
  }
  return 0;
}

void append_text(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

/// Returns how many letters from `at` on need no escape; most texts have no others.
std::size_t plain_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (; end < text.size(); ++end) {
    const auto letter = static_cast<std::uint8_t>(text[end]);
    if (letter < 0x20 || letter >= 0x7f || letter == '"' || letter == '\\') break;
  }
  return end - at;
}

}  // namespace

void append_json_string(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t plain = plain_length(text, at); plain > 0) {
      append_text(out, text.substr(at, plain));
      at += plain;
      continue;
    }
    std::size_t length = utf8_length(text, at);
    char c = text[at];
    if (length == 0) {
      append_text(out, "\xef\xbf\xbd");
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f) {
      append_text(out, fmt::format("\\u{:04x}", static_cast<unsigned>(c)));
    } else {
      append_text(out, text.substr(at, length));
    }
    at += length == 0 ? 1 : length;
  }
  out.push_back('"');
}

void append_utf8(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t plain = plain_length(text, at); plain > 0) {
      out += text.substr(at, plain);
      at += plain;
      continue;
    }
    const std::size_t length = utf8_length(text, at);
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
}

void append_to_script(std::string& out, std::string_view json) {
  for (std::size_t at = 0; at < json.size(); ++at) {
    const std::size_t end = std::min(json.find('<', at), json.size());
    out += json.substr(at, end - at);
    if (end < json.size()) out += "\\u003c";
    at = end;
  }
}

void append_json_string(std::string& out, std::string_view text) {
  fmt::memory_buffer quoted;
  append_json_string(quoted, text);
  out.append(quoted.data(), quoted.size());
}

}  // namespace base
}  // namespace evname
