#include "annotation/text_output.hpp"

#include <fmt/format.h>

#include "base/json_text.hpp"

namespace evname::annotation {

Output::Output(const TextSink& sink) : sink_(sink) { grow(kFlush + kLine); }

void Output::json(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char letter) {
    return letter >= ' ' && letter < 0x7f && letter != '"' && letter != '\\';
  });
  if (plain) {
    put('"');
    this->text(text);
    return put('"');
  }
  fmt::memory_buffer escaped;
  append_json_string(escaped, text);
  this->text({escaped.data(), escaped.size()});
}

bool Output::flush() {
  const std::string_view all(buffer_.get(), std::exchange(size_, 0));
  return all.empty() || sink_(all);
}

void Output::grow(std::size_t size) {
  const std::size_t capacity = std::max(capacity_ * 2, size_ + size);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(larger.get(), buffer_.get(), size_);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

// RFC 4180: quotes where a separator, a quote or a line break is inside.
void ValueWriter::text(std::string_view text) {
  if (json()) return out_.json(text);
  if (text.find_first_of(",\"\r\n") == text.npos) return out_.text(text);
  out_.put('"');
  for (const char letter : text) {
    if (letter == '"') out_.put('"');
    out_.put(letter);
  }
  out_.put('"');
}

}  // namespace evname::annotation
