#include "events/syntax/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/letters.hpp"
#include "base/text.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/syntax/term_names.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"

namespace evname::syntax {
namespace {

constexpr char kTooBig[] = "a number of more than 64 bits";

Result<void> parse_value(Lexer& lexer, tables::Term* term) {
  const Token value = lexer.next();
  switch (value.kind) {
    case TokenKind::number:
      term->value = tables::Term::Value::number;
      term->number = value.number;
      return {};
    case TokenKind::keyword:
      if (find_perf_term(term->name) == nullptr)
        return syntax_error(value.offset,
                            fmt::format("'{}' is a term of perf's own and no value", value.text));
      [[fallthrough]];
    case TokenKind::name:
    case TokenKind::raw:
      term->value = tables::Term::Value::text;
      term->text = value.text;
      return {};
    case TokenKind::too_big:
      return syntax_error(value.offset, kTooBig);
    default:
      return syntax_error(value.offset, fmt::format("expected a value after '{}='", term->name));
  }
}

Result<tables::Term> parse_term(Lexer& lexer) {
  const Token name = lexer.next();
  tables::Term term;
  term.name = name.text;
  term.offset = name.offset;
  if (name.is(TokenKind::driver)) return term;
  if (name.is(TokenKind::too_big)) return syntax_error(name.offset, kTooBig);
  if (!name.is_word() && !name.is(TokenKind::keyword))
    return syntax_error(name.offset, "expected a term (name or name=value)");
  if (name.is(TokenKind::raw)) {
    term.is_raw = true;
    term.number = name.number;
  }
  if (!lexer.peek().is_mark('=')) return term;
  lexer.next();
  term.is_raw = false;
  if (const auto value = parse_value(lexer, &term); !value) return fail(value);
  return term;
}

/// Parses terms up to the end of the text or, if `closed`, to the slash after them, which is not
/// consumed.
Result<std::vector<tables::Term>> parse_term_list(Lexer& lexer, bool closed) {
  std::vector<tables::Term> terms;
  for (;;) {
    auto term = parse_term(lexer);
    if (!term) return fail(term);
    terms.push_back(*term);
    const Token& after = lexer.peek();
    if (closed ? after.is_mark('/') : after.is(TokenKind::end)) return terms;
    if (!after.is_mark(','))
      return syntax_error(after.offset, fmt::format("expected ',' or {} after '{}'",
                                                    closed ? "'/'" : "the end", terms.back().name));
    lexer.next();
  }
}

/// Parses one event; each step consumes its part and leaves the rest in lexer_.
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
    return syntax_error(colon.offset, "expected ':' and the config after a type number",
                        code_hint(type.text));
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
    if (!terms) return fail(terms);
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
    if (const auto done = (this->*step)(); !done) return fail(done);
  spec_.text = trim(lexer_.text().substr(spec_.offset, text_end_ - spec_.offset));
  return std::move(spec_);
}

/// Walks the list, one event or group after the other.
class ListParser {
 public:
  explicit ListParser(std::string_view text) : lexer_(text, Place::events) {}
  Result<std::vector<Group>> run();

 private:
  Result<void> event(Group* group);
  Result<Group> item();
  Result<void> members(Group* group);
  Result<void> group_modifiers(Group* group);

  Lexer lexer_;
};

Result<void> ListParser::event(Group* group) {
  auto spec = EventParser(lexer_).run();
  if (!spec) return fail(spec);
  group->specs.push_back(std::move(*spec));
  return {};
}

Result<void> ListParser::group_modifiers(Group* group) {
  if (!lexer_.peek().is_mark(':')) return {};
  lexer_.next();
  const Token letters = lexer_.next();
  if (!letters.is(TokenKind::modifiers) && !letters.is(TokenKind::name))
    return syntax_error(letters.offset, "expected modifiers after ':'");
  if (const std::string problem = modifier_problem(letters.text, true); !problem.empty())
    return syntax_error(letters.offset, problem);
  group->modifiers = letters.text;
  for (Spec& spec : group->specs) {
    if (too_precise(spec.own_modifiers, letters.text))
      return syntax_error(
          letters.offset,
          fmt::format("'{}' would have more than three p together with its group's", spec.name));
    spec.modifiers = join_modifiers(spec.own_modifiers, letters.text);
  }
  return {};
}

/// Parses the events between braces, and the closing one.
Result<void> ListParser::members(Group* group) {
  for (;;) {
    if (auto done = event(group); !done) return done;
    const Token after = lexer_.next();
    if (after.is_mark('}')) return {};
    if (!after.is_mark(','))
      return syntax_error(after.offset, "expected ',' or '}': groups do not nest");
  }
}

/// Parses an event or a group. If perf's lexer sees a group, no event_text comes first.
Result<Group> ListParser::item() {
  Group group;
  if (lexer_.peek().is(TokenKind::event_text)) {
    if (const auto done = event(&group); !done) return fail(done);
    return group;
  }
  group.braces = true;
  if (lexer_.peek().is(TokenKind::name)) group.name = lexer_.next().text;
  if (const Token brace = lexer_.next(); !brace.is_mark('{'))
    return syntax_error(brace.offset, group.name.empty() ? "expected an event"
                                                         : "expected '{' after a group's name");
  if (const auto done = members(&group); !done) return fail(done);
  if (const auto done = group_modifiers(&group); !done) return fail(done);
  return group;
}

Result<std::vector<Group>> ListParser::run() {
  std::vector<Group> groups;
  for (;;) {
    auto next = item();
    if (!next) return fail(next);
    groups.push_back(std::move(*next));
    const Token after = lexer_.next();
    if (after.is(TokenKind::end)) return groups;
    if (!after.is_mark(','))
      return syntax_error(after.offset, "expected ',' or the end after an event");
  }
}

/// Returns how many letters, digits, '_' and '.' a text begins with: names that the lexer makes one
/// token of, whatever follows.
std::size_t plain_prefix(std::string_view text) {
  const auto is_plain = [](char c) { return is_alphanumeric(c) || c == '_' || c == '.'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

/// Words that may be codes (r1a8, 0x1a8, 12) or keywords (mem:…) are left to the lexer.
bool may_be_name(std::string_view word) {
  if (word.empty() || is_digit(word[0]) || word[0] == '.') return false;
  if (word[0] != 'r') return word != "mem";
  return word.find_first_not_of("0123456789abcdefABCDEFx", 1) != std::string_view::npos;
}

}  // namespace

Result<std::vector<Group>> parse_events(std::string_view text) { return ListParser(text).run(); }

Result<std::vector<tables::Term>> parse_terms(std::string_view text) {
  Lexer lexer(text, Place::terms);
  return parse_term_list(lexer, false);
}

bool plain_event(std::string_view text, Spec& spec) {
  spec.text = spec.name = text.substr(0, plain_prefix(text));
  spec.name_hash = name_hash(spec.name);
  if (!may_be_name(spec.name) || is_plain_kernel_name(spec.name, spec.name_hash)) return false;
  if (spec.name.size() == text.size()) return true;
  spec.own_modifiers = text.substr(spec.name.size() + 1);
  if (text[spec.name.size()] != ':' || !are_modifiers(spec.own_modifiers, false)) return false;
  spec.modifiers = spec.own_modifiers;
  return true;
}

std::optional<std::string> with_modifiers_outside(std::string_view events) {
  std::string out(events);
  bool is_changed = false;
  for (std::size_t open = out.find('/'); open != out.npos;) {
    const std::size_t close = out.find('/', open + 1);
    if (close == out.npos) break;
    const std::string_view terms = std::string_view(out).substr(open + 1, close - open - 1);
    const std::size_t colon = terms.rfind(':');
    const bool ends = close + 1 == out.size() || out[close + 1] == ',' || out[close + 1] == '}';
    if (ends && colon != terms.npos && colon > 0 && are_modifiers(terms.substr(colon + 1), false)) {
      out.erase(open + 1 + colon, 1);
      const std::size_t letters = close - (open + 1 + colon) - 1;
      out.erase(close - 1, 1).insert(close - 1 - letters, 1, '/');
      is_changed = true;
    }
    open = out.find('/', close + 1);
  }
  return is_changed ? std::optional(std::move(out)) : std::nullopt;
}

namespace {

/// perf's grammar only knows names of PMUs' events; the word decides whether the kernel or perf
/// itself counts the event.
EventForm form_of(const Spec& spec) {
  switch (spec.kind) {
    case Kind::raw:
      return EventForm::raw;
    case Kind::numeric:
      return EventForm::numeric;
    case Kind::tracepoint:
      return EventForm::tracepoint;
    case Kind::breakpoint:
      return EventForm::breakpoint;
    default:
      break;
  }
  if (hardware_config(spec.name)) return EventForm::hardware;
  if (software_config(spec.name)) return EventForm::software;
  if (tool_config(spec.name)) return EventForm::tool;
  if (cache_config(spec.name)) return EventForm::cache;
  return spec.kind == Kind::pmu ? EventForm::terms : EventForm::name;
}

}  // namespace

Result<std::vector<EventText>> split_events(std::string_view list) {
  auto groups = parse_events(list);
  if (!groups) return fail(std::move(groups));
  std::vector<EventText> out;
  std::size_t braces = 0;
  for (Group& group : *groups) {
    for (Spec& spec : group.specs)
      out.push_back({form_of(spec), std::string(spec.text), std::move(spec.modifiers), spec.offset,
                     group.braces ? std::optional(braces) : std::nullopt});
    braces += group.braces ? 1 : 0;
  }
  return out;
}

}  // namespace evname::syntax
