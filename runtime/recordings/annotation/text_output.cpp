#include "recordings/annotation/text_output.hpp"

#include <fmt/format.h>

#include "base/json_text.hpp"
#include "base/text.hpp"

namespace evname::annotation {

void make_printable(std::string& text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
}

void Output::make_printable(std::size_t start, bool has_lines) {
  std::replace_if(
      buffer_.bytes.get() + start, buffer_.bytes.get() + buffer_.size,
      [&](char letter) { return is_control(letter) && !(has_lines && letter == '\n'); }, '?');
}

Output::Output(const TextSink& sink, std::size_t flush_at) : sink_(sink), flush_at_(flush_at) {}

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
  const std::string_view all = buffer_.text();
  buffer_.size = 0;
  return all.empty() || sink_(all);
}

void Output::grow(std::size_t size) {
  const std::size_t capacity = std::max({kFirst, buffer_.capacity * 2, buffer_.size + size});
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (buffer_.size > 0) std::memcpy(larger.get(), buffer_.bytes.get(), buffer_.size);
  buffer_ = {std::move(larger), buffer_.size, capacity};
}

void ValueWriter::text(std::string_view text) {
  if (json()) return out_.json(text);
  is_text_ = true;
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char letter) { return static_cast<signed char>(letter) >= 0; });
  std::string repaired;
  if (!ascii) {
    append_utf8(repaired, text);
    text = repaired;
  }
  if (!in_list_) return out_.text(text);
  for (const char letter : text) {
    if (letter == ';' || letter == '=' || letter == '\\') out_.put('\\');
    out_.put(letter);
  }
}

void ValueWriter::quote_since(std::size_t start) {
  const std::string_view written = out_.since(start);
  const bool special = written.find_first_of(",\"\r\n") != written.npos;
  if (!special && style_ != Style::csv_without_formulas) return;
  const std::string cell =
      style_ == Style::csv_without_formulas ? without_formulas(written) : std::string(written);
  out_.truncate(start);
  if (special) out_.put('"');
  for (const char letter : cell) {
    if (letter == '"') out_.put('"');
    out_.put(letter);
  }
  if (special) out_.put('"');
}

}  // namespace evname::annotation
