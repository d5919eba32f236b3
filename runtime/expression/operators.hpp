#pragma once
// The spelling of operators and functions.

#include <string_view>

#include "expression/program.hpp"

namespace evname::metric {

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
                                                  {"has_event", SymbolKind::has_event},
                                                  {"strcmp_cpuid_str", SymbolKind::cpuid}};

}  // namespace evname::metric
