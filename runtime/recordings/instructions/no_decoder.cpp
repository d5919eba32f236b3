// Replaces the decoder in a build without Capstone.

#include "recordings/instructions/decoder.hpp"

namespace evname::instructions {

bool has_decoder() { return false; }
std::unique_ptr<Decoder> Decoder::of(const elf::CodeKind&, bool) { return nullptr; }

}  // namespace evname::instructions
