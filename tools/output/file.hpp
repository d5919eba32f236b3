#pragma once
// Where results go.

#include <span>
#include <string>
#include <string_view>

namespace evname::tools {

/// A file that is there whole or not at all; "-" is standard output. It is open to nobody whom the
/// files are closed to that it was made from. False: it told why not.
bool write_file(const std::string& path, std::string_view text,
                std::span<const std::string> made_from = {});

}  // namespace evname::tools
