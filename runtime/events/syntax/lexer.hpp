#pragma once
// Tokens of perf's event syntax. Source: perf, util/parse-events.l (rules, not code).

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "evname/error.hpp"

namespace evname::syntax {

enum class TokenKind : std::uint8_t {
  end,
  event_text,    ///< empty: an event follows, not a group
  name,          ///< cycles, uncore_cb*, L1-dcache-loads, and 'CPU_CLK:cmask=1' without the quotes
  raw,           ///< rHEX; between slashes also r0xHEX
  number,        ///< 12, 0x3c
  too_big,       ///< a decimal number of more than 64 bits
  keyword,       ///< between slashes: the name of a term of perf's own
  driver,        ///< @name or @name=value between slashes, with the @
  modifiers,     ///< nothing but modifier letters
  memory,        ///< mem:
  access,        ///< r, w and x of a breakpoint
  access_colon,  ///< the colon before them
  length_slash,  ///< the slash before a breakpoint's length
  mark,          ///< one of : / , = { }
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::uint64_t number = 0;  ///< value of number and raw
  std::size_t offset = 0;    ///< in the whole text

  bool is(TokenKind k) const { return kind == k; }
  bool is_mark(char c) const { return kind == TokenKind::mark && text[0] == c; }
  /// Returns true for a name, and for a raw code in the place of a name.
  bool is_word() const { return kind == TokenKind::name || kind == TokenKind::raw; }
  std::size_t end() const { return offset + text.size(); }
};

/// The current set of rules. The tokens switch between them.
enum class Place : std::uint8_t {
  events,      ///< where an event or a group begins
  outside,     ///< of slashes
  terms,       ///< between slashes: names may hold colons, and perf's own terms are keywords
  breakpoint,  ///< after mem:
};

/// Reads a text token by token. Characters that start no token are skipped, as perf does.
class Lexer {
 public:
  Lexer(std::string_view text, Place place)
      : text_(text), last_brace_(text.rfind('}')), place_(place) {}

  Token next();
  const Token& peek();
  std::string_view text() const { return text_; }

 private:
  Token lex();
  bool event_begins(Token* token);
  bool breakpoint(Token* token);
  Token word();
  bool quoted(Token* token);
  bool driver(Token* token);
  Token take(TokenKind kind, std::size_t size);
  Token mark();

  std::string_view text_;
  std::size_t last_brace_;  ///< the next one that closes a group; npos: there is none
  std::size_t position_ = 0;
  Place place_;
  bool peeked_ = false;
  Token ahead_;
};

/// Sets Error::where ("event text, column 3") and offset.
void set_place(Error& error, std::size_t offset);

/// Makes an error at a place in an event text.
tl::unexpected<Error> error_at(std::size_t offset, Errc code, std::string message,
                               std::string hint = {});

/// Makes an error invalid_argument at a place in an event text.
tl::unexpected<Error> syntax_error(std::size_t offset, std::string message, std::string hint = {});

/// Returns how to write a raw code that lacks its letter ("20d1", "0x20d1"); "" for other texts.
std::string code_hint(std::string_view text);

}  // namespace evname::syntax
