#pragma once
// Text as a manual page takes it: groff's man macros.

#include <string>
#include <string_view>

namespace evname::tools {

/// One line of running text or of a macro's quoted argument, with nothing left that roff would take
/// for its own.
std::string roff_text(std::string_view line);

/// ".SH NAME"
std::string roff_section(std::string_view title);

/// A term and what it means, below each other.
std::string roff_entry(std::string_view term, std::string_view meaning);

/// Paragraphs: empty lines part them, indented lines stay as they are.
std::string roff_paragraphs(std::string_view text);

/// Lines that stay as they are.
std::string roff_verbatim(std::string_view text);

}  // namespace evname::tools
