// Event text, resolved on one of several machines (first byte) and named back.

#include "events/machine/code_lists.hpp"
#include "evname/machine.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::syntax_target {

namespace {

const evname::Machine* machine(std::uint8_t which) {
  static const evname::Result<evname::Machine> kMachines[] = {
      evname::Machine::named("skylakex"), evname::Machine::named("alderlake"),
      evname::Machine::named("amdzen4"), evname::Machine::named("arm/neoverse-n1")};
  const auto& chosen = kMachines[which % std::size(kMachines)];
  return chosen ? &*chosen : nullptr;
}

}  // namespace

FUZZ_TARGET(syntax, data, size) {
  if (size == 0) return 0;
  const evname::Machine* on = machine(data[0]);
  if (!on) return 0;
  const auto encodings = on->resolve(evname::fuzz::text_of(data + 1, size - 1));
  if (!encodings) return 0;
  for (const evname::Encoding& encoding : *encodings) {
    on->name_of(encoding);
    on->names_of(encoding.code);
    machine::near_codes(*on, encoding.pmu, encoding.code, 3);
  }
  return 0;
}

}  // namespace evname::fuzz::syntax_target
