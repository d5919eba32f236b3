#pragma once
// Text of a recording for JSON.

#include <string>
#include <string_view>

#include "evname/export.h"

namespace evname {

/// Appends `text` to `out` in quotes, escaped by RFC 8259. Names of threads and files are any
/// bytes: those that are not well-formed UTF-8 become U+FFFD each, so that the JSON stays valid.
EVNAME_API void append_json_string(std::string& out, std::string_view text);

}  // namespace evname
