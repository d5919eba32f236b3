#pragma once
// Tokens of perf's event syntax. Source: perf, util/parse-events.l (rules, not code).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "evname/error.hpp"

namespace evname::syntax {

enum class TokenKind : std::uint8_t {
  end,
  name,     ///< cycles, uncore_cb*, L1-dcache-loads
  raw,      ///< rHEX; between slashes also r0xHEX
  number,   ///< 12, 0x3c
  too_big,  ///< a decimal number of more than 64 bits
  quoted,   ///< 'CPU_CLK:cmask=1', without the quotes
  driver,   ///< @name or @name=value between slashes, with the @
  mark,     ///< one of : / , = { }
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::uint64_t number = 0;  ///< value of number and raw
  std::size_t offset = 0;    ///< in the whole text

  bool is_mark(char c) const { return kind == TokenKind::mark && text[0] == c; }
  /// A name, or a raw code standing where a name may.
  bool is_word() const { return kind == TokenKind::name || kind == TokenKind::raw; }
};

/// Which rules apply: between the slashes of PMU/…/ names may hold colons.
enum class Place : std::uint8_t { top, terms };

/// Reads text[begin, end) token by token. Characters that start no token are skipped, as perf does.
class Lexer {
 public:
  Lexer(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text.substr(0, end)), position_(begin) {}

  Token next(Place place);
  Token peek(Place place) const { return Lexer(*this).next(place); }
  std::size_t position() const { return position_; }
  std::string_view text() const { return text_; }

 private:
  Token word(Place place);
  bool quoted(Token* token);

  std::string_view text_;
  std::size_t position_;
};

/// Says where in the event text the error is: Error::where ("event text, column 3") and offset.
void set_place(Error& error, std::size_t offset);

/// An error at a place in an event text.
tl::unexpected<Error> error_at(std::size_t offset, Errc code, std::string message,
                               std::string hint = {});

/// invalid_argument at a place in an event text; `message` says what was expected.
tl::unexpected<Error> syntax_error(std::size_t offset, std::string message, std::string hint = {});

/// The text and, below it, a caret at the offset: for people at a terminal.
std::string caret(std::string_view text, std::size_t offset);

}  // namespace evname::syntax
