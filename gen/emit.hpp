#pragma once
// Writes tables as C++ source: constexpr plain data, no pointers, one file per architecture.

#include <span>
#include <string>
#include <vector>

#include "events/tables/arrays.hpp"
#include "events/tables/cpu_facts.hpp"

namespace evname::gen {

/// Returns "tables_x86.cpp": the arrays and one function that gives views of them, in pieces.
std::vector<std::string> emit_architecture(const tables::TableArrays& arrays);

/// Returns "tables_index.cpp": the functions of events/tables/registry.hpp over these
/// architectures, and the facts about CPUs.
std::string emit_index(std::span<const std::string> architectures, const tables::FactArrays& facts);

}  // namespace evname::gen
