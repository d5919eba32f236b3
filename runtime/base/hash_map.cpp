#include "base/hash_map.hpp"

#ifdef __linux__
#include <sys/auxv.h>
#endif

#include <cstring>

namespace evname {
inline namespace base {

std::uint64_t hash_factor() {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  std::uint64_t random = 0;
#ifdef __linux__
  if (const auto* bytes = reinterpret_cast<const void*>(::getauxval(AT_RANDOM)))
    std::memcpy(&random, bytes, sizeof random);
#endif
  return (random ^ kGoldenRatio) | 1;
}

}  // namespace base
}  // namespace evname
