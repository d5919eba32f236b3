// The input is the name of a CPU from a recording or a user, then, after a NUL, a pattern of a
// mapfile, which is also used as the name of a PMU.

#include "events/compiler/example_cpuids.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/identity.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::cpuid_target {

FUZZ_TARGET(cpuid, data, size) {
  fuzz::Pieces pieces(data, size);
  const std::string_view name = pieces.until('\0'), pattern = pieces.rest();
  cpu::find_model(name);
  cpu::near_models(name, 3);
  cpu::arch_of_cpuid(name);
  for (const char* arch : {"x86", "arm64", "s390", "powerpc", "riscv", "arm"}) {
    const std::string cpuid = cpu::lookup_cpuid(arch, name);
    cpu::pattern_matches(arch, pattern, cpuid);
    cpu::match_model(arch, cpuid, pattern);
    for (const std::string& example : compiler::example_cpuids(arch, pattern, 64))
      cpu::pattern_matches(arch, pattern, example);
  }
  return 0;
}

}  // namespace evname::fuzz::cpuid_target
