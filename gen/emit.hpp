#pragma once
// Tables as C++ source: constexpr plain data, no pointers, one file an architecture.

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "compiler/arrays.hpp"

namespace evname::gen {

/// "tables_x86.cpp": the arrays and one function that gives views of them, in pieces.
std::vector<fmt::memory_buffer> emit_architecture(const TableArrays& arrays);

/// "tables_index.cpp": the functions of tables/registry.hpp over these architectures.
fmt::memory_buffer emit_index(std::span<const std::string> architectures);

}  // namespace evname::gen
