#pragma once
// The data of a page, as JSON.

#include <cstdint>
#include <string>

#include "report/page.hpp"

namespace evname::tools {

/// `stacks`: the most nodes that the stacks of a recording have.
std::string page_data(const PageContents& contents, std::uint32_t stacks);

}  // namespace evname::tools
