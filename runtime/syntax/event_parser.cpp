#include "syntax/events.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "syntax/kernel_names.hpp"
#include "syntax/lexer.hpp"
#include "syntax/modifiers.hpp"

namespace evname::syntax {
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

/// Terms up to the end of the text or, if `closed`, to the slash after them.
Result<std::vector<Term>> parse_term_list(Lexer& lexer, bool closed) {
  std::vector<Term> terms;
  if (closed && lexer.peek(Place::terms).is_mark('/')) {
    lexer.next(Place::terms);
    return terms;
  }
  for (;;) {
    auto term = parse_term(lexer);
    if (!term) return tl::unexpected<Error>(term.error());
    terms.push_back(*term);
    const Token after = lexer.next(Place::terms);
    if (after.is_mark(',')) continue;
    if (closed ? after.is_mark('/') : after.kind == TokenKind::end) return terms;
    return syntax_error(after.offset, fmt::format("expected ',' or {} after '{}'",
                                                  closed ? "'/'" : "the end", terms.back().name));
  }
}

/// Parses one event; each step takes what it knows and leaves the rest in lexer_.
class EventParser {
 public:
  EventParser(std::string_view text, std::size_t begin, std::size_t end)
      : whole_(text), lexer_(text, begin, end) {}

  Result<Spec> run();

 private:
  Result<void> head();
  Result<void> head_number(const Token& type);
  void head_name(const Token& word);
  Result<void> breakpoint();
  Result<void> breakpoint_access();
  Result<void> terms();
  Result<void> modifiers();

  std::string_view whole_;
  Lexer lexer_;
  Spec spec_;
  std::size_t text_end_ = 0;
};

Result<void> EventParser::head_number(const Token& type) {
  const Token colon = lexer_.next(Place::top);
  if (!colon.is_mark(':'))
    return syntax_error(colon.offset, "expected ':' and the config after a type number");
  const Token config = lexer_.next(Place::top);
  if (config.kind != TokenKind::number)
    return syntax_error(config.offset, "expected the config as a number after TYPE:");
  spec_.kind = Kind::numeric;
  spec_.type = type.number;
  spec_.config = config.number;
  return {};
}

void EventParser::head_name(const Token& word) {
  spec_.name = word.text;
  if (const auto config = hardware_config(word.text)) {
    spec_.kind = Kind::hardware;
    spec_.config = *config;
  } else if (const auto software = software_config(word.text)) {
    spec_.kind = Kind::software;
    spec_.config = *software;
  } else if (is_tool_event(word.text)) {
    spec_.kind = Kind::tool;
  } else if (cache_config(word.text)) {
    spec_.kind = Kind::cache;
  } else {
    Lexer ahead = lexer_;
    if (!ahead.next(Place::top).is_mark(':')) return;
    const Token second = ahead.next(Place::top);
    if (!second.is_word() || looks_like_modifiers(second.text)) return;
    lexer_ = ahead;
    spec_.kind = Kind::tracepoint;
    spec_.event = second.text;
  }
}

Result<void> EventParser::head() {
  const Token word = lexer_.next(Place::top);
  spec_.offset = word.offset;
  switch (word.kind) {
    case TokenKind::number:
      return head_number(word);
    case TokenKind::raw:
      spec_.kind = Kind::raw;
      spec_.name = word.text;
      spec_.config = word.number;
      return {};
    case TokenKind::name:
      if (word.text == "mem" && lexer_.peek(Place::top).is_mark(':')) return breakpoint();
      head_name(word);
      return {};
    case TokenKind::too_big:
      return syntax_error(word.offset, kTooBig);
    default:
      return syntax_error(word.offset, "expected an event");
  }
}

Result<void> EventParser::breakpoint() {
  spec_.kind = Kind::breakpoint;
  lexer_.next(Place::top);
  const Token address = lexer_.next(Place::top);
  if (address.kind != TokenKind::number)
    return syntax_error(address.offset, "expected an address after 'mem:'");
  spec_.config = address.number;
  Lexer ahead = lexer_;
  if (ahead.next(Place::top).is_mark('/')) {
    const Token length = ahead.next(Place::top);
    if (length.kind == TokenKind::number) {
      spec_.length = length.number;
      lexer_ = ahead;
    }
  }
  return breakpoint_access();
}

Result<void> EventParser::breakpoint_access() {
  Lexer ahead = lexer_;
  if (!ahead.next(Place::top).is_mark(':')) return {};
  const Token letters = ahead.next(Place::top);
  if (!letters.is_word() || letters.text.find_first_not_of("rwx") != std::string_view::npos)
    return {};
  for (const char c : letters.text) {
    const std::uint32_t bit = c == 'r' ? 1 : c == 'w' ? 2 : 4;
    if ((spec_.access & bit) != 0)
      return syntax_error(letters.offset, fmt::format("access '{}' is given twice", c));
    spec_.access |= bit;
  }
  lexer_ = ahead;
  return {};
}

Result<void> EventParser::terms() {
  const Token slash = lexer_.peek(Place::top);
  if (!slash.is_mark('/')) return {};
  if (whole_.find('/', slash.offset + 1) >= lexer_.text().size())
    return syntax_error(lexer_.text().size(),
                        fmt::format("expected '/' to close the terms of '{}'", spec_.name));
  lexer_.next(Place::top);
  if (spec_.kind == Kind::name) spec_.kind = Kind::pmu;
  auto terms = parse_term_list(lexer_, true);
  if (!terms) return tl::unexpected<Error>(terms.error());
  spec_.terms = std::move(*terms);
  return {};
}

/// Kinds of which perf's grammar has `sep_dc` after the closing slash (util/parse-events.y).
bool takes_colon_after_slash(Kind kind) {
  return kind == Kind::cache || kind == Kind::breakpoint || kind == Kind::tracepoint ||
         kind == Kind::numeric || kind == Kind::raw;
}

Result<void> EventParser::modifiers() {
  const bool after_slash = lexer_.position() > 0 && whole_[lexer_.position() - 1] == '/';
  text_end_ = lexer_.position();
  Token token = lexer_.next(Place::top);
  if (token.kind == TokenKind::end) return {};
  if (!after_slash && !token.is_mark(':'))
    return syntax_error(token.offset,
                        fmt::format("expected ':' and modifiers, or ',' and another event, "
                                    "after '{}'",
                                    spec_.name));
  if (token.is_mark(':') && (!after_slash || takes_colon_after_slash(spec_.kind))) {
    token = lexer_.next(Place::top);
    if (token.kind == TokenKind::end) return {};  // perf takes "cycles:" for cycles
  }
  if (!token.is_word())
    return syntax_error(token.offset, after_slash ? "expected modifiers directly after the slash"
                                                  : "expected modifiers after ':'");
  if (const std::string problem = modifier_problem(token.text, false); !problem.empty())
    return syntax_error(token.offset, problem);
  spec_.modifiers = spec_.own_modifiers = token.text;
  if (const Token rest = lexer_.next(Place::top); rest.kind != TokenKind::end)
    return syntax_error(rest.offset, "expected ',' or the end after the modifiers");
  return {};
}

Result<Spec> EventParser::run() {
  const std::size_t begin = lexer_.position();
  for (auto step : {&EventParser::head, &EventParser::terms, &EventParser::modifiers})
    if (const auto done = (this->*step)(); !done) return tl::unexpected<Error>(done.error());
  spec_.text = trim(whole_.substr(begin, text_end_ - begin));
  return std::move(spec_);
}

}  // namespace

Result<Spec> parse_event(std::string_view text, std::size_t begin, std::size_t end) {
  return EventParser(text, begin, end).run();
}

Result<std::vector<Term>> parse_terms(std::string_view text) {
  Lexer lexer(text, 0, text.size());
  return parse_term_list(lexer, false);
}

}  // namespace evname::syntax
