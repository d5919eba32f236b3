#pragma once
// Text from recordings, whose names may be any bytes, as JSON or UTF-8.

#include <string>
#include <string_view>

#include "evname/export.h"

namespace evname {

/// Appends `text` to `out` as a quoted JSON string, escaped as RFC 8259 requires. Names of threads
/// and files may contain any bytes: each byte that is not well-formed UTF-8 becomes U+FFFD, so that
/// the JSON is valid.
EVNAME_API void append_json_string(std::string& out, std::string_view text);

/// Appends `text` to `out`, each byte that is not well-formed UTF-8 replaced by U+FFFD.
EVNAME_API void append_utf8(std::string& out, std::string_view text);

}  // namespace evname
