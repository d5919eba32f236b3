#pragma once
// The fields of a tracepoint's sample.

#include <string_view>

#include "evname/features.hpp"
#include "recordings/annotation/text_output.hpp"

namespace evname::annotation {

/// "prev_comm=swapper prev_pid=0 …": every field that is the tracepoint's own (not common_*).
/// Numbers are decimal, pointers and bytes hexadecimal; `printable`: see make_printable().
void write_trace_text(const perfdata::TraceFormat& format, std::string_view raw, bool big_endian,
                      Output& out, bool printable = false);
/// The same as an object (CSV: "name=value;…").
void write_trace_value(const perfdata::TraceFormat& format, std::string_view raw, bool big_endian,
                       ValueWriter& out);

}  // namespace evname::annotation
