// Replaces the decoder in a build without Capstone and LLVM.

#include "recordings/instructions/decoder.hpp"

namespace evname::instructions {

std::string_view decoder_name() { return ""; }
std::unique_ptr<Decoder> Decoder::of(const elf::CodeKind&, bool) { return nullptr; }

}  // namespace evname::instructions
