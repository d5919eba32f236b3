#pragma once
// The data of a tracepoint's fields in a sample.

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::annotation {

/// Returns true if the field is a text: characters up to a NUL.
bool is_text(const perfdata::TraceField& field);
/// Returns the bytes of a field; none if the sample does not have them.
Bytes bytes_of(const perfdata::TraceField& field, std::string_view raw, std::endian order);
/// Returns the number that up to 8 bytes are.
std::uint64_t number_of(Bytes bytes, std::endian order);
/// Returns a number of `size` bytes, 1 to 8, with its sign.
std::int64_t extended(std::uint64_t value, std::size_t size);

}  // namespace evname::annotation
