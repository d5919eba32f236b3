#pragma once
// Files that are generated.

#include <string>
#include <string_view>

namespace evname::compiler {

/// Writes only if the content differs, so that an equal file causes no rebuild. Returns false on
/// failure (errno has the reason).
bool write_if_changed(const std::string& path, std::string_view content);

}  // namespace evname::compiler
