#include "screen/tell.hpp"

#include <cstdio>

namespace evname::tools {

void tell(Role role, std::string_view head, std::string_view text) {
  fmt::print(stderr, "{} {}\n", colored_error(role, head), text);
}

}  // namespace evname::tools
