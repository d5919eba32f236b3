#pragma once
// Checks that a recording samples a requested field.

#include <cstdint>
#include <string>
#include <string_view>

#include "evname/perf_data.hpp"

namespace evname::selection {

/// Returns not_found if an event does not sample a field; any of `bits` of sample_type gives the
/// field. Like perf script, it looks at the first event of each type only (find_first_output_type
/// of builtin-script.c); all events of dynamic PMUs count as one type.
Result<void> check_sampled_by_all(const PerfData& file, std::uint64_t bits, std::string_view field,
                                  std::string hint);

}  // namespace evname::selection
