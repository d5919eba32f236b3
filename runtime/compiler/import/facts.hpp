#pragma once
// What an import keeps of an entry: facts, one entry a line, keys in one order.

#include <string>
#include <string_view>

#include "compiler/json.hpp"

namespace evname::gen {

/// The entry as one line of JSON: names, codes, masks and other facts, in the order of keys(), then
/// the given description if there is one. Sentences and metric parts of the source are left out.
std::string facts_line(const Object& object, std::string_view description);

/// What the encoding is, spelling and order apart: "event=0xd1,umask=0x20", sorted, without zeros
/// and without the period. Two entries with the same key count the same thing on the same PMU.
std::string encoding_key(const Object& object);
std::string encoding_key(std::string_view terms);

}  // namespace evname::gen
