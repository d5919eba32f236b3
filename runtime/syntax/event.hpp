#pragma once
// One event of a list, already cut out of it.

#include "syntax/lexer.hpp"
#include "syntax/events.hpp"

namespace evname::event {

/// Parses text[begin, end), which holds no comma or brace outside of slashes.
Result<Spec> parse_event(std::string_view text, std::size_t begin, std::size_t end);

/// Reads terms up to (and with) the closing slash, or to the end of the text if `closed` is false.
Result<std::vector<Term>> parse_term_list(Lexer& lexer, bool closed);

}  // namespace evname::event
