// An ELF file with what it has of symbols and debug information: as a program's, as the kernel's,
// as a module's of it.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "evname/symbols.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/split_units.hpp"
#include "recordings/instructions/decoder.hpp"
#include "recordings/profiles/target_binary.hpp"
#include "recordings/symbols/symbol_file.hpp"

namespace evname::fuzz::elf_target {

namespace {

// Offsets at which the seeds have code, and others.
constexpr std::uint64_t kOffsets[] = {0,     0x1b0, 0x238, 0x250, 0x260, 0x270, 0x280,  0x290,
                                      0x2a0, 0x2b0, 0x2c8, 0x2e0, 0x300, 0x340, 0x400,  0x441,
                                      0x480, 0x500, 0x540, 0x580, 0x600, 0x680, 0x1000, ~0ULL};

/// Asks for the code of the function at an address, as report --instructions does.
void decode(const evname::Symbols& symbols, std::uint64_t address, const evname::Mapping& mapping) {
  const auto place = evname::detail::SymbolsAccess::function_place(symbols, address, mapping);
  if (!place.file) return;
  std::vector<evname::Frame> frames;
  place.file->frames_in(place, "name", 1, frames);
  const evname::elf::CodePiece piece = place.file->code(place, 256);
  const auto decoder = evname::instructions::Decoder::of(piece.kind, /*att=*/address % 2 == 1);
  evname::Bytes rest(piece.bytes);
  for (std::uint64_t at = piece.address; decoder && !rest.empty();) {
    const auto one = decoder->decode(rest, at);
    if (one.size == 0 || one.size > rest.size()) std::abort();
    for (const auto& operand : {one.target, one.data})
      if (operand) place.file->symbol_text(*operand);
    rest = rest.subspan(one.size);
    at += one.size;
  }
}

void ask(const evname::SymbolOptions& options, const evname::Mapping& mapping) {
  const evname::Symbols symbols(options);
  std::vector<evname::Frame> frames;
  for (const std::uint64_t offset : kOffsets) {
    symbols.frames(mapping.start + offset, mapping, frames);
    symbols.calls(mapping.start + offset, mapping, frames);
    decode(symbols, mapping.start + offset, mapping);
  }
  symbols.problems();
}

}  // namespace

FUZZ_TARGET(elf, data, size) {
  static constexpr const char* kFile = "program.ko";
  static evname::fuzz::FileTree tree(std::span(&kFile, 1));
  tree.fill(0, evname::fuzz::text_of(data, size));
  evname::elf::Budget budget;
  const auto image = evname::elf::ElfImage::of_memory(data, size, "image", budget);
  if (image) {
    image->packed_debug_data("packed", budget);
    image->address_of(0);
  }
  if (const auto split = evname::elf::SplitFile::open(tree.path(kFile), {}, budget))
    for (const std::uint64_t id :
         {UINT64_C(0x1122334455667788), UINT64_C(0x2200000355667788), UINT64_C(0)})
      split->parts_of(id);
  if (const auto target = evname::profiles::TargetBinary::read({data, size}, "target"))
    for (const std::uint64_t offset : kOffsets) {
      target->segment_at(offset);
      target->offset_of(offset);
      for (const auto machine :
           {evname::profiles::CodeMachine::x86_64, evname::profiles::CodeMachine::aarch64})
        evname::profiles::runs_through({data, std::min<std::size_t>(size, offset)}, machine);
    }
  std::string long_file(evname::fuzz::text_of(data, size));  // its pages are released
  long_file.resize(std::max(long_file.size(), std::size_t{1} << 20));
  if (const auto mapped =
          evname::elf::ElfImage::of_memory(long_file.data(), long_file.size(), "long", budget))
    mapped->drop_pages();
  for (const std::uint64_t offset : kOffsets) evname::elf::read_core(tree.path(kFile), offset, 256);
  evname::SymbolOptions options;
  options.symfs = tree.path();
  options.cache = tree.path("cache");
  options.kernel_release = "none";
  ask(options, {.file = "/program.ko", .start = 0x10000});
  static constexpr std::uint8_t kKernel[20] = {};
  if (image)
    ask(options, {.file = "/program.ko",
                  .build_id = image->build_id(),
                  .kernel = true,
                  .kernel_build_id = kKernel});
  options.vmlinux = tree.path(kFile);
  ask(options, {.file = "[kernel.kallsyms]_text", .offset = 1, .kernel = true});
  return 0;
}

}  // namespace evname::fuzz::elf_target
