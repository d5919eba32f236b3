// Term lists: what stands between slashes, and the content of sysfs events/NAME.

#include <fmt/format.h>

#include "syntax/event.hpp"

namespace evname::event {
namespace {

constexpr char kTooBig[] = "a number of more than 64 bits";

Result<void> parse_value(Lexer& lexer, Term* term) {
  const Token value = lexer.next(Place::terms);
  switch (value.kind) {
    case TokenKind::number:
      term->value = Term::Value::number;
      term->number = value.number;
      return {};
    case TokenKind::name:
    case TokenKind::raw:
    case TokenKind::quoted:
      term->value = Term::Value::text;
      term->text = value.text;
      return {};
    case TokenKind::too_big:
      return syntax_error(value.offset, kTooBig);
    default:
      return syntax_error(value.offset, fmt::format("expected a value after '{}='", term->name));
  }
}

Result<Term> parse_term(Lexer& lexer) {
  const Token name = lexer.next(Place::terms);
  Term term;
  term.name = name.text;
  term.offset = name.offset;
  if (name.kind == TokenKind::driver) return term;
  if (name.kind == TokenKind::too_big) return syntax_error(name.offset, kTooBig);
  if (!name.is_word()) return syntax_error(name.offset, "expected a term (name or name=value)");
  if (name.kind == TokenKind::raw) {
    term.raw = true;
    term.number = name.number;
  }
  if (!lexer.peek(Place::terms).is_mark('=')) return term;
  lexer.next(Place::terms);
  term.raw = false;
  if (const auto value = parse_value(lexer, &term); !value)
    return tl::unexpected<Error>(value.error());
  return term;
}

}  // namespace

Result<std::vector<Term>> parse_term_list(Lexer& lexer, bool closed) {
  std::vector<Term> terms;
  if (closed && lexer.peek(Place::terms).is_mark('/')) {
    lexer.next(Place::terms);
    return terms;
  }
  for (;;) {
    auto term = parse_term(lexer);
    if (!term) return tl::unexpected<Error>(term.error());
    terms.push_back(std::move(*term));
    const Token after = lexer.next(Place::terms);
    if (after.is_mark(',')) continue;
    if (closed ? after.is_mark('/') : after.kind == TokenKind::end) return terms;
    return syntax_error(after.offset, fmt::format("expected ',' or {} after '{}'",
                                                  closed ? "'/'" : "the end", terms.back().name));
  }
}

Result<std::vector<Term>> parse_terms(std::string_view text) {
  Lexer lexer(text, 0, text.size());
  return parse_term_list(lexer, false);
}

}  // namespace evname::event
