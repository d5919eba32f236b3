#pragma once
// Reads the fields of tracepoints in samples.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::perf_format {

/// Returns true if the field is a text: characters up to a NUL.
bool is_text(const TraceField& field);
/// Returns the bytes of a field; none if the sample does not have them.
Bytes bytes_of(const TraceField& field, std::string_view raw, std::endian order);
/// Returns true if the field is an address.
bool is_pointer(const TraceField& field);
/// Returns the size of each number of an array with these bytes, 1 to 8.
std::size_t item_size(const TraceField& field, Bytes bytes);
/// Returns up to 8 bytes as a number.
std::uint64_t number_of(Bytes bytes, std::endian order);
/// Returns a number of `size` bytes, 1 to 8, with its sign.
std::int64_t extended(std::uint64_t value, std::size_t size);
/// Returns the value of a field: a text, a decimal number, an address, or the numbers of an array,
/// "0x1,0x2"; nullopt if the sample does not have it.
std::optional<std::string> text_of(const TraceField& field, std::string_view raw,
                                   std::endian order);
/// Returns true if all values of a field are decimal numbers.
bool is_decimal(const TraceField& field);

}  // namespace evname::perf_format
