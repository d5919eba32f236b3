#pragma once
// Which fields may be asked for: lists of them as -F of perf script takes them, and whether a
// recording has what is asked of it.

#include <span>

#include "evname/annotate.hpp"

namespace evname::annotation {

/// not_found: a field that no event samples or, in text, that perf script refuses to print.
/// invalid_argument: a field that the format does not have.
Result<void> check_fields(const PerfData& file, Format format, std::span<const Field> fields);

}  // namespace evname::annotation
