#pragma once
// FUZZ_TARGET(name, data, size) { … } defines what a fuzz target does with an input. All are in one
// program; targets.cpp chooses one.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#define FUZZ_TARGET(name, data, size)                                 \
  static int fuzz_##name(const std::uint8_t*, std::size_t);           \
  static const bool name##_is_there =                                 \
      evname::fuzz::targets().try_emplace(#name, fuzz_##name).second; \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size)

namespace evname::fuzz {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

inline std::map<std::string_view, Target>& targets() {
  static std::map<std::string_view, Target> all;
  return all;
}

}  // namespace evname::fuzz
