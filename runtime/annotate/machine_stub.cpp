// Stands in for event/ until that is there. Weak, so that it gives way by itself.

#include "event/machine_state.hpp"

namespace evname {

__attribute__((weak)) Machine recorded_machine(std::string_view arch, std::string_view cpuid,
                                               const pmu::RecordedPmus&) {
  auto state = std::make_shared<detail::MachineState>();
  state->cpu.arch = arch;
  state->cpu.cpuid = cpuid;
  return Machine(state);
}
__attribute__((weak)) const CpuInfo& Machine::cpu() const { return state_->cpu; }
__attribute__((weak)) std::vector<PmuInfo> Machine::pmus() const { return {}; }
__attribute__((weak)) CodeNames Machine::names_of(const Code& code) const {
  if (code.config == 0x11 && code.config1 == 0) return {{"cpu_cycles"}, true, "", "", "event=0x11"};
  return {};
}

}  // namespace evname
