#pragma once
// Files that are generated.

#include <span>
#include <string>
#include <string_view>

namespace evname::compiler {

/// Writes only if the content differs, so that an equal file causes no rebuild. Returns false on
/// failure (errno has the reason).
bool write_if_changed(const std::string& path, std::string_view content);
/// Does the same for content in pieces.
bool write_if_changed(const std::string& path, std::span<const std::string_view> pieces);

}  // namespace evname::compiler
