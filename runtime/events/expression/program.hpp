#pragma once
// A metric expression ready to be computed: steps for a stack of numbers, in postfix order.
//
// Steps and numbers are plain data, so that tables can hold them; texts are needed only to find
// the values of symbols.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evname::expression {

/// The effect of a step on the top of the stack.
enum class Op : std::uint8_t {
  number,       ///< pushes numbers[operand]
  symbol,       ///< pushes values[operand]
  literal,      ///< pushes values[operand]; the expression has no value where that is NaN
  negate,       ///< -x
  logical_or,   ///< x | y: 0 or 1
  logical_xor,  ///< x ^ y: 0 or 1
  logical_and,  ///< x & y: 0 or 1
  less,         ///< x < y: 0 or 1
  greater,      ///< x > y: 0 or 1
  add,
  subtract,
  multiply,
  divide,     ///< x / y; NaN where y is 0
  remainder,  ///< x % y of whole numbers; the expression has no value where y is 0
  min,
  max,
  d_ratio,  ///< x / y; 0 where y is 0
  select,   ///< x if y else z
};

struct Step {
  Op op : 5;
  std::uint16_t operand : 11;  ///< of number, symbol and literal; else 0
};
static_assert(sizeof(Step) == 2);

constexpr std::size_t kMaxOperand = (1 << 11) - 1;

/// The source of a symbol's value.
enum class SymbolKind : std::uint8_t {
  event,         ///< the count of an event, or the value of another metric
  source_count,  ///< number of hardware sources summed into the event's count
  aggr_nr,       ///< number of counters summed into the event's count
  has_event,     ///< 1: the machine has the event, 0: it has not
  cpuid,         ///< 1: the machine's CPUID string matches the name, 0: it does not
  literal,       ///< a fact of the machine: "#smt_on"
};

/// Returns true if the value comes with the count of an event.
constexpr bool is_of_count(SymbolKind kind) { return kind <= SymbolKind::aggr_nr; }

struct Symbol {
  SymbolKind kind;
  /// Without the escapes of the expression; '?' stands for the runtime parameter (event_text()).
  /// Literals are as written; find_literal() normalizes them.
  std::string name;
  bool operator==(const Symbol&) const = default;
};

/// Returns the number of operands that a step takes off the stack.
constexpr unsigned operand_count(Op op) {
  if (op <= Op::literal) return 0;
  if (op == Op::negate) return 1;
  return op == Op::select ? 3 : 2;
}

/// The maximum numbers on the stack, and the deepest nesting of brackets.
constexpr unsigned kMaxDepth = 256;

/// A program ready to be computed: never deeper than kMaxDepth, leaves one number.
struct Code {
  std::span<const Step> steps;
  std::span<const double> numbers;
};

struct Program {
  std::vector<Step> steps;
  std::vector<double> numbers;
  std::vector<Symbol> symbols;  ///< each once, in order of appearance
  Code code() const { return {steps, numbers}; }
};

}  // namespace evname::expression
