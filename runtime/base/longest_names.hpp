#pragma once
// How long the names of files are on Linux. Longer names in a recording are cut.
// Source: include/uapi/linux/limits.h.

#include <cstddef>

namespace evname {
inline namespace base {

inline constexpr std::size_t kLongestPath = 4095;     ///< PATH_MAX without its NUL
inline constexpr std::size_t kLongestFileName = 255;  ///< NAME_MAX

}  // namespace base
}  // namespace evname
