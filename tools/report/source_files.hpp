#pragma once
// Reads sources that debug information names.

#include <cstddef>
#include <string_view>

namespace evname::tools {

/// Sources are read up to this size.
inline constexpr std::size_t kLargestSource = 8 << 20;
/// Lines of sources are shown up to this length.
inline constexpr std::size_t kLongestSourceLine = 400;

/// Returns true for an absolute path with the name of a source. A hostile recording, or its debug
/// information, could name any file.
bool is_source(std::string_view path);

}  // namespace evname::tools
