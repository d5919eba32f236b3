#include "events/expression/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/text.hpp"
#include "events/expression/operators.hpp"

namespace evname::expression {
namespace {

// The rules follow perf, util/expr.y, when it collects ids: NaN stands for any value that is not a
// known finite number.

/// The value of a step and of all that it depends on.
struct Outcome {
  double value = kNaN;
  bool operands[3] = {};  ///< the needed operands, from left to right
  std::size_t first = 0;  ///< step that its first operand starts at
};

bool constant(const Outcome& part) { return std::isfinite(part.value); }

Outcome decided(double value) { return {.value = value}; }
Outcome all_of(unsigned count) { return {.operands = {count > 0, count > 1, count > 2}}; }

/// x | y and x & y; if one side is `deciding`, the other does not matter.
Outcome logical(Op op, const Outcome& x, const Outcome& y, bool deciding) {
  if (constant(x) && constant(y)) return decided(apply(op, x.value, y.value));
  if (!constant(x) && !constant(y)) return all_of(2);
  const Outcome& side = constant(x) ? x : y;
  if ((side.value != 0) == deciding) return decided(deciding);
  return {.operands = {!constant(x), !constant(y)}};
}

Outcome binary(Op op, const Outcome& x, const Outcome& y) {
  if (op == Op::logical_or || op == Op::logical_and) return logical(op, x, y, op == Op::logical_or);
  if (op == Op::min || op == Op::max) return all_of(2);
  if (y.value == 0 && (op == Op::divide || op == Op::d_ratio)) return decided(apply(op, 1, 0));
  if (constant(x) && constant(y)) return decided(apply(op, x.value, y.value));
  return all_of(2);
}

Outcome select(const Outcome& yes, const Outcome& condition, const Outcome& no) {
  if (condition.value == 0) return {.value = no.value, .operands = {false, false, true}};
  if (constant(condition)) return {.value = yes.value, .operands = {true, false, false}};
  return yes.value == no.value ? decided(yes.value) : all_of(3);
}

class Folder {
 public:
  Folder(const Program& program, std::span<const double> known)
      : program_(program), known_(known) {}

  Result<std::vector<bool>> run() {
    for (const Step step : program_.steps) {
      auto part = fold(step);
      if (!part) return fail(part);
      parts_.push_back(*part);
    }
    return mark();
  }

 private:
  Result<Outcome> fold(Step step);
  Result<Outcome> symbol(std::uint16_t which) const;
  /// Returns the ends of the operands of the step at `at`, from left to right.
  std::vector<std::size_t> operands_of(std::size_t at) const;
  std::vector<bool> mark() const;

  const Program& program_;
  std::span<const double> known_;
  std::vector<Outcome> parts_;  ///< one for each step
};

Result<Outcome> Folder::symbol(std::uint16_t which) const {
  const Symbol& symbol = program_.symbols[which];
  if (is_of_count(symbol.kind)) return Outcome{};
  if (symbol.kind == SymbolKind::literal && std::isnan(known_[which]))
    return fail(Errc::unsupported, fmt::format("'{}' has no value on this machine", symbol.name));
  return decided(known_[which]);
}

std::vector<std::size_t> Folder::operands_of(std::size_t at) const {
  std::vector<std::size_t> ends(operand_count(program_.steps[at].op));
  for (std::size_t i = ends.size(), end = at; i-- > 0; end = parts_[end - 1].first)
    ends[i] = end - 1;
  return ends;
}

Result<Outcome> Folder::fold(Step step) {
  const std::size_t at = parts_.size();
  const auto ends = operands_of(at);
  const auto operand = [&](std::size_t i) -> const Outcome& { return parts_[ends[i]]; };
  Outcome part;
  if (step.op == Op::number) {
    part = decided(program_.numbers[step.operand]);
  } else if (ends.empty()) {
    auto value = symbol(step.operand);
    if (!value) return value;
    part = *value;
  } else if (step.op == Op::negate) {
    part = {.value = -operand(0).value, .operands = {true}};
  } else if (step.op == Op::select) {
    part = select(operand(0), operand(1), operand(2));
  } else if (step.op == Op::remainder && constant(operand(1)) && no_remainder(operand(1).value)) {
    return fail(Errc::unsupported, "the expression takes a remainder by zero");
  } else {
    part = binary(step.op, operand(0), operand(1));
  }
  part.first = ends.empty() ? at : operand(0).first;
  return part;
}

std::vector<bool> Folder::mark() const {
  std::vector<bool> steps(parts_.size());
  std::vector<bool> symbols(program_.symbols.size());
  steps.back() = true;
  for (std::size_t at = parts_.size(); at-- > 0;) {
    if (!steps[at]) continue;
    const Step step = program_.steps[at];
    if (step.op == Op::symbol) {
      const SymbolKind kind = program_.symbols[step.operand].kind;
      symbols[step.operand] = is_of_count(kind);
    }
    const auto ends = operands_of(at);
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (parts_[at].operands[i]) steps[ends[i]] = true;
  }
  return symbols;
}

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

std::optional<double> evaluate(Code code, std::span<const double> values) {
  double below[kMaxDepth];  // the stack without its top
  double* end = below;
  double top = 0;
  for (const Step step : code.steps) {
    if (step.op <= Op::literal) {
      *end++ = top;
      top = (step.op == Op::number ? code.numbers : values)[step.operand];
      if (step.op == Op::literal && std::isnan(top)) return std::nullopt;
    } else if (step.op == Op::negate) {
      top = -top;
    } else if (step.op == Op::select) {
      end -= 2;
      if (end[1] != 0) top = end[0];
    } else {
      if (step.op == Op::remainder && no_remainder(top)) return std::nullopt;
      top = apply(step.op, *--end, top);
    }
  }
  return top;
}

Result<std::vector<bool>> needed_symbols(const Program& program, std::span<const double> known) {
  return Folder(program, known).run();
}

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
