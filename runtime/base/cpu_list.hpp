#pragma once
// CPU lists as the kernel writes them: "0-3,8".

#include <cstddef>
#include <string_view>
#include <vector>

namespace evname {

/// The first `limit` CPUs of a list, in its order; reading stops at the first piece that is no
/// number or range.
std::vector<unsigned> parse_cpu_list(std::string_view text, std::size_t limit);

}  // namespace evname
