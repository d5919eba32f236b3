#pragma once
// Files that are generated.

#include <span>
#include <string>
#include <string_view>

namespace evname::compiler {

/// Writes only if the content differs, so that nothing is rebuilt for an equal file. Returns false
/// if the operating system refuses (errno says why).
bool write_if_changed(const std::string& path, std::string_view content);
/// Does the same for content in pieces.
bool write_if_changed(const std::string& path, std::span<const std::string_view> pieces);

}  // namespace evname::compiler
