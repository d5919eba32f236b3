// A glob, then, after a NUL, a text.

#include <cstdlib>

#include "base/glob.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evname;
  fuzz::Pieces pieces(data, size);
  const std::string_view glob = pieces.until('\0'), text = pieces.rest().substr(0, 4096);
  if (Glob(glob).matches(text) != glob_match(glob.substr(0, 256), text) && glob.size() <= 256)
    std::abort();
  return 0;
}
