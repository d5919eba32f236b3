#pragma once
// Text into buffers of the caller.

#include <algorithm>
#include <cstring>
#include <string_view>

namespace evname::c {

/// As snprintf: cut off to size - 1 bytes, between two characters of UTF-8, and ended with NUL.
/// Returns the whole length.
inline std::size_t copy_text(std::string_view text, char* buffer, std::size_t size) {
  if (size == 0) return text.size();
  std::size_t length = std::min(text.size(), size - 1);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (length > 0 && length < text.size() && continues(length)) --length;
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  return text.size();
}

}  // namespace evname::c
