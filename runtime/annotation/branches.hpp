#pragma once
// The branch stack of a sample.

#include "annotation/value.hpp"

namespace evname {

/// " 0x1000/0x2000/P/-/-/0/CALL " each, newest first: perf_sample__fprintf_brstack of perf 6.1.
void write_branches_text(const Sample& sample, Output& out);

/// JSON: an array of {"from","to","predicted","in_tx","abort","cycles","type"}; CSV: as in text,
/// without the spaces.
void write_branches_value(const Sample& sample, ValueWriter& out);

}  // namespace evname
