// The seeds of targets that read ELF files.

#include <bit>
#include <string>
#include <string_view>

#include "fuzz/seed_writer.hpp"
#include "recordings/elf/elf_file.hpp"
#include "recordings/go/go_program.hpp"
#include "support/bytes_out.hpp"

namespace evname::fuzz {
namespace {

using test::BytesOut;

struct UnwindSeed {
  std::string_view name;  ///< what its ELF files' names begin with
  std::uint8_t arch;      ///< as unwind_fuzz.cpp numbers them
  std::uint64_t mask;
  unsigned stack_pointer, instruction_pointer;  ///< places among the registers
};

constexpr UnwindSeed kUnwindSeeds[] = {
    {"x86", 0, 0xff0fff, 7, 8},          {"cxx", 0, 0xff0fff, 7, 8},
    {"aarch64", 1, 0x1ffffffff, 31, 32}, {"powerpc64le", 3, 0x1ffffffff, 1, 32},
    {"riscv64", 4, 0xffffffff, 2, 0},    {"s390x", 5, 0x3ffffffff, 15, 33},
};

}  // namespace

void write_unwind_seeds(SeedWriter& write, std::string_view name, const std::string& elf) {
  for (const UnwindSeed& seed : kUnwindSeeds) {
    if (!name.starts_with(seed.name)) continue;
    for (std::uint64_t at = 0x10300; at < 0x10700; at += 0x41) {
      BytesOut out(std::endian::native), stack(std::endian::native);
      for (unsigned i = 0; i < 16; ++i) stack.u64(0x10304 + i * 0x44);
      out.u8(seed.arch).u64(seed.mask).u16(static_cast<std::uint16_t>(stack.size()));
      const auto count = static_cast<unsigned>(std::popcount(seed.mask));
      for (unsigned i = 0; i < count; ++i)
        out.u64(i == seed.stack_pointer ? 0x7000 : i == seed.instruction_pointer ? at : 0x7010);
      write("unwind", out.str() + stack.str() + elf);
    }
  }
}

static void write_go_seeds(SeedWriter& write) {
  using Layout = go::GoTable::Layout;
  for (const Layout layout : {Layout::go1_2, Layout::go1_16, Layout::go1_18, Layout::go1_20})
    for (const std::endian order : {std::endian::little, std::endian::big})
      for (const unsigned pointer : {4U, 8U}) {
        test::GoProgram program{.layout = layout, .order = order, .pointer = pointer};
        write("go_table", program.table());
        using enum test::GoProgram::Place;
        for (const auto place : {fixed, relocated, among_data}) {
          program.place = place;
          write("go_table", program.program());
        }
      }
}

/// Packages of split units whose index has one unit among two slots.
static void write_package_seeds(SeedWriter& write) {
  for (const std::uint32_t version : {2U, 5U}) {
    BytesOut index;
    index.u32(version).u32(2).u32(1).u32(2);             // version, columns, rows, slots
    index.u64(0x1122334455667788).u64(0).u32(1).u32(0);  // hashes, and their rows
    index.u32(1).u32(3).u32(0).u32(0).u32(32).u32(8);    // kinds, offsets, sizes
    write("elf", test::elf_file({.sections = {{".debug_info.dwo", std::string(32, '\1')},
                                              {".debug_abbrev.dwo", std::string(8, '\1')},
                                              {".debug_cu_index", index.str()}}}));
  }
}

void write_elf_seeds(SeedWriter& write) {
  write_package_seeds(write);
  write_go_seeds(write);
  using test::elf_file, test::ElfParts;
  write("elf", elf_file());
  write("elf", elf_file({.is_module = true}));
  write("elf", "no ELF file");
  write(
      "elf",
      elf_file({.second_address = 0,
                .second_section = 5,
                .sections = {{".opd", BytesOut().u64(ElfParts::kAddress + 0x40).pad(16).str()}}}));
  for (const int machine : {EM_ARM, EM_386, EM_SPARC, EM_SPARCV9, EM_PPC64, EM_X86_64, EM_RISCV}) {
    const std::string relocations =
        BytesOut().u64(0x400).u64(std::uint64_t{1} << 32 | 7).u64(0x410).u64(9).str();
    std::string file = elf_file({.sections = {{".plt", std::string(64, '\0'), SHT_PROGBITS, 16},
                                              {".rel.plt", relocations, SHT_REL, 16}}});
    file[18] = static_cast<char>(machine);
    write("elf", file);
  }
}

}  // namespace evname::fuzz
