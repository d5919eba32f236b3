// Bytes that no decoder knows, as data. The manuals have the lengths: A32 and T32 of the
// Arm ARM (a halfword that begins with 0b11101, 0b11110 or 0b11111 is the first of two), the RISC-V
// ISA manual (the low two bits are 11 unless it is compressed), and z/Architecture Principles of
// Operation (the high two bits: 00 is 2 bytes, 11 is 6).

#include <elf.h>
#include <gtest/gtest.h>

#include "recordings/instructions/decoder.hpp"

namespace evname::instructions {
namespace {

TEST(BytesAsData, HaveTheLengthThatTheirFirstBitsTell) {
  const struct {
    std::uint16_t machine;
    bool big_endian, thumb;
    std::vector<std::uint8_t> code;
    std::size_t size;
    const char* text;
  } rows[] = {
      {EM_AARCH64, false, false, {1, 2, 3, 4, 5}, 4, ".inst 0x04030201"},
      {EM_AARCH64, false, false, {1, 2, 3}, 3, ".byte 0x01, 0x02, 0x03"},
      {EM_PPC64, true, false, {1, 2, 3, 4}, 4, ".inst 0x01020304"},
      {EM_PPC, true, false, {1, 2, 3, 4}, 4, ".inst 0x01020304"},
      {EM_ARM, false, false, {1, 2, 3, 0xe8}, 4, ".inst 0xe8030201"},
      {EM_ARM, false, true, {1, 0xe7, 3, 4}, 2, ".inst 0xe701"},
      {EM_ARM, false, true, {1, 0xe8, 3, 4}, 4, ".inst 0xe8010403"},
      {EM_ARM, true, true, {0xe8, 1, 3, 4}, 4, ".inst 0xe8010304"},
      {EM_ARM, true, true, {0xe7, 0xe8, 3, 4}, 2, ".inst 0xe7e8"},
      {EM_ARM, false, true, {1}, 1, ".byte 0x01"},
      {EM_RISCV, false, false, {1, 2, 3, 4}, 2, ".inst 0x0201"},
      {EM_RISCV, false, false, {3, 2, 3, 4}, 4, ".inst 0x04030203"},
      {EM_S390, true, false, {0x3f, 1, 2, 3, 4, 5}, 2, ".inst 0x3f01"},
      {EM_S390, true, false, {0x40, 1, 2, 3, 4, 5}, 4, ".inst 0x40010203"},
      {EM_S390, true, false, {0xbf, 1, 2, 3, 4, 5}, 4, ".inst 0xbf010203"},
      {EM_S390, true, false, {0xc0, 1, 2, 3, 4, 5}, 6, ".inst 0xc00102030405"},
      {EM_S390, true, false, {0xc0, 1, 2, 3}, 4, ".byte 0xc0, 0x01, 0x02, 0x03"},
      {EM_386, false, false, {6, 1}, 1, ".byte 0x06"},
  };
  for (const auto& row : rows) {
    elf::CodeKind kind{};
    kind.machine = row.machine;
    kind.big_endian = row.big_endian;
    kind.thumb = row.thumb;
    const Decoded out = data_at(kind, Bytes(row.code.data(), row.code.size()));
    EXPECT_EQ(out.size, row.size) << row.machine << ' ' << row.text;
    EXPECT_EQ(out.text, row.text) << row.machine;
  }
}

// EM_* and the classes of elf.h; `uname -m` and QEMU use these names.
TEST(BytesAsData, MachinesHaveNames) {
  const struct {
    std::uint16_t machine;
    bool wide;
    const char* name;
  } rows[] = {{62, true, "x86-64"},    {62, false, "x32"},         {3, false, "x86"},
              {183, true, "arm64"},    {40, false, "arm"},         {21, true, "ppc64"},
              {20, false, "ppc"},      {22, true, "s390x"},        {243, true, "riscv64"},
              {243, false, "riscv32"}, {258, true, "loongarch64"}, {43, true, "sparc64"},
              {8, true, "mips64"},     {8, false, "mips"},         {77, true, "machine 77"}};
  for (const auto& row : rows) {
    elf::CodeKind kind{};
    kind.machine = row.machine;
    kind.wide = row.wide;
    EXPECT_EQ(machine_name(kind), row.name);
  }
}

}  // namespace
}  // namespace evname::instructions
