#include "events/syntax/lexer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/syntax/term_names.hpp"

namespace evname::syntax {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kMarks = ":/,={}";

bool in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

/// One kind of word: the characters at its start and after it, in addition to letters.
struct WordRule {
  bool digit_first;
  std::string_view first;
  std::string_view rest;
};
constexpr WordRule kName = {true, "_*?[]", "_*?.[]!-"};
constexpr WordRule kTermName = {true, "_*?[]", "_*?.[]!-:"};
constexpr WordRule kDriverName = {true, "_.", "_."};
constexpr WordRule kDriverValue = {true, "_*?.:", "_*?.:"};

std::size_t match(const WordRule& rule, std::string_view text) {
  if (text.empty()) return 0;
  if (!is_letter(text[0]) && !(rule.digit_first && is_digit(text[0])) && !in(rule.first, text[0]))
    return 0;
  std::size_t n = 1;
  while (n < text.size() && (is_alphanumeric(text[n]) || in(rule.rest, text[n]))) ++n;
  return n;
}

bool up_to_16_hex_digits(std::string_view digits) {
  return digits.size() <= 16 && parse_hex(digits).has_value();
}

/// Sets a word's kind. If rules match equally long, the first in perf's file counts.
void classify(Token& token, Place place) {
  const std::string_view text = token.text;
  if (place == Place::terms && find_perf_term(text) != nullptr) {
    token.kind = TokenKind::keyword;
    return;
  }
  if (text.find_first_not_of(kDigits) == std::string_view::npos) {
    const auto value = parse_decimal(text);
    token.kind = value ? TokenKind::number : TokenKind::too_big;
    token.number = value.value_or(0);
    return;
  }
  const bool raw = text[0] == 'r';
  std::string_view digits;
  if (text.starts_with("0x")) digits = text.substr(2);
  if (raw) digits = text.substr(1);
  if (raw && place == Place::terms && digits.starts_with("0x")) digits.remove_prefix(2);
  if (!digits.empty() && up_to_16_hex_digits(digits)) {
    token.kind = raw ? TokenKind::raw : TokenKind::number;
    token.number = *parse_hex(digits);
  } else if (place == Place::outside && looks_like_modifiers(text)) {
    token.kind = TokenKind::modifiers;
  }
}

constexpr std::string_view kEventEnds = ",{}/";

}  // namespace

Token Lexer::take(TokenKind kind, std::size_t size) {
  position_ += size;
  return Token{kind, text_.substr(position_ - size, size), 0, position_ - size};
}

bool Lexer::quoted(Token* token) {
  const std::size_t close = text_.find('\'', position_ + 1);
  if (close == std::string_view::npos) return false;
  const std::string_view inner = text_.substr(position_ + 1, close - position_ - 1);
  if (inner.empty() || !(is_alphanumeric(inner[0]) || in("_*?[]", inner[0]))) return false;
  for (const char c : inner)
    if (!is_alphanumeric(c) && !in("_*?-,.[]!:=", c)) return false;
  *token = Token{TokenKind::name, inner, 0, position_ + 1};
  position_ = close + 1;
  return true;
}

bool Lexer::driver(Token* token) {
  const std::string_view rest = text_.substr(position_ + 1);
  std::size_t size = match(kDriverName, rest);
  if (size == 0) return false;
  if (rest.substr(size).starts_with('='))
    if (const std::size_t value = match(kDriverValue, rest.substr(size + 1))) size += 1 + value;
  *token = take(TokenKind::driver, 1 + size);
  return true;
}

Token Lexer::word() {
  const std::string_view rest = text_.substr(position_);
  const std::size_t size = match(place_ == Place::terms ? kTermName : kName, rest);
  if (place_ == Place::outside && size == 3 && rest.starts_with("mem:")) {
    place_ = Place::breakpoint;
    return take(TokenKind::memory, 4);
  }
  Token token = take(TokenKind::name, size);
  if (size > 0) classify(token, place_);
  return token;
}

Token Lexer::mark() {
  const Token token = take(TokenKind::mark, 1);
  switch (token.text[0]) {
    case '{':
      place_ = Place::events;
      break;
    case '/':
      place_ = place_ == Place::terms ? Place::outside : Place::terms;
      break;
    case ',':
      if (place_ == Place::outside) place_ = Place::events;
      break;
    default:
      break;
  }
  return token;
}

/// Between events: a group goes on to its closing brace, and everything else that isn't a comma is
/// skipped until an event begins. False: no token yet.
bool Lexer::event_begins(Token* token) {
  const std::size_t stop = std::min(text_.find_first_of(kEventEnds, position_), text_.size());
  if (stop == text_.size()
          ? position_ == stop
          : text_[stop] == '{' && last_brace_ != text_.npos && last_brace_ > stop) {
    place_ = Place::outside;
    return false;
  }
  if (stop > position_) {
    place_ = Place::outside;
    *token = Token{TokenKind::event_text, text_.substr(position_, 0), 0, position_};
    return true;
  }
  if (text_[position_] == ',') {
    *token = take(TokenKind::mark, 1);
    return true;
  }
  ++position_;
  return false;
}

/// After mem: up to the first character that is not part of a breakpoint. False: at that character.
bool Lexer::breakpoint(Token* token) {
  constexpr std::size_t kMostAccess = 3;
  const std::string_view rest = text_.substr(position_);
  const std::size_t letters = std::min(rest.find_first_not_of("rwx"), rest.size());
  const char after = rest.size() > 1 ? rest[1] : '\0';
  if (letters > 0) {
    *token = take(TokenKind::access, std::min(letters, kMostAccess));
  } else if (rest[0] == ':' && in("rwx", after)) {
    *token = take(TokenKind::access_colon, 1);
  } else if (rest[0] == '/' && in(kDigits, after)) {
    *token = take(TokenKind::length_slash, 1);
  } else if (in(kDigits, rest[0])) {
    const bool hex = rest.starts_with("0x") && rest.size() > 2 && is_hex_digit(rest[2]);
    std::size_t size = hex ? 2 : 0;
    while (size < rest.size() &&
           (hex ? is_hex_digit(rest[size]) && size < 18 : in(kDigits, rest[size])))
      ++size;
    *token = take(TokenKind::number, size);
    classify(*token, Place::breakpoint);
  } else {
    place_ = Place::outside;
    if (rest[0] != '/' || rest.size() == 1) return false;
    *token = mark();
  }
  return true;
}

Token Lexer::lex() {
  while (position_ < text_.size() || place_ == Place::events) {
    Token token;
    if (place_ == Place::events || place_ == Place::breakpoint) {
      if (place_ == Place::events ? event_begins(&token) : breakpoint(&token)) return token;
      continue;
    }
    const char c = text_[position_];
    if (in(kMarks, c)) return mark();
    if (c == '\'' && quoted(&token)) return token;
    if (c == '@' && place_ == Place::terms && driver(&token)) return token;
    token = word();
    if (!token.text.empty()) return token;
    ++position_;
  }
  return Token{TokenKind::end, {}, 0, text_.size()};
}

Token Lexer::next() {
  if (!peeked_) return lex();
  peeked_ = false;
  return ahead_;
}

const Token& Lexer::peek() {
  if (!peeked_) ahead_ = lex();
  peeked_ = true;
  return ahead_;
}

void set_place(Error& error, std::size_t offset) {
  error.where = fmt::format("event text, column {}", offset + 1);
  error.offset = offset;
}

tl::unexpected<Error> error_at(std::size_t offset, Errc code, std::string message,
                               std::string hint) {
  auto failure = fail(code, std::move(message), {}, std::move(hint));
  set_place(failure.value(), offset);
  return failure;
}

tl::unexpected<Error> syntax_error(std::size_t offset, std::string message, std::string hint) {
  return error_at(offset, Errc::invalid_argument, std::move(message), std::move(hint));
}

std::string code_hint(std::string_view text) {
  const bool is_prefixed = text.starts_with("0x"), is_raw = text.starts_with('r');
  text.remove_prefix(is_prefixed ? 2 : is_raw ? 1 : 0);
  constexpr std::size_t kMostDigits = 16;
  if (text.size() > kMostDigits && std::ranges::all_of(text, is_hex_digit))
    return "a code has at most 16 hexadecimal digits";
  if (is_raw || text.empty() || (!is_prefixed && !in(kDigits, text[0])) ||
      !up_to_16_hex_digits(text))
    return {};
  return fmt::format("a raw code is written r{}", text);
}

}  // namespace evname::syntax
