#include "importer/c_expression.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace evname::importer {
namespace {

CValue number_value(std::uint64_t number) { return {CValue::Kind::number, number, {}, {}}; }

struct Operator {
  std::string_view sign;
  int rank;
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

std::uint64_t computed(std::string_view sign, std::uint64_t a, std::uint64_t b) {
  if (sign == "||") return a != 0 || b != 0;
  if (sign == "&&") return a != 0 && b != 0;
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == "&") return a & b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "<<") return b < 64 ? a << b : 0;
  if (sign == ">>") return b < 64 ? a >> b : 0;
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (b == 0) return 0;
  return sign == "/" ? a / b : a % b;
}

/// Returns the number of "0x1fULL".
std::optional<std::uint64_t> number_of(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return parse_number(text);
}

}  // namespace

CValue CExpression::initializer() {
  if (!at("{")) return binary(1);
  if (depth_ >= kDeepest) return skip_group(), CValue{};
  ++depth_;
  CValue out = list();
  --depth_;
  return out;
}

std::optional<std::uint64_t> CExpression::number() {
  const CValue value = binary(1);
  return value.kind == CValue::Kind::number ? std::optional(value.number) : std::nullopt;
}

CValue CExpression::list() {
  CValue out;
  out.kind = CValue::Kind::list;
  std::uint64_t index = 0;
  for (take("{"); at_ < tokens_.size() && !take("}");) {
    const std::size_t before = at_;
    element(out, index);
    take(",");
    if (at_ == before) ++at_;  // not a word of an initializer
  }
  return out;
}

/// Reads ".name = value", "[index] = value" or "value". Of ".name[index]" the name has the index.
void CExpression::element(CValue& list, std::uint64_t& index) {
  CValue::Member member;
  while (at(".") || at("[")) {
    if (take(".")) {
      if (at_ < tokens_.size()) member.name = tokens_[at_++].text;
    } else {
      take("[");
      const auto number = this->number().value_or(0);
      if (member.name.empty())
        index = number;
      else
        member.name += "[" + std::to_string(number) + "]";
      take("]");
    }
  }
  take("=");
  member.index = index++;
  member.value = initializer();
  list.members.push_back(std::move(member));
}

CValue CExpression::binary(int least) {
  if (depth_ >= kDeepest) return {};
  ++depth_;
  CValue left = unary();
  while (at_ < tokens_.size() && tokens_[at_].kind == CToken::Kind::sign) {
    const auto* known = std::ranges::find(kOperators, tokens_[at_].text, &Operator::sign);
    if (known == std::end(kOperators) || known->rank < least) break;
    ++at_;
    const CValue right = binary(known->rank + 1);
    const bool is_known = left.kind == CValue::Kind::number && right.kind == CValue::Kind::number;
    left = is_known ? number_value(computed(known->sign, left.number, right.number)) : CValue{};
  }
  if (least <= 1 && take("?")) {
    CValue yes = binary(1);
    take(":");
    CValue no = binary(1);
    left = left.kind == CValue::Kind::number && left.number != 0 ? std::move(yes) : std::move(no);
  }
  --depth_;
  return left;
}

CValue CExpression::unary() {
  const auto apply = [&](auto&& fn) {
    const CValue value = depth_ < kDeepest ? (++depth_, unary()) : CValue{};
    --depth_;
    return value.kind == CValue::Kind::number ? number_value(fn(value.number)) : CValue{};
  };
  if (depth_ >= kDeepest) return {};
  if (take("~")) return apply([](std::uint64_t n) { return ~n; });
  if (take("-")) return apply([](std::uint64_t n) { return 0 - n; });
  if (take("!")) return apply([](std::uint64_t n) { return std::uint64_t{n == 0}; });
  take("+");
  take("&");  // an address is the symbol
  return primary();
}

/// A type in parentheses: names and stars before a value.
bool CExpression::is_cast() const {
  std::size_t end = at_ + 1;
  while (end < tokens_.size() &&
         (tokens_[end].is("*") ||
          (tokens_[end].kind == CToken::Kind::name && !constant_(tokens_[end].text))))
    ++end;
  return end > at_ + 1 && end + 1 < tokens_.size() && tokens_[end].is(")") &&
         (tokens_[end + 1].kind != CToken::Kind::sign || tokens_[end + 1].is("(") ||
          tokens_[end + 1].is("~"));
}

void CExpression::skip_group() {
  int depth = 0;
  do {
    depth += at("(") || at("{") || at("[");
    depth -= at(")") || at("}") || at("]");
    ++at_;
  } while (depth > 0 && at_ < tokens_.size());
}

/// Returns the number of elements that LIBPFM_ARRAY_SIZE(array) stands for.
CValue CExpression::array_count() {
  std::string name;
  if (at_ + 1 < tokens_.size()) name = tokens_[at_ + 1].text;
  skip_group();
  const auto count = count_(name);
  return count ? number_value(*count) : CValue{};
}

CValue CExpression::primary() {
  if (at("(")) {
    if (is_cast()) {
      skip_group();
      return unary();
    }
    take("(");
    CValue value = binary(1);
    take(")");
    return value;
  }
  if (at_ >= tokens_.size()) return {};
  const CToken& token = tokens_[at_];
  if (token.kind == CToken::Kind::sign) return {};
  ++at_;
  if (token.kind == CToken::Kind::number) {
    const auto number = number_of(token.text);
    return number ? number_value(*number) : CValue{};
  }
  if (token.kind == CToken::Kind::string) {
    CValue out{CValue::Kind::text, 0, token.text, {}};
    // Macros between strings, such as PRIx64, are not part of a table.
    while (at_ < tokens_.size() && tokens_[at_].kind == CToken::Kind::string)
      out.text += tokens_[at_++].text;
    return out;
  }
  if (token.text == "LIBPFM_ARRAY_SIZE") return array_count();
  if (token.text == "NULL") return number_value(0);
  if (const auto number = constant_(token.text)) return number_value(*number);
  while (at("(") || at("[")) skip_group();  // sizeof(…), a call, an element: not computed
  return {CValue::Kind::symbol, 0, token.text, {}};
}

}  // namespace evname::importer
