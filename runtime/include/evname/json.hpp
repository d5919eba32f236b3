#pragma once
// Writing text from recordings as JSON.

#include <string>
#include <string_view>

#include "evname/export.h"

namespace evname {

/// Appends `text` to `out` as a quoted JSON string, escaped as RFC 8259 requires. Names of threads
/// and files may contain any bytes: each byte that is not well-formed UTF-8 becomes U+FFFD, so that
/// the JSON is valid.
EVNAME_API void append_json_string(std::string& out, std::string_view text);

}  // namespace evname
