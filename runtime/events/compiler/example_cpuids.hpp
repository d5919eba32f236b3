#pragma once
// CPUID strings that mapfiles mean, found by expanding their patterns.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/arrays.hpp"
#include "events/tables/model_view.hpp"

namespace evname::compiler {

/// Returns CPUID strings that a pattern stands for: one for each choice that it leaves, up to
/// `limit`. Returns none if the pattern has a construct that mapfiles don't use.
std::vector<std::string> example_cpuids(std::string_view arch, std::string_view pattern,
                                        std::size_t limit);

/// Returns a CPUID string that the mapfile maps to this model; "" if no row does.
std::string example_cpuid(const tables::ModelView& model);

/// Stores what would take long to find out at run time: a CPUID of each model, and which rows of
/// the mapfile take CPUs of others.
void add_examples(tables::TableArrays& arrays);

}  // namespace evname::compiler
