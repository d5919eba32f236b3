#include "recordings/instructions/known_length.hpp"
#include "recordings/profiles/target_binary.hpp"

#include <bit>

namespace evname::profiles {
namespace {

// AArch64: the encodings of B, BL, BLR and RET in the Arm Architecture Reference Manual.
instructions::KnownLength read_aarch64(Bytes code) {
  if (code.size() < 4) return {};
  const auto word = load<std::uint32_t>(code.data(), std::endian::little);
  const bool leaves = (word & 0x7c000000) == 0x14000000 || (word & 0xfffffc1f) == 0xd63f0000 ||
                      (word & 0xfffffc1f) == 0xd65f0000;
  return {4, leaves};
}

}  // namespace

bool runs_through(Bytes code, CodeMachine machine) {
  if (machine == CodeMachine::other) return true;
  while (!code.empty()) {
    const instructions::KnownLength one =
        machine == CodeMachine::x86_64 ? instructions::x86_length(code) : read_aarch64(code);
    if (one.leaves) return false;
    if (one.size == 0) return code.size() >= 15;  // unknown; at the end, a truncated one
    code = code.subspan(one.size);
  }
  return true;
}

}  // namespace evname::profiles
