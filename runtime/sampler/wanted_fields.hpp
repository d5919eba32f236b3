#pragma once
// Parses the names of fields to sample.

#include <string_view>

#include "evname/error.hpp"
#include "evname/recorder.hpp"

namespace evname::sampler {

/// Adds fields to the options: a list of names of sample_fields.def. Errors: invalid_argument for
/// an unknown name.
Result<void> set_fields(std::string_view names, RecordOptions& options);

}  // namespace evname::sampler
