#include "report/source_files.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace evname::tools {

bool is_source(std::string_view path) {
  static constexpr std::string_view kKnown[] = {
      "c",  "cc", "cpp",  "cxx", "h",  "hh", "hpp", "hxx", "inc", "ipp", "tcc", "s",   "S",
      "rs", "go", "java", "kt",  "cs", "js", "ts",  "py",  "rb",  "php", "pl",  "lua", "swift",
      "d",  "f",  "f90",  "jl",  "ml", "hs", "zig", "nim", "cu",  "m",   "mm",  "v",   "pas"};
  if (!path.starts_with('/')) return false;
  const std::string_view name = last_part(path);
  const auto dot = name.rfind('.');
  // The standard library of C++ has headers without an extension.
  if (dot == std::string_view::npos) return path.find("/include/c++/") != std::string_view::npos;
  return std::ranges::find(kKnown, name.substr(dot + 1)) != std::end(kKnown);
}

}  // namespace evname::tools
