#include "events/expression/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/expression/operators.hpp"

namespace evname::expression {
namespace {

constexpr int kNoOperator = 100;

/// A part of the expression, already simple.
struct Part {
  std::string text;
  int precedence = kNoOperator;         ///< of its operator
  std::optional<double> constant = {};  ///< its value, if known
  bool slots = false;                   ///< an event that counts slots

  bool is(double value) const { return constant == value; }
};

Part constant_part(double value) {
  if (!std::isfinite(value)) return {.text = "NaN"};
  return {.text = constant_text(value), .constant = value};
}

Part symbol_part(const Symbol& symbol) {
  std::string name;
  for (const char c : symbol.name) {
    if (symbol.kind != SymbolKind::literal && (c == ',' || c == '=' || c == '-')) name += '\\';
    name += c;
  }
  for (const NameFunction& function : kNameFunctions)
    if (function.kind == symbol.kind) return {.text = fmt::format("{}({})", function.name, name)};
  const bool slots =
      symbol.kind == SymbolKind::event && to_lower(name).find("slots") != std::string::npos;
  return {.text = std::move(name), .slots = slots};
}

void enclose(std::string& text) {
  text.insert(text.begin(), '(');
  text += ')';
}

Part negated(Part x) {
  if (x.constant) return constant_part(-*x.constant);
  if (x.precedence < kUnaryPrecedence) enclose(x.text);
  return {.text = "-" + x.text, .precedence = kUnaryPrecedence};
}

/// Returns the result if one side is a constant that makes the operator superfluous.
Part* superfluous(Op op, Part& x, Part& y) {
  if (op == Op::add || op == Op::logical_or) return x.is(0) ? &y : y.is(0) ? &x : nullptr;
  if (op != Op::multiply) return nullptr;
  if (x.is(0)) return y.slots ? nullptr : &x;
  if (y.is(0)) return &y;
  return x.is(1) ? &y : y.is(1) ? &x : nullptr;
}

std::optional<Part> computed(Op op, const Part& x, const Part& y) {
  if (!x.constant || !y.constant) return std::nullopt;
  if (op == Op::remainder && no_remainder(*y.constant)) return std::nullopt;
  const double value = apply(op, *x.constant, *y.constant);
  if (!std::isfinite(value)) return std::nullopt;
  return constant_part(value);
}

Part printed(const BinaryOperator& as, Part x, Part y) {
  if (x.precedence < as.precedence) enclose(x.text);
  if (y.precedence <= as.precedence) enclose(y.text);
  x.text += fmt::format(" {} {}", as.mark, y.text);
  return {.text = std::move(x.text), .precedence = as.precedence};
}

Part combined(Op op, Part x, Part y) {
  if (auto constant = computed(op, x, y)) return std::move(*constant);
  if (Part* left = superfluous(op, x, y)) return std::move(*left);
  for (const BinaryOperator& row : kBinaryOperators)
    if (row.op == op) return printed(row, std::move(x), std::move(y));
  for (const BinaryFunction& row : kBinaryFunctions)
    if (row.op == op) return {.text = fmt::format("{}({}, {})", row.name, x.text, y.text)};
  return {};
}

Part chosen(Part yes, const Part& condition, Part no) {
  if (condition.constant) return condition.is(0) ? std::move(no) : std::move(yes);
  if (yes.text == no.text) return yes;
  return {.text = fmt::format("({} if {} else {})", yes.text, condition.text, no.text)};
}

class Stack {
 public:
  void push(Part part) { parts_.push_back(std::move(part)); }
  Part pop() {
    Part part = std::move(parts_.back());
    parts_.pop_back();
    return part;
  }

 private:
  std::vector<Part> parts_;
};

}  // namespace

std::string simplified_text(const Program& program) {
  Stack stack;
  for (const Step step : program.steps) {
    if (step.op == Op::number) {
      stack.push(constant_part(program.numbers[step.operand]));
    } else if (operand_count(step.op) == 0) {
      stack.push(symbol_part(program.symbols[step.operand]));
    } else if (step.op == Op::negate) {
      stack.push(negated(stack.pop()));
    } else {
      Part z = stack.pop();
      Part y = stack.pop();
      stack.push(step.op == Op::select ? chosen(stack.pop(), y, std::move(z))
                                       : combined(step.op, std::move(y), std::move(z)));
    }
  }
  return stack.pop().text;
}

// The digits of the shortest text that reads back as the same number, with an exponent that is a
// multiple of 3 where one is needed (IEEE 854's engineering notation). fmt makes them, since
// std::to_chars() of a double links 0.13 MB of tables.
std::string constant_text(double value) {
  if (!std::isfinite(value)) return "NaN";
  std::string digits = fmt::format("{}", std::abs(value));
  int exponent = -1;
  if (const std::size_t e = digits.find('e'); e != digits.npos) {
    exponent += std::atoi(digits.c_str() + e + 1);
    digits.resize(e);
  }
  exponent += static_cast<int>(std::min(digits.find('.'), digits.size()));
  std::erase(digits, '.');
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  if (digits.empty()) return "0";
  exponent -= static_cast<int>(zeros);
  digits.erase(digits.find_last_not_of('0') + 1);

  const int size = static_cast<int>(digits.size());
  const int before_point = exponent + 1;
  const bool plain = before_point <= size && before_point > -6;
  const int point = plain ? before_point : ((exponent % 3) + 3) % 3 + 1;
  if (point <= 0)
    digits.insert(0, "0." + std::string(static_cast<std::size_t>(-point), '0'));
  else if (point >= size)
    digits.append(static_cast<std::size_t>(point - size), '0');
  else
    digits.insert(static_cast<std::size_t>(point), ".");
  if (before_point != point) digits += "e" + std::to_string(before_point - point);
  return std::signbit(value) ? "-" + digits : digits;
}

}  // namespace evname::expression
