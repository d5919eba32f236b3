#pragma once
// Finds CPUID strings that match patterns of mapfiles.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/arrays.hpp"
#include "events/tables/model_view.hpp"

namespace evname::compiler {

/// Returns CPUID strings that match a pattern: one for each of its choices, up to `limit`. Returns
/// none if the pattern has a construct that mapfiles don't use.
std::vector<std::string> example_cpuids(std::string_view arch, std::string_view pattern,
                                        std::size_t limit);

/// Returns a CPUID string that the mapfile maps to this model; "" if no row does.
std::string example_cpuid(const tables::ModelView& model);

/// Stores facts that would take long to compute at run time: a CPUID of each model, and the rows of
/// the mapfile that match CPUs of other rows.
void add_examples(tables::TableArrays& arrays);

}  // namespace evname::compiler
