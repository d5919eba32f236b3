#include "recordings/instructions/decoder.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evname::instructions {
namespace {

using Lines = std::vector<std::string>;

constexpr elf::CodeKind kX86{EM_X86_64, true, false, false};
constexpr elf::CodeKind kNarrow{EM_386, false, false, false};
constexpr elf::CodeKind kArm64{EM_AARCH64, true, false, false};
constexpr elf::CodeKind kArm{EM_ARM, false, false, false};
constexpr elf::CodeKind kThumb{EM_ARM, false, false, true};
constexpr elf::CodeKind kPower{EM_PPC64, true, true, false};
constexpr elf::CodeKind kPowerLittle{EM_PPC64, true, false, false};
constexpr elf::CodeKind kS390{EM_S390, true, true, false};

std::vector<std::uint8_t> bytes_of(std::string_view hex) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < hex.size(); i += hex[i] == ' ' ? 1 : 2)
    if (hex[i] != ' ')
      out.push_back(
          static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}

/// Decodes code at 0x1000: "SIZE TEXT", then "jump", "call" and the addresses that are known.
Lines decoded(const elf::CodeKind& kind, std::string_view hex, bool att = false) {
  Lines lines;
  const auto decoder = Decoder::of(kind, att);
  if (!decoder) return {"no decoder"};
  const std::vector<std::uint8_t> code = bytes_of(hex);
  for (std::size_t at = 0; at < code.size();) {
    const Decoded one = decoder->decode(Bytes(code).subspan(at), 0x1000 + at);
    std::string line = fmt::format("{} {}", one.size, one.text);
    if (one.is_jump) line += "; jump";
    if (one.is_call) line += "; call";
    if (one.target) line += fmt::format(" {:x}", *one.target);
    if (one.data) line += fmt::format("; data {:x}", *one.data);
    lines.push_back(line);
    if (one.size == 0) break;
    at += one.size;
  }
  return lines;
}

class Decoding : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_decoder()) GTEST_SKIP() << "built without Capstone";
  }
};

// `llvm-mc-14 --disassemble` prints the same instructions for these bytes. It prints distances in
// place of targets, decimal numbers, and other names of PowerPC's registers and conditions.
TEST_F(Decoding, X86InBothSyntaxes) {
  constexpr std::string_view kCode =
      "55 8b45fc 7510 e8fb000000 488b05e22e0000 c4e2f5b804c7 c3 f0480fb117 ffe0 ff1501000000";
  EXPECT_EQ(decoded(kX86, kCode),
            (Lines{"1 push rbp", "3 mov eax, dword ptr [rbp - 4]", "2 jne 0x1016; jump 1016",
                   "5 call 0x1106; call 1106", "7 mov rax, qword ptr [rip + 0x2ee2]; data 3ef4",
                   "6 vfmadd231pd ymm0, ymm1, ymmword ptr [rdi + rax*8]", "1 ret",
                   "5 lock cmpxchg qword ptr [rdi], rdx", "2 jmp rax; jump",
                   "6 call qword ptr [rip + 1]; call; data 1027"}));
  EXPECT_EQ(decoded(kX86, kCode, true),
            (Lines{"1 pushq %rbp", "3 movl -4(%rbp), %eax", "2 jne 0x1016; jump 1016",
                   "5 callq 0x1106; call 1106", "7 movq 0x2ee2(%rip), %rax; data 3ef4",
                   "6 vfmadd231pd (%rdi, %rax, 8), %ymm1, %ymm0", "1 retq",
                   "5 lock cmpxchgq %rdx, (%rdi)", "2 jmpq *%rax; jump",
                   "6 callq *1(%rip); call; data 1027"}));
}

TEST_F(Decoding, X86With32Bits) {
  EXPECT_EQ(decoded(kNarrow, "55 8b45fc e800f1ffff 40"),
            (Lines{"1 push ebp", "3 mov eax, dword ptr [ebp - 4]", "5 call 0x109; call 109",
                   "1 inc eax"}));
}

TEST_F(Decoding, Arm64) {
  EXPECT_EQ(
      decoded(kArm64, "fd7bbfa9 81000054 00010094 00010010 41001837 40000058 c0035fd6 20003fd6"),
      (Lines{"4 stp x29, x30, [sp, #-0x10]!", "4 b.ne #0x1014; jump 1014",
             "4 bl #0x1408; call 1408", "4 adr x0, #0x102c; data 102c",
             "4 tbnz w1, #3, #0x1018; jump 1018", "4 ldr x0, #0x101c; data 101c", "4 ret",
             "4 blr x1; call"}));
}

TEST_F(Decoding, ArmAndThumb) {
  EXPECT_EQ(decoded(kArm, "10402de9 0000001a 0e0000eb 040091e5 1eff2fe1"),
            (Lines{"4 push {r4, lr}", "4 bne #0x100c; jump 100c", "4 bl #0x1048; call 1048",
                   "4 ldr r0, [r1, #4]", "4 bx lr; jump"}));
  EXPECT_EQ(decoded(kThumb, "10b5 02d1 00f01ef8 4868 7047 08b1 41f23420"),
            (Lines{"2 push {r4, lr}", "2 bne #0x100a; jump 100a", "4 bl #0x1044; call 1044",
                   "2 ldr r0, [r1, #4]", "2 bx lr; jump", "2 cbz r0, #0x1012; jump 1012",
                   "4 movw r0, #0x1234"}));
}

TEST_F(Decoding, PowerInBothOrders) {
  EXPECT_EQ(decoded(kPower, "7c0802a6 f8010010 48000041 40820008 4e800020"),
            (Lines{"4 mflr r0", "4 std r0, 0x10(r1)", "4 bl 0x1048; call 1048",
                   "4 bne 0x1014; jump 1014", "4 blr"}));
  EXPECT_EQ(decoded(kPowerLittle, "a602087c 41000048 2000804e"),
            (Lines{"4 mflr r0", "4 bl 0x1044; call 1044", "4 blr"}));
}

TEST_F(Decoding, S390) {
  EXPECT_EQ(decoded(kS390, "eb6ff0300024 c0e500000080 a7740004 c01000000010 07fe b9040023"),
            (Lines{"6 stmg %r6, %r15, 0x30(%r15)", "6 brasl %r14, 0x1106; call 1106",
                   "4 jne 0x1014; jump 1014", "6 larl %r1, 0x1030; data 1030", "2 br %r14; jump",
                   "4 lgr %r2, %r3"}));
}

TEST_F(Decoding, WhatIsNoInstructionIsDataAndEndsNothing) {
  EXPECT_EQ(decoded(kX86, "06 62 90"), (Lines{"1 .byte 0x06", "1 .byte 0x62", "1 nop"}));
  // kmovd eax, k0, which Capstone 4.0.2 does not know: VEX of two bytes, an opcode and ModRM.
  const Lines newer = decoded(kX86, "c5fb93c0 c3");
  EXPECT_EQ(newer.size(), 2U);
  EXPECT_EQ(newer.back(), "1 ret");
  EXPECT_EQ(decoded(kX86, "90 488b05e2"),  // cut off
            (Lines{"1 nop", "1 .byte 0x48", "1 .byte 0x8b", "1 .byte 0x05", "1 .byte 0xe2"}));
  EXPECT_EQ(decoded(kArm64, "00000000 c0035fd6 c003"),
            (Lines{"4 .inst 0x00000000", "4 ret", "2 .byte 0xc0, 0x03"}));
  EXPECT_EQ(decoded(kPower, "00000001 4e800020"), (Lines{"4 .inst 0x00000001", "4 blr"}));
  EXPECT_EQ(decoded(kThumb, "00e80000 7047"), (Lines{"4 .inst 0xe8000000", "2 bx lr; jump"}));
}

TEST(Machines, WithoutADecoderHaveNone) {
  EXPECT_EQ(Decoder::of({EM_SPARCV9, true, true, false}, false), nullptr);
  EXPECT_EQ(Decoder::of({}, false), nullptr);
  EXPECT_EQ(machine_name({EM_SPARCV9, true, true, false}), "sparc64");
  EXPECT_EQ(machine_name({12345, true, true, false}), "machine 12345");
}

}  // namespace
}  // namespace evname::instructions
