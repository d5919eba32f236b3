#pragma once
// FUZZ_TARGET(name, data, size) { … } defines what a fuzz target does with an input. With
// libFuzzer, each target is a program of its own; without, all of them are in one, whose first
// argument is the name.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#ifdef EVNAME_LIBFUZZER
#define FUZZ_TARGET(name, data, size) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
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
#endif
