#pragma once
// The forms in which `evname emit` writes codes.

#include <string>
#include <string_view>

#include "emit/codes.hpp"

namespace evname::tools {

/// A source file of C99, C++17 or Rust 2021 that needs no library.
std::string c_source(const Emitted& emitted);
std::string cpp_source(const Emitted& emitted);
std::string rust_source(const Emitted& emitted);

/// One object a line for each CPU pattern and code.
std::string json_lines(const Emitted& emitted);

}  // namespace evname::tools
