#include "events/expression/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "events/expression/operators.hpp"

namespace evname::expression {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kMarks = "|^&<>+-*/%(),";

bool in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool alphanumeric(char c) { return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && digit(text[end])) ++end;
  return end - from;
}

/// "12", "1.", ".5", "1e9", "1.5e-3": no capital E, no plus.
std::size_t match_number(std::string_view text) {
  std::size_t size = digits(text, 0);
  const bool whole = size > 0;
  if (size < text.size() && text[size] == '.') {
    const std::size_t fraction = digits(text, size + 1);
    if (!whole && fraction == 0) return 0;
    size += 1 + fraction;
  } else if (!whole) {
    return 0;
  }
  if (size < text.size() && text[size] == 'e') {
    const bool minus = size + 1 < text.size() && text[size + 1] == '-';
    if (const std::size_t exponent = digits(text, size + 1 + minus)) size += 1 + minus + exponent;
  }
  return size;
}

std::size_t match_name(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    if (alphanumeric(text[size]) || in("_.:@?", text[size]) || (text[size] == '=' && size > 0))
      ++size;
    else if (text[size] == '\\' && size + 1 < text.size() && in("-,=", text[size + 1]))
      size += 2;
    else
      break;
  }
  return size;
}

std::size_t match_literal(std::string_view text) {
  if (text[0] != '#') return 0;
  std::size_t size = 1;
  while (size < text.size() && (alphanumeric(text[size]) || in("_.-", text[size]))) ++size;
  return size > 1 ? size : 0;
}

bool is_word(std::string_view text) {
  return text == "if" || text == "else" ||
         std::ranges::find(kBinaryFunctions, text, &BinaryFunction::name) !=
             std::end(kBinaryFunctions) ||
         std::ranges::find(kNameFunctions, text, &NameFunction::name) != std::end(kNameFunctions);
}

std::string quoted(char c) {
  const auto code = static_cast<unsigned char>(c);
  return c > ' ' && c <= '~' ? fmt::format("'{}'", c) : fmt::format("byte {:#04x}", code);
}

}  // namespace

Token Lexer::take(TokenKind kind, std::size_t size) {
  const Token token{kind, text_.substr(position_, size), 0, position_};
  position_ += size;
  return token;
}

Result<Token> Lexer::number(std::size_t size) {
  Token token = take(TokenKind::number, size);
  if (read_double(token.text, token.number) == 0)
    return error_at(token.offset, fmt::format("'{}' is out of range", token.text), {},
                    Errc::out_of_range);
  return token;
}

Result<Token> Lexer::next() {
  while (position_ < text_.size() && in(kSpaces, text_[position_])) ++position_;
  const std::string_view rest = text_.substr(position_);
  if (rest.empty()) return Token{TokenKind::end, {}, 0, position_};
  if (const std::size_t size = match_literal(rest)) return take(TokenKind::literal, size);
  const std::size_t name = match_name(rest);
  if (const std::size_t size = match_number(rest); size > 0 && size >= name) return number(size);
  if (name > 0) {
    Token token = take(TokenKind::name, name);
    if (token.text == "NaN") {
      token.kind = TokenKind::number;
      token.number = std::numeric_limits<double>::quiet_NaN();
    } else if (is_word(token.text)) {
      token.kind = TokenKind::word;
    }
    return token;
  }
  if (in(kMarks, rest[0])) return take(TokenKind::mark, 1);
  return error_at(position_, fmt::format("{} has no meaning here", quoted(rest[0])));
}

tl::unexpected<Error> error_at(std::size_t offset, std::string message, std::string hint,
                               Errc code) {
  return fail(code, std::move(message), fmt::format("metric expression, column {}", offset + 1),
              std::move(hint), offset);
}

}  // namespace evname::expression
