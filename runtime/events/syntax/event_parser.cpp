#include "events/syntax/events.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/syntax/lexer.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/syntax/term_names.hpp"

namespace evname::syntax {
namespace {

constexpr char kTooBig[] = "a number of more than 64 bits";

Result<void> parse_value(Lexer& lexer, Term* term) {
  const Token value = lexer.next();
  switch (value.kind) {
    case TokenKind::number:
      term->value = Term::Value::number;
      term->number = value.number;
      return {};
    case TokenKind::keyword:
      if (find_own_term(term->name) == nullptr)
        return syntax_error(value.offset,
                            fmt::format("'{}' is a term of perf's own and no value", value.text));
      [[fallthrough]];
    case TokenKind::name:
    case TokenKind::raw:
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
  const Token name = lexer.next();
  Term term;
  term.name = name.text;
  term.offset = name.offset;
  if (name.is(TokenKind::driver)) return term;
  if (name.is(TokenKind::too_big)) return syntax_error(name.offset, kTooBig);
  if (!name.is_word() && !name.is(TokenKind::keyword))
    return syntax_error(name.offset, "expected a term (name or name=value)");
  if (name.is(TokenKind::raw)) {
    term.raw = true;
    term.number = name.number;
  }
  if (!lexer.peek().is_mark('=')) return term;
  lexer.next();
  term.raw = false;
  if (const auto value = parse_value(lexer, &term); !value)
    return tl::unexpected<Error>(value.error());
  return term;
}

/// Terms up to the end of the text or, if `closed`, to the slash after them, which is left.
Result<std::vector<Term>> parse_term_list(Lexer& lexer, bool closed) {
  std::vector<Term> terms;
  for (;;) {
    auto term = parse_term(lexer);
    if (!term) return tl::unexpected<Error>(term.error());
    terms.push_back(*term);
    const Token& after = lexer.peek();
    if (closed ? after.is_mark('/') : after.is(TokenKind::end)) return terms;
    if (!after.is_mark(','))
      return syntax_error(after.offset, fmt::format("expected ',' or {} after '{}'",
                                                    closed ? "'/'" : "the end", terms.back().name));
    lexer.next();
  }
}

/// Parses one event; each step takes what it knows and leaves the rest in lexer_.
class EventParser {
 public:
  explicit EventParser(Lexer& lexer) : lexer_(lexer) {}

  Result<Spec> run();

 private:
  Token take();
  Result<void> head();
  Result<void> head_number(const Token& type);
  Result<void> head_name();
  Result<void> breakpoint();
  Result<void> breakpoint_access();
  Result<void> terms();
  Result<void> modifiers();

  Lexer& lexer_;
  Spec spec_;
  bool takes_colon_ = true;  ///< perf's grammar has `sep_dc` there (util/parse-events.y)
  bool after_slash_ = false;
  std::size_t text_end_ = 0;
};

/// The next token, which belongs to the event's text.
Token EventParser::take() {
  const Token token = lexer_.next();
  text_end_ = token.end();
  return token;
}

Result<void> EventParser::head_number(const Token& type) {
  const Token colon = take();
  if (!colon.is_mark(':'))
    return syntax_error(colon.offset, "expected ':' and the config after a type number");
  const Token config = take();
  if (!config.is(TokenKind::number))
    return syntax_error(config.offset, "expected the config as a number after TYPE:");
  spec_.kind = Kind::numeric;
  spec_.type = type.number;
  spec_.config = config.number;
  return {};
}

/// NAME alone, NAME/terms/, or SYS:EVENT.
Result<void> EventParser::head_name() {
  if (lexer_.peek().is_mark('/')) {
    spec_.kind = Kind::pmu;
    takes_colon_ = false;
    return {};
  }
  if (!lexer_.peek().is_mark(':')) return {};
  lexer_.next();
  takes_colon_ = false;
  if (lexer_.peek().is(TokenKind::name)) {
    spec_.kind = Kind::tracepoint;
    spec_.event = take().text;
    takes_colon_ = true;
  } else if (const Token& rest = lexer_.peek(); !rest.is(TokenKind::modifiers) &&
                                                !rest.is(TokenKind::end) && !rest.is_mark(',') &&
                                                !rest.is_mark('}')) {
    return syntax_error(rest.offset, "expected modifiers after ':'");
  }
  return {};
}

Result<void> EventParser::head() {
  const Token word = take();
  spec_.offset = word.offset;
  switch (word.kind) {
    case TokenKind::number:
      return head_number(word);
    case TokenKind::raw:
      spec_.kind = Kind::raw;
      spec_.name = word.text;
      spec_.config = word.number;
      return {};
    case TokenKind::memory:
      return breakpoint();
    case TokenKind::name:
      spec_.name = word.text;
      return head_name();
    case TokenKind::modifiers:
      return syntax_error(word.offset,
                          fmt::format("'{}' is read as modifiers; write PMU/{}/ for an event",
                                      word.text, word.text));
    case TokenKind::too_big:
      return syntax_error(word.offset, kTooBig);
    default:
      return syntax_error(word.offset, "expected an event");
  }
}

Result<void> EventParser::breakpoint() {
  spec_.kind = Kind::breakpoint;
  const Token address = take();
  if (!address.is(TokenKind::number))
    return syntax_error(address.offset, "expected an address after 'mem:'");
  spec_.config = address.number;
  if (lexer_.peek().is(TokenKind::length_slash)) {
    lexer_.next();
    const Token length = take();
    if (length.is(TokenKind::too_big)) return syntax_error(length.offset, kTooBig);
    spec_.length = length.number;
  }
  return breakpoint_access();
}

Result<void> EventParser::breakpoint_access() {
  if (!lexer_.peek().is(TokenKind::access_colon)) return {};
  lexer_.next();
  const Token letters = take();
  for (const char c : letters.text) {
    const std::uint32_t bit = c == 'r' ? 1 : c == 'w' ? 2 : 4;
    if ((spec_.access & bit) != 0)
      return syntax_error(letters.offset, fmt::format("access '{}' is given twice", c));
    spec_.access |= bit;
  }
  return {};
}

Result<void> EventParser::terms() {
  const Token slash = lexer_.peek();
  if (!slash.is_mark('/')) return {};
  const std::string_view text = lexer_.text();
  if (text.find('/', slash.end()) == text.npos)
    return syntax_error(text.size(),
                        fmt::format("expected '/' to close the terms of '{}'", spec_.name));
  lexer_.next();
  if (!lexer_.peek().is_mark('/')) {
    auto terms = parse_term_list(lexer_, true);
    if (!terms) return tl::unexpected<Error>(terms.error());
    spec_.terms = std::move(*terms);
  }
  take();
  after_slash_ = true;
  return {};
}

Result<void> EventParser::modifiers() {
  const auto ends = [](const Token& token) {
    return token.is(TokenKind::end) || token.is_mark(',') || token.is_mark('}') ||
           token.is_mark('{');
  };
  if (takes_colon_ && lexer_.peek().is_mark(':')) lexer_.next();  // "cycles:" is cycles
  const Token& token = lexer_.peek();
  if (ends(token)) return {};
  if (!token.is(TokenKind::modifiers))
    return syntax_error(token.offset,
                        after_slash_
                            ? "expected modifiers directly after the slash"
                            : fmt::format("expected ':' and modifiers, or ',' and another event, "
                                          "after '{}'",
                                          spec_.name));
  if (const std::string problem = modifier_problem(token.text, false); !problem.empty())
    return syntax_error(token.offset, problem);
  spec_.modifiers = spec_.own_modifiers = token.text;
  lexer_.next();
  if (const Token& rest = lexer_.peek(); !ends(rest))
    return syntax_error(rest.offset, "expected ',' or the end after the modifiers");
  return {};
}

Result<Spec> EventParser::run() {
  if (lexer_.peek().is(TokenKind::event_text)) lexer_.next();
  for (auto step : {&EventParser::head, &EventParser::terms, &EventParser::modifiers})
    if (const auto done = (this->*step)(); !done) return tl::unexpected<Error>(done.error());
  spec_.text = trim(lexer_.text().substr(spec_.offset, text_end_ - spec_.offset));
  return std::move(spec_);
}

}  // namespace

Result<Spec> parse_event(Lexer& lexer) { return EventParser(lexer).run(); }

Result<std::vector<Term>> parse_terms(std::string_view text) {
  Lexer lexer(text, Place::terms);
  return parse_term_list(lexer, false);
}

}  // namespace evname::syntax
