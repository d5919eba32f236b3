#pragma once
// Names as compilers write them into symbols to names as in the source.

#include <string>

namespace evname::symbols {

/// The name of a C++ or Rust function, without parameters' names and Rust's hash; empty: it is of
/// neither.
std::string demangle(const char* name);

}  // namespace evname::symbols
