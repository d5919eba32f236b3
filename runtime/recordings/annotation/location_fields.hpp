#pragma once
// The fields of locations: the function, the file, and the line of its source.

#include "evname/perf_data.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname::annotation {

struct FieldContext;

/// The fields that text has.
struct LocationFields {
  bool ip = false, function = false, offset = false, file = false, line = false;

  bool any() const { return function || offset || file || line; }
};

/// Writes ip, sym, symoff, dso and srcline as perf script 7.3 does: a line for each caller and
/// inlined call, or the end of the sample's line (sample__fprintf_sym of
/// tools/perf/util/evsel_fprintf.c).
void write_location_text(const Sample& sample, FieldContext& context, Output& out);

/// Writes branches as write_branches_text() does, with the files of their addresses:
/// " 0x1000 (/bin/app)/0x2000 (/bin/app)/P/-/-/0/CALL/- ".
void write_branches_in_files(const Sample& sample, FieldContext& context, Output& out);

/// Writes the stack with inlined calls, innermost call first. JSON: an array of
/// {"ip","sym","symoff","dso","srcline","inlined"}; CSV: the labels of the calls.
void write_frames_value(const Sample& sample, FieldContext& context, ValueWriter& out);

}  // namespace evname::annotation
