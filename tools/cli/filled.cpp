#include "cli/filled.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace evname::tools {
namespace {

/// The columns of UTF-8 text without wide characters.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string filled(std::string_view text, std::size_t width, std::size_t indent,
                   std::size_t column) {
  std::string out;
  bool begins = true;  // a line
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    const std::size_t own = columns_of(word);
    if (!begins && column + 1 + own > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!begins) {
      out += ' ';
      ++column;
    }
    out += word;
    column += own;
    begins = false;
  }
  return out;
}

std::string filled_paragraphs(std::string_view text, std::size_t width) {
  std::string out, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += filled(paragraph, width) + '\n';
    paragraph.clear();
  };
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && !line.starts_with(' ')) {
      (paragraph += line) += '\n';
      continue;
    }
    end_paragraph();
    (out += line) += '\n';
  }
  end_paragraph();
  return out;
}

}  // namespace evname::tools
