#pragma once
// Tokens of perf's metric expressions. Source: perf, util/expr.l (rules, not code).

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "evname/error.hpp"

namespace evname::expression {

enum class TokenKind : std::uint8_t {
  end,
  number,
  name,     ///< an event or metric, escapes included: "topdown\-slots", "cpu@event\=0x3c@"
  word,     ///< if, else or the name of a function
  literal,  ///< "#smt_on", with the hash
  mark,     ///< one of | ^ & < > + - * / % ( ) ,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  double number = 0;
  std::size_t offset = 0;

  bool is(std::string_view what) const {
    return (kind == TokenKind::mark || kind == TokenKind::word) && text == what;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// Errors: invalid_argument for a character that starts no token (perf skips it, so that "a >= b"
  /// is "a > b"), out_of_range for a number that a double can't hold.
  Result<Token> next();

 private:
  Result<Token> number(std::size_t size);
  Token take(TokenKind kind, std::size_t size);

  std::string_view text_;
  std::size_t position_ = 0;
};

/// An error at a place in an expression; Error::where is "metric expression, column N".
tl::unexpected<Error> error_at(std::size_t offset, std::string message, std::string hint = {},
                               Errc code = Errc::invalid_argument);

}  // namespace evname::expression
