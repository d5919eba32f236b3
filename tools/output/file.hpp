#pragma once
// Where results go.

#include <string>
#include <string_view>

namespace evname::tools {

/// A file that is there whole or not at all; "-" is standard output. False: it told why not.
bool write_file(const std::string& path, std::string_view text);

/// False: not all of it could be written.
bool to_stdout(std::string_view text);

}  // namespace evname::tools
