#include "syntax/lexer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace evname::syntax {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kMarks = ":/,={}";

bool in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
bool alphanumeric(char c) { return in(kLetters, c) || in(kDigits, c); }

/// One kind of word: what it may start with and go on with, beside letters.
struct WordRule {
  bool digit_first;
  std::string_view first;
  std::string_view rest;
};
constexpr WordRule kName = {true, "_*?[]", "_*?.[]!-"};
constexpr WordRule kNameWithColons = {false, "_*?", "-_*?.:"};
constexpr WordRule kDriverName = {true, "_.", "_."};
constexpr WordRule kDriverValue = {true, "_*?.:", "_*?.:"};

std::size_t match(const WordRule& rule, std::string_view text) {
  if (text.empty()) return 0;
  if (!in(kLetters, text[0]) && !(rule.digit_first && in(kDigits, text[0])) &&
      !in(rule.first, text[0]))
    return 0;
  std::size_t n = 1;
  while (n < text.size() && (alphanumeric(text[n]) || in(rule.rest, text[n]))) ++n;
  return n;
}

bool up_to_16_hex_digits(std::string_view digits) {
  return digits.size() <= 16 && parse_hex(digits).has_value();
}

void classify(Token& token, Place place) {
  const std::string_view text = token.text;
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
  if (digits.empty() || !up_to_16_hex_digits(digits)) return;
  token.kind = raw ? TokenKind::raw : TokenKind::number;
  token.number = *parse_hex(digits);
}

}  // namespace

bool Lexer::quoted(Token* token) {
  const std::size_t close = text_.find('\'', position_ + 1);
  if (close == std::string_view::npos) return false;
  const std::string_view inner = text_.substr(position_ + 1, close - position_ - 1);
  if (inner.empty() || !(alphanumeric(inner[0]) || in("_*?[]", inner[0]))) return false;
  for (const char c : inner)
    if (!alphanumeric(c) && !in("_*?-,.[]:=", c)) return false;
  *token = Token{TokenKind::quoted, inner, 0, position_};
  position_ = close + 1;
  return true;
}

Token Lexer::word(Place place) {
  const std::string_view rest = text_.substr(position_);
  std::size_t size = match(kName, rest);
  if (place == Place::terms) {
    size = std::max(size, match(kNameWithColons, rest));
    if (const std::size_t name = rest[0] == '@' ? match(kDriverName, rest.substr(1)) : 0) {
      size = 1 + name;
      if (rest.substr(size).starts_with('='))
        if (const std::size_t value = match(kDriverValue, rest.substr(size + 1))) size += 1 + value;
      position_ += size;
      return Token{TokenKind::driver, rest.substr(0, size), 0, position_ - size};
    }
  }
  Token token{TokenKind::name, rest.substr(0, size), 0, position_};
  position_ += size;
  if (size > 0) classify(token, place);
  return token;
}

Token Lexer::next(Place place) {
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (in(kMarks, c))
      return Token{TokenKind::mark, text_.substr(position_++, 1), 0, position_ - 1};
    Token token;
    if (c == '\'' && place == Place::terms && quoted(&token)) return token;
    token = word(place);
    if (!token.text.empty()) return token;
  }
  return Token{TokenKind::end, {}, 0, text_.size()};
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

std::string caret(std::string_view text, std::size_t offset) {
  std::string line(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return fmt::format("{}\n{}^", line, std::string(std::min(offset, text.size()), ' '));
}

}  // namespace evname::syntax
