#pragma once
// The spelling of operators and functions, and their values. Source: perf, util/expr.y
// (rules, not code).

#include <cmath>
#include <limits>
#include <string_view>

#include "events/expression/program.hpp"

namespace evname::expression {

struct BinaryOperator {
  std::string_view mark;
  int precedence;  ///< the higher, the tighter it binds
  Op op;
};
inline constexpr BinaryOperator kBinaryOperators[] = {
    {"|", 1, Op::logical_or}, {"^", 2, Op::logical_xor}, {"&", 3, Op::logical_and},
    {"<", 4, Op::less},       {">", 4, Op::greater},     {"+", 5, Op::add},
    {"-", 5, Op::subtract},   {"*", 6, Op::multiply},    {"/", 6, Op::divide},
    {"%", 6, Op::remainder},
};
inline constexpr int kUnaryPrecedence = 7;

struct BinaryFunction {
  std::string_view name;
  Op op;
};
inline constexpr BinaryFunction kBinaryFunctions[] = {
    {"min", Op::min}, {"max", Op::max}, {"d_ratio", Op::d_ratio}};

struct NameFunction {
  std::string_view name;
  SymbolKind kind;
};
inline constexpr NameFunction kNameFunctions[] = {{"source_count", SymbolKind::source_count},
                                                  {"aggr_nr", SymbolKind::aggr_nr},
                                                  {"has_event", SymbolKind::has_event},
                                                  {"strcmp_cpuid_str", SymbolKind::cpuid}};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A side that is neither NaN nor infinite decides | and & alone, whatever the other side is.
inline double logical_or(double x, double y) {
  const bool x_known = std::isfinite(x), y_known = std::isfinite(y);
  if ((x_known && x != 0) || (y_known && y != 0)) return 1;
  if (x_known) return y_known ? 0 : y;
  return y_known ? x : kNaN;
}

inline double logical_and(double x, double y) {
  const bool x_known = std::isfinite(x), y_known = std::isfinite(y);
  if ((x_known && x == 0) || (y_known && y == 0)) return 0;
  if (x_known) return y_known ? 1 : y;
  return y_known ? x : kNaN;
}

inline double logical_xor(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return kNaN;
  return (x == 0) != (y == 0);
}

inline double compared(double x, double y, bool holds) {
  return std::isnan(x) || std::isnan(y) ? kNaN : holds;
}

/// Returns the remainder of the whole parts, with the sign of x. perf converts to long first, which
/// is undefined for NaN, infinity and large numbers; these follow IEEE 754 here.
inline double remainder_of(double x, double y) {
  return std::fmod(std::trunc(x), std::trunc(y)) + 0.0;  // never -0
}

/// Returns true if no remainder exists: perf gives up here, or divides by zero.
inline bool no_remainder(double y) { return std::trunc(y) == 0; }

/// Applies an operator with two operands, except for the remainder by zero.
[[gnu::always_inline]] inline double apply(Op op, double x, double y) {
  switch (op) {
    case Op::logical_or:
      return logical_or(x, y);
    case Op::logical_xor:
      return logical_xor(x, y);
    case Op::logical_and:
      return logical_and(x, y);
    case Op::less:
      return compared(x, y, x < y);
    case Op::greater:
      return compared(x, y, x > y);
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return y == 0 ? kNaN : x / y;
    case Op::remainder:
      return remainder_of(x, y);
    case Op::min:
      return x < y ? x : y;
    case Op::max:
      return x > y ? x : y;
    case Op::d_ratio:
      return y == 0 ? 0 : x / y;
    default:
      return kNaN;
  }
}

}  // namespace evname::expression
