#include "events/expression/parse.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "events/expression/operators.hpp"
#include "evname/error.hpp"

namespace evname::expression {
namespace {

/// Makes an error at a place in an expression; Error::where is "metric expression, column N".
tl::unexpected<Error> error_at(std::size_t offset, std::string message, std::string hint = {},
                               Errc code = Errc::invalid_argument) {
  return fail(code, std::move(message), fmt::format("metric expression, column {}", offset + 1),
              std::move(hint), offset);
}

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

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kMarks = "|^&<>+-*/%(),";

bool in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

std::size_t digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) ++end;
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
    if (is_alphanumeric(text[size]) || in("_.:@?", text[size]) || (text[size] == '=' && size > 0))
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
  while (size < text.size() && (is_alphanumeric(text[size]) || in("_.-", text[size]))) ++size;
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

const BinaryOperator* binary_operator(const Token& token) {
  for (const auto& row : kBinaryOperators)
    if (token.is(row.mark)) return &row;
  return nullptr;
}

std::string without_escapes(std::string_view name) {
  std::string out(name);
  std::erase(out, '\\');
  return out;
}

std::string closest_literal(std::string_view written) {
  return fmt::format("did you mean '{}'?", nearest_within(written, kLiterals, SIZE_MAX));
}

/// Collects the steps and how deep the stack gets.
class Builder {
 public:
  /// Returns false if the program would be too deep or too long.
  bool step(Op op, std::size_t operand = 0) {
    depth_ = depth_ + 1 - operand_count(op);
    Step step{op, 0};
    step.operand = operand & kMaxOperand;
    program_.steps.push_back(step);
    return depth_ <= kMaxDepth && operand <= kMaxOperand;
  }
  bool number(double value) {
    const auto [at, is_new] =
        numbers_.try_emplace(std::bit_cast<std::uint64_t>(value), program_.numbers.size());
    if (is_new) program_.numbers.push_back(value);
    return step(Op::number, at->second);
  }
  bool symbol(SymbolKind kind, std::string name) {
    const auto [at, is_new] = symbols_.try_emplace({kind, name}, program_.symbols.size());
    if (is_new) program_.symbols.push_back({kind, std::move(name)});
    return step(kind == SymbolKind::literal ? Op::literal : Op::symbol, at->second);
  }
  Program take() { return std::move(program_); }

 private:
  Program program_;
  std::map<std::uint64_t, std::size_t> numbers_;
  std::map<std::pair<SymbolKind, std::string>, std::size_t> symbols_;
  std::size_t depth_ = 0;
};

using Done = Result<void>;

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}
  Result<Program> run();

 private:
  Done advance();
  Done expect(std::string_view mark);
  Done unexpected(std::string_view wanted) const;
  Done built(bool fits, const Token& token) const;
  Done if_expression();
  Done expression(int above);
  Done primary();
  Done operand(const Token& token);
  Done function(const Token& token);
  Done name_function(const Token& token, SymbolKind kind);
  Done binary_function(const Token& token, Op op);
  Done literal(const Token& token);

  Lexer lexer_;
  Token token_;
  Builder builder_;
  unsigned nesting_ = 0;
};

Done Parser::advance() {
  auto next = lexer_.next();
  if (!next) return fail(next);
  token_ = *next;
  return {};
}

Done Parser::unexpected(std::string_view wanted) const {
  if (token_.kind == TokenKind::end)
    return error_at(token_.offset, fmt::format("expected {} before the end", wanted));
  return error_at(token_.offset, fmt::format("expected {} instead of '{}'", wanted, token_.text));
}

Done Parser::expect(std::string_view mark) {
  if (!token_.is(mark)) return unexpected(fmt::format("'{}'", mark));
  return advance();
}

Done Parser::built(bool fits, const Token& token) const {
  if (fits) return {};
  return error_at(token.offset, "the expression is too deeply nested or too long", {},
                  Errc::out_of_range);
}

Done Parser::if_expression() {
  return expression(0).and_then([&]() -> Done {
    if (!token_.is("if")) return {};
    const Token at = token_;
    return advance()
        .and_then([&] { return expression(0); })
        .and_then([&] { return expect("else"); })
        .and_then([&] { return if_expression(); })
        .and_then([&] { return built(builder_.step(Op::select), at); });
  });
}

/// Operators that bind tighter than `above`.
Done Parser::expression(int above) {
  Done done = primary();
  while (done) {
    const Token at = token_;
    const BinaryOperator* found = binary_operator(at);
    if (found == nullptr || found->precedence <= above) break;
    done = advance().and_then([&] { return expression(found->precedence); }).and_then([&] {
      return built(builder_.step(found->op), at);
    });
  }
  return done;
}

Done Parser::primary() {
  const Token token = token_;
  if (++nesting_ > kMaxDepth) return built(false, token);
  Done done = advance().and_then([&] { return operand(token); });
  --nesting_;
  return done;
}

Done Parser::operand(const Token& token) {
  if (token.kind == TokenKind::number) return built(builder_.number(token.number), token);
  if (token.kind == TokenKind::name)
    return built(builder_.symbol(SymbolKind::event, without_escapes(token.text)), token);
  if (token.kind == TokenKind::literal) return literal(token);
  if (token.is("-"))
    return primary().and_then([&] { return built(builder_.step(Op::negate), token); });
  if (token.is("(")) return if_expression().and_then([&] { return expect(")"); });
  return function(token);
}

Done Parser::literal(const Token& token) {
  if (!find_literal(token.text))
    return error_at(token.offset, fmt::format("unknown literal '{}'", token.text),
                    closest_literal(token.text));
  return built(builder_.symbol(SymbolKind::literal, std::string(token.text)), token);
}

Done Parser::function(const Token& token) {
  for (const auto& row : kBinaryFunctions)
    if (token.is(row.name)) return binary_function(token, row.op);
  for (const auto& row : kNameFunctions)
    if (token.is(row.name)) return name_function(token, row.kind);
  token_ = token;
  return unexpected("a number, an event or '('");
}

Done Parser::binary_function(const Token& token, Op op) {
  return expect("(")
      .and_then([&] { return expression(0); })
      .and_then([&] { return expect(","); })
      .and_then([&] { return expression(0); })
      .and_then([&] { return expect(")"); })
      .and_then([&] { return built(builder_.step(op), token); });
}

Done Parser::name_function(const Token& token, SymbolKind kind) {
  if (Done done = expect("("); !done) return done;
  const Token name = token_;
  if (name.kind != TokenKind::name) return unexpected("a name");
  return advance().and_then([&] { return expect(")"); }).and_then([&] {
    return built(builder_.symbol(kind, without_escapes(name.text)), token);
  });
}

Result<Program> Parser::run() {
  const Done done = advance().and_then([&] { return if_expression(); });
  if (!done) return fail(done);
  if (token_.kind != TokenKind::end) return fail(unexpected("an operator or the end").error());
  return builder_.take();
}

}  // namespace

std::optional<std::string_view> find_literal(std::string_view written) {
  const auto at = std::ranges::find(kLiterals, to_lower(written));
  return at == std::end(kLiterals) ? std::nullopt : std::optional(*at);
}

Result<Program> parse_expression(std::string_view text) { return Parser(text).run(); }

std::string event_text(std::string_view name, unsigned parameter) {
  std::string out;
  const std::size_t first = name.find('@'), last = name.rfind('@');
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '?')
      out += std::to_string(parameter);
    else
      out += i == first || i == last ? '/' : name[i];
  }
  return out;
}

}  // namespace evname::expression
