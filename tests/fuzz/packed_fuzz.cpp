// The names that `evname pack` writes into a recording.

#include "fuzz/target.hpp"
#include "recordings/symbols/packed_names.hpp"
#include "support/packed_names.hpp"

namespace evname::fuzz::packed_target {

FUZZ_TARGET(packed, data, size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto names = symbols::PackedNames::read(text)) symbols::ask(*names);
  return 0;
}

}  // namespace evname::fuzz::packed_target
