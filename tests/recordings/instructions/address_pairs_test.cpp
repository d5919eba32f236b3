#include "recordings/instructions/address_pairs.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evname::instructions {
namespace {

struct Line {
  std::string text;
  std::uint64_t found = 0;  ///< 0: none
};

void check(std::uint16_t machine, std::uint64_t address, const std::vector<Line>& lines) {
  AddressPairs pairs(machine);
  for (const Line& line : lines) {
    EXPECT_EQ(pairs.add(line.text, address).value_or(0), line.found)
        << std::hex << address << " " << line.text;
    address += 4;
  }
}

// A function of gcc 12, in the texts of Capstone and LLVM. Its symbols by nm: table 0x20050, other
// 0x20250 and text 0x8f8; the entry of stderr in .got is 0x1ffc8.
TEST(AddressPairs, OfArm64AreAdrpAndWhatAddsToIt) {
  check(EM_AARCH64, 0x87c,
        {{"adrp x19, #0x20000"},
         {"add x19, x19, #0x50", 0x20050},
         {"adrp x0, 0x0"},
         {"add x0, x0, #0x8f8", 0x8f8},
         {"ldr x2, [x19, x3, lsl #3]"},
         {"ldr x4, [x19, #512]", 0x20250},
         {"add x2, x2, x4"},
         {"str x2, [x19, x3, lsl #3]"},
         {"ldr x1, [x19, x1, lsl #3]"},
         {"str x1, [x19, #0x200]", 0x20250},
         {"bl #0x6b0"},
         {"adrp x0, #0x1f000"},
         {"ldr x0, [x0, #0xfc8]", 0x1ffc8},
         {"ldr x0, [x0]"},
         {"ldr x0, [x19, #0x28]", 0x20078},
         {"ret"},
         {"ldr x0, [x19, #0x28]"}});
}

TEST(AddressPairs, ARegisterThatChangesIsForgotten) {
  const std::string changes[] = {
      "mov x1, x0",       "ldr x1, [x2]",      "ldp x0, x1, [sp], #0x10",
      "ldr x0, [x1], #8", "str x0, [x1, #8]!", "bl 0x6b0",
      "blr x5",           "b 0x1000",          "add x1, x1, #1, lsl #12"};
  for (const std::string& change : changes) {
    AddressPairs pairs(EM_AARCH64);
    pairs.add("adrp x1, 0x20000", 0x1000);
    pairs.add(change, 0x1004);
    EXPECT_EQ(pairs.add("add x1, x1, #0x10", 0x1008), std::nullopt) << change;
  }
  for (const std::string other : {"cbz x0, 0x1000", "str x1, [x2]", "mov x0, x1", "nop"}) {
    AddressPairs pairs(EM_AARCH64);
    pairs.add("adrp x1, 0x20000", 0x1000);
    pairs.add(other, 0x1004);
    EXPECT_EQ(pairs.add("add x1, x1, #0x10", 0x1008), 0x20010) << other;
    pairs.forget();
    EXPECT_EQ(pairs.add("ldr x1, [x1]", 0x100c), std::nullopt) << other;
  }
}

// The unprivileged specification of RISC-V: AUIPC adds its 20 bits as bits 12 to 31, with sign, to
// its own address.
TEST(AddressPairs, OfRiscvAreAuipcAndWhatAddsToIt) {
  check(EM_RISCV, 0x1000,
        {{"auipc a0, 0x12"},
         {"addi a0, a0, -16", 0x12ff0},
         {"ld a1, 8(a0)", 0x12ff8},
         {"auipc s0, 1048575"},
         {"sd a1, 0x10(s0)", 0x100c - 0x1000 + 0x10},
         {"auipc ra, 1"},
         {"jalr -100(ra)", 0x2014 - 100},
         {"lw a2, 4(a0)"},
         {"lw a2, 4(s0)", 0x100c - 0x1000 + 4},
         {"ret"},
         {"lw a2, 4(s0)"}});
}

// A function of gcc 12 from its address on, in the texts of Capstone and LLVM. Its symbols by nm:
// .TOC. 0x27f00, kNames 0x1fc50, counter 0x200d4; the table of the switch follows BCTR at 0x2720.
TEST(AddressPairs, OfPowerAreHighHalvesAndTheTableOfContents) {
  check(EM_PPC64, 0x26f0,
        {{"addis r2, r12, 2"},
         {"addi r2, r2, 0x5810", 0x27f00},
         {"clrlwi r9, r3, 0x1d"},
         {"addis r10, r2, 0xfffe"},
         {"addi r10, r10, 0xa820", 0x2720},
         {"lwax r9, r10, r9"},
         {"bctr"},
         {"addi r10, r10, 4"},
         {"ori r2, r2, 0"},
         {"lwz r3, -0x7e2c(r2)", 0x200d4},
         {"stw 9, -32300(2)", 0x200d4},
         {"addis 8, 2, -1"},
         {"addi 8, 8, 32080", 0x1fc50},
         {"bl 0x2000"},
         {"ld r2, 24(r1)"},
         {"ld r9, 8(r8)"},
         {"lwz r3, -0x7e2c(r2)", 0x200d4}});
}

// The program linked to a fixed address: .TOC. is 0x10117b00, and kNames 0x1010b4f0.
TEST(AddressPairs, OfPowerAlsoStartWithLis) {
  check(EM_PPC64, 0x10002760,
        {{"lis r2, 0x1011"},
         {"addi r2, r2, 0x7b00", 0x10117b00},
         {"addis r30, r2, 0xffff"},
         {"bctrl"},
         {"lbz r3, 0x39f0(r30)", 0x1010b4f0},
         {"lwzu r3, 0x39f0(r30)", 0x1010b4f0},
         {"lbz r3, 0x39f0(r30)"}});
}

TEST(AddressPairs, OtherMachinesAndDamagedTextsHaveNone) {
  check(EM_386, 0x1000, {{"adrp x1, 0x20000"}, {"add x1, x1, #0x10"}});
  for (const std::uint16_t machine : {EM_AARCH64, EM_PPC64, EM_RISCV})
    check(machine, 0x1000,
          {{""},
           {" "},
           {"adrp"},
           {"adrp x99, 0x1"},
           {"add x, , #"},
           {"lis"},
           {"addis r32, r12, 1"},
           {"addi r2, r12"},
           {"ldr x0, ["},
           {"ldr x0, ]["},
           {"ld a0, )("},
           {"ld (a0"},
           {"ldr x0, [x1,]"},
           {"ld a0, 8()"}});
}

}  // namespace
}  // namespace evname::instructions
