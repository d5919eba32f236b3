#pragma once
// How far two names are apart, for "did you mean".

#include <cstddef>
#include <string_view>

namespace evname {

/// Insertions, deletions and replacements that turn `a` into `b`. Of longer texts only the first
/// 128 bytes are compared.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace evname
