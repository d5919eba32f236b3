#pragma once
// Text as a JSON string.

#include <fmt/format.h>

#include <string_view>

#include "evname/json.hpp"

namespace evname {
inline namespace base {

/// Appends `text` in quotes, escaped by RFC 8259. Bytes that are no well-formed UTF-8 (comm is any
/// bytes) become U+FFFD each, so that every line stays valid JSON. Never allocates beyond `out`.
void append_json_string(fmt::memory_buffer& out, std::string_view text);

}  // namespace base
}  // namespace evname
