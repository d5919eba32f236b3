#pragma once
// Checks the fields that annotate() is asked for.

#include <span>

#include "evname/annotate.hpp"

namespace evname::annotation {

/// Checks that the format and the recording have the fields. Errors: not_found for a field that no
/// event samples or, in text, that perf script refuses to print; invalid_argument for one that the
/// format does not have.
Result<void> check_fields(const PerfData& file, Format format, std::span<const Field> fields);

}  // namespace evname::annotation
