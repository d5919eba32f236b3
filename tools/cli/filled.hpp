#pragma once
// Breaks text into lines, for help.

#include <string>
#include <string_view>

namespace evname::tools {

/// Returns the words of a text in lines of at most `width` columns; lines after the first begin
/// with `indent` spaces. `column` is what the first line has before the text. A longer word has a
/// line of its own.
std::string filled(std::string_view text, std::size_t width, std::size_t indent = 0,
                   std::size_t column = 0);

/// Does the same for paragraphs, which empty lines part. Lines that begin with a space stay as they
/// are.
std::string filled_paragraphs(std::string_view text, std::size_t width);

}  // namespace evname::tools
