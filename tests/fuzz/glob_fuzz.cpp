// A glob, then, after a NUL, a text.

#include <cstdlib>

#include "base/glob.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::glob_target {

FUZZ_TARGET(glob, data, size) {
  fuzz::Pieces pieces(data, size);
  const std::string_view glob = pieces.until('\0'), text = pieces.rest().substr(0, 4096);
  if (Glob(glob).matches(text) != glob_match(glob.substr(0, 256), text) && glob.size() <= 256)
    std::abort();
  return 0;
}

}  // namespace evname::fuzz::glob_target
