#pragma once
// Reads the formats of tracepoints, and their fields in samples. Source of TRACING_DATA:
// tracing_data_get and trace_report of tools/perf/util/trace-event-{info,read}.c; of its formats:
// Documentation/trace/events.rst of Linux.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/records.hpp"
#include "perf_format/feature_types.hpp"

namespace evname::perf_format {

/// Reads TRACING_DATA, which has a byte order of its own. Returns false if it is broken; `tracing`
/// then has the part before the fault.
bool read_tracing_data(Bytes blob, TracingData& tracing);

/// Reads the text of a format file. Returns nullopt if it has no name or no ID.
std::optional<TraceFormat> parse_trace_format(std::string_view system, std::string_view text);

/// Reads the line of a field: "field:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;". Returns
/// nullopt for another line.
std::optional<TraceField> parse_trace_field(std::string_view line);

/// Returns a field of a format (nullptr: of none); nullptr if it has none of that name.
const TraceField* field_named(const TraceFormat* format, std::string_view name);
/// Returns true if the field is a text: characters up to a NUL.
bool is_text(const TraceField& field);
/// Returns the bytes of a field; none if the sample lacks them.
Bytes bytes_of(const TraceField& field, std::string_view raw, std::endian order);
/// Returns true if the field is an address.
bool is_pointer(const TraceField& field);
/// Returns the size of each number of an array with these bytes, 1 to 8.
std::size_t item_size(const TraceField& field, Bytes bytes);
/// Returns up to 8 bytes as a number.
std::uint64_t number_of(Bytes bytes, std::endian order);
/// Returns a number of `size` bytes, 1 to 8, with its sign.
std::int64_t extended(std::uint64_t value, std::size_t size);
/// Returns the value of a field; nullopt if the sample does not have it. A text refers to `raw`.
std::optional<TraceValue> value_of(const TraceField& field, std::string_view raw,
                                   std::endian order);
/// Returns a text for the value of a field: a text, a decimal number, an address, or the numbers of
/// an array, "0x1,0x2"; nullopt if the sample does not have it.
std::optional<std::string> text_of(const TraceField& field, std::string_view raw,
                                   std::endian order);
/// Returns true if all values of a field are decimal numbers.
bool is_decimal(const TraceField& field);

}  // namespace evname::perf_format
