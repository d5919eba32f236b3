#include "recordings/instructions/decoder.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "recordings/instructions/branches.hpp"

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
constexpr elf::CodeKind kRiscv{EM_RISCV, true, false, false};
constexpr elf::CodeKind kLoong{EM_LOONGARCH, true, false, false};

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
    if (decoder_name().empty()) GTEST_SKIP() << "built without Capstone and LLVM";
  }
};

constexpr std::string_view kSame = "=", kUnknown = "";

/// An instruction at 0x1000 as LLVM prints it, with its kind and addresses, and as Capstone 4 does.
struct Row {
  const elf::CodeKind& kind;
  std::string_view hex, text, capstone = kSame;
};

// objdump 2.40 of binutils-multiarch prints the same instructions and addresses for these bytes, in
// other words ("WORD PTR", "bne"). It knows neither vectors of RISC-V nor LoongArch, whose bytes
// llvm-mc-19 made of these texts.
constexpr Row kRows[] = {
    {kX86, "55", "push rbp"},
    {kX86, "8b45fc", "mov eax, dword ptr [rbp - 0x4]", "mov eax, dword ptr [rbp - 4]"},
    {kX86, "7510", "jne 0x1012; jump 1012"},
    {kX86, "e8fb000000", "call 0x1100; call 1100"},
    {kX86, "488b05e22e0000", "mov rax, qword ptr [rip + 0x2ee2]; data 3ee9"},
    {kX86, "c4e2f5b804c7", "vfmadd231pd ymm0, ymm1, ymmword ptr [rdi + 8*rax]",
     "vfmadd231pd ymm0, ymm1, ymmword ptr [rdi + rax*8]"},
    {kX86, "c3", "ret"},
    {kX86, "f0480fb117", "lock cmpxchg qword ptr [rdi], rdx"},
    {kX86, "f3a4", "rep movsb byte ptr es:[rdi], byte ptr [rsi]",
     "rep movsb byte ptr [rdi], byte ptr [rsi]"},
    {kX86, "ffe0", "jmp rax; jump"},
    {kX86, "3effe0", "jmp rax; jump"},  // notrack
    {kX86, "ff1501000000", "call qword ptr [rip + 0x1]; call; data 1007",
     "call qword ptr [rip + 1]; call; data 1007"},
    {kX86, "e2fe", "loop 0x1000; jump 1000"},
    {kX86, "e300", "jrcxz 0x1002; jump 1002"},
    {kX86, "c7f800000000", "xbegin 0x1006; jump 1006"},
    {kX86, "f2e800000000", "repne call 0x1006; call 1006", "bnd call 0x1006; call 1006"},
    {kX86, "c5fb93c0", "kmovd eax, k0", kUnknown},
    {kX86, "62f3652825e2fe", "vpternlogd ymm4, ymm3, ymm2, 0xfe", kUnknown},
    {kX86, "62f56c4858cb", "vaddph zmm1, zmm2, zmm3", kUnknown},  // AVX512-FP16
    {kX86, "62f57e08100510000000", "vmovsh xmm0, word ptr [rip + 0x10]; data 101a", kUnknown},
    {kX86, "c4e2625cca", "tdpbf16ps tmm1, tmm2, tmm3", kUnknown},  // AMX
    {kX86, "c4e27b4b0406", "tileloadd tmm0, [rsi + rax]", kUnknown},
    {kNarrow, "e800f1ffff", "call 0x105; call 105"},
    {kNarrow, "40", "inc eax"},
    {kNarrow, "ff148508000000", "call dword ptr [4*eax + 0x8]; call",
     "call dword ptr [eax*4 + 8]; call"},
    {kArm64, "fd7bbfa9", "stp x29, x30, [sp, #-0x10]!"},
    {kArm64, "81000054", "b.ne 0x1010; jump 1010", "b.ne #0x1010; jump 1010"},
    {kArm64, "00010094", "bl 0x1400; call 1400", "bl #0x1400; call 1400"},
    {kArm64, "00010010", "adr x0, 0x1020; data 1020", "adr x0, #0x1020; data 1020"},
    {kArm64, "000000b0", "adrp x0, 0x2000", "adrp x0, #0x2000"},
    {kArm64, "41001837", "tbnz w1, #0x3, 0x1008; jump 1008", "tbnz w1, #3, #0x1008; jump 1008"},
    {kArm64, "40000058", "ldr x0, 0x1008; data 1008", "ldr x0, #0x1008; data 1008"},
    {kArm64, "c1ffff18", "ldr w1, 0xff8; data ff8", "ldr w1, #0xff8; data ff8"},
    {kArm64, "c0035fd6", "ret"},
    {kArm64, "20003fd6", "blr x1; call"},
    {kArm64, "20001fd6", "br x1; jump"},
    {kArm64, "200020d4", "brk #0x1"},
    {kArm64, "22081fd7", "braa x1, x2; jump", kUnknown},
    {kArm64, "20a000a4", "ld1b { z0.b }, p0/z, [x1]", kUnknown},  // SVE
    {kArm64, "e11c2225", "whilelo p1.b, x7, x2", kUnknown},
    {kArm64, "40441025", "brka p0.b, p1/z, p2.b", kUnknown},
    {kArm64, "002081a0", "smopa za0.s, p0/m, p1/m, z0.b, z1.b", kUnknown},  // SME
    {kArm, "10402de9", "push {r4, lr}"},
    {kArm, "040000da", "ble 0x1018; jump 1018", "ble #0x1018; jump 1018"},
    {kArm, "0200000b", "bleq 0x1010; call 1010", "bleq #0x1010; call 1010"},
    {kArm, "0200d1e1", "bics r0, r1, r2"},
    {kArm, "040091e5", "ldr r0, [r1, #0x4]", "ldr r0, [r1, #4]"},
    {kArm, "1eff2fe1", "bx lr; jump"},
    {kArm, "33ff2fe1", "blx r3; call"},
    {kThumb, "10b5", "push {r4, lr}"},
    {kThumb, "02d1", "bne 0x1008; jump 1008", "bne #0x1008; jump 1008"},
    {kThumb, "00f33280", "bgt.w 0x1068; jump 1068", "bgt.w #0x1068; jump 1068"},
    {kThumb, "00f01ef8", "bl 0x1040; call 1040", "bl #0x1040; call 1040"},
    {kThumb, "08b1", "cbz r0, 0x1006; jump 1006", "cbz r0, #0x1006; jump 1006"},
    {kThumb, "dfe801f0", "tbb [pc, r1]; jump"},
    {kThumb, "7047", "bx lr; jump"},
    {kThumb, "41f23420", "movw r0, #0x1234"},
    {kPower, "7c0802a6", "mflr 0", "mflr r0"},
    {kPower, "f8010010", "std 0, 16(1)", "std r0, 0x10(r1)"},
    {kPower, "48000041", "bl 0x1040; call 1040"},
    {kPower, "40820008", "bf 2, 0x1008; jump 1008", "bne 0x1008; jump 1008"},
    {kPower, "42400009", "bdzl 0x1008; call 1008"},
    {kPower, "4200fff0", "bdnz 0xff0; jump ff0"},
    {kPower, "4e800020", "blr"},
    {kPower, "4e800420", "bctr; jump"},
    {kPower, "4e800421", "bctrl; call"},
    {kPower, "7c870067", "mfvsrd 7, 36", kUnknown},
    {kPower, "10011401", "bcdadd. 0, 1, 2, 0", kUnknown},
    {kPowerLittle, "41000048", "bl 0x1040; call 1040"},
    {kS390, "eb6ff0300024", "stmg %r6, %r15, 48(%r15)", "stmg %r6, %r15, 0x30(%r15)"},
    {kS390, "c0e500000080", "brasl %r14, 0x1100; call 1100"},
    {kS390, "a7740004", "jne 0x1008; jump 1008"},
    {kS390, "c01000000010", "larl %r1, 0x1020; data 1020"},
    {kS390, "c46800000080", "lgrl %r6, 0x1100; data 1100"},
    {kS390, "88100003", "srl %r1, 3"},
    {kS390, "07fe", "br %r14; jump"},
    {kS390, "0de1", "basr %r14, %r1; call"},
    {kS390, "0707", "nopr %r7", "bcr 0, %r7"},
    {kS390, "ec2300084064", "cgrjl %r2, %r3, 0x1010; jump 1010"},
    {kS390, "a727fffc", "brctg %r2, 0xff8; jump ff8"},
    {kS390, "c65000000020", "exrl %r5, 0x1040; data 1040", kUnknown},
    {kS390, "e712300020e3", "vfasb %v1, %v2, %v3", kUnknown},
    {kS390, "0a1a", "svc 26", kUnknown},
    {kRiscv, "4111", "addi sp, sp, -0x10", kUnknown},  // compressed
    {kRiscv, "01a8", "j 0x1010; jump 1010", kUnknown},
    {kRiscv, "65dd", "beqz a0, 0xff8; jump ff8", kUnknown},
    {kRiscv, "8280", "ret", kUnknown},
    {kRiscv, "8297", "jalr a5; call", kUnknown},
    {kRiscv, "6368b500", "bltu a0, a1, 0x1010; jump 1010", kUnknown},
    {kRiscv, "eff01fff", "jal 0xff0; call ff0", kUnknown},
    {kRiscv, "e7804700", "jalr 0x4(a5); call", kUnknown},
    {kRiscv, "33d5c548", "bext a0, a1, a2", kUnknown},
    {kRiscv, "d7802102", "vadd.vv v1, v2, v3", kUnknown},
    {kLoong, "80100040", "beqz $a0, 0x1010; jump 1010", kUnknown},
    {kLoong, "fff3ff57", "bl 0xff0; call ff0", kUnknown},
    {kLoong, "8100004c", "jirl $ra, $a0, 0; call", kUnknown},
};

/// Returns how an instruction continues: "; jump 1010".
std::string_view flow(std::string_view line) {
  return line.substr(std::min(line.find(';'), line.size()));
}

TEST_F(Decoding, OfEachMachine) {
  const bool by_llvm = decoder_name() == "LLVM";
  // Capstone 5 knows RISC-V and more, and prints some instructions differently.
  const bool is_newer = !by_llvm && decoded(kRiscv, "8280") == Lines{"2 c.jr ra"};
  for (const Row& row : kRows) {
    const auto found = decoded(row.kind, row.hex);
    const auto line = [&](std::string_view text) {
      return fmt::format("{} {}", row.hex.size() / 2, text);
    };
    const std::string wanted = line(
        by_llvm || row.capstone == kSame || row.capstone == kUnknown ? row.text : row.capstone);
    if (is_newer || row.capstone == kUnknown) {
      if (found == Lines{"no decoder"} && !by_llvm) continue;
      ASSERT_EQ(found.size(), 1u) << row.hex;
      if (!by_llvm && found[0].starts_with(line("."))) continue;
      EXPECT_TRUE(found[0].starts_with(line(""))) << row.hex << ": " << found[0];
      EXPECT_EQ(flow(found[0]), flow(wanted)) << row.hex;
    }
    if (by_llvm || (!is_newer && row.capstone != kUnknown)) {
      EXPECT_EQ(found, Lines{wanted});
    }
  }
}

// `llvm-mc-19 --disassemble` prints the same, with distances in place of targets.
TEST_F(Decoding, AttSyntax) {
  const bool by_llvm = decoder_name() == "LLVM";
  EXPECT_EQ(
      decoded(kX86, "8b45fc 7510 e8fb000000 488b05e22e0000 c4e2f5b804c7 f0480fb117 ffe0", true),
      (Lines{by_llvm ? "3 movl -0x4(%rbp), %eax" : "3 movl -4(%rbp), %eax",
             "2 jne 0x1015; jump 1015", "5 callq 0x1105; call 1105",
             "7 movq 0x2ee2(%rip), %rax; data 3ef3",
             by_llvm ? "6 vfmadd231pd (%rdi,%rax,8), %ymm1, %ymm0"
                     : "6 vfmadd231pd (%rdi, %rax, 8), %ymm1, %ymm0",
             "5 lock cmpxchgq %rdx, (%rdi)", "2 jmpq *%rax; jump"}));
}

TEST_F(Decoding, WhatIsNoInstructionIsDataAndEndsNothing) {
  EXPECT_EQ(decoded(kX86, "06 62 90"), (Lines{"1 .byte 0x06", "1 .byte 0x62", "1 nop"}));
  EXPECT_EQ(decoded(kX86, "90 488b05e2"),  // cut off
            (Lines{"1 nop", "1 .byte 0x48", "1 .byte 0x8b", "1 .byte 0x05", "1 .byte 0xe2"}));
  EXPECT_EQ(decoded(kX86, "f0"), (Lines{"1 .byte 0xf0"}));
  EXPECT_EQ(decoded(kArm64, "ffffffff c0035fd6 c003"),
            (Lines{"4 .inst 0xffffffff", "4 ret", "2 .byte 0xc0, 0x03"}));
  EXPECT_EQ(decoded(kPower, "00000001 4e800020"), (Lines{"4 .inst 0x00000001", "4 blr"}));
  EXPECT_EQ(decoded(kThumb, "00e80000 7047"), (Lines{"4 .inst 0xe8000000", "2 bx lr; jump"}));
  EXPECT_EQ(decoded(kS390, "ffffffffffff 07fe"),
            (Lines{"6 .inst 0xffffffffffff", "2 br %r14; jump"}));
}

// The words are objdump's, for instructions of each architecture's manual. The last ones look
// alike.
TEST(Flows, OfWords) {
  const struct {
    std::uint16_t machine;
    std::string_view jumps, calls, others;
  } cases[] = {
      {EM_X86_64, "jmp rax|jne 0|notrack jmp rax|data16 jmp 0|jrcxz 0|loopne 0|ljmp [rax]|xbegin 0",
       "call 0|bnd call 0|data16 rex64 call 0|lcall [rax]",
       "ret|rep ret|lock cmpxchg [rdi], rdx|lock|mov eax, 1|xend|syscall"},
      {EM_AARCH64,
       "b 0|b.ne 0|bc.eq 0|br x1|braa x1, x2|braaz x1|brab x1, x2|brabz x1|cbz x0, 0|cbnz w1, "
       "0|tbz w1, 3, 0|tbnz w1, 3, 0",
       "bl 0|blr x1|blraa x1, x2|blrabz x1",
       "ret|bic x0, x1, x2|bfi x0, x1, 1, 2|brk 1|bti c|brb iall"},
      {EM_ARM,
       "b 0|b.w 0|b.n 0|beq 0|beq.n 0|blt 0|ble 0|bls 0|bx lr|bxne lr|bxj r1|cbz r0, 0|tbb [pc, "
       "r1]",
       "bl 0|bl.w 0|bleq 0|bllt 0|blx r3|blxne r3",
       "bic r0, r1, r2|bics r0, r1, r2|bfi r0, r1, 1, 2|bkpt 1"},
      {EM_PPC64, "b 0|ba 0|beq 0|bne+ 0|bdnz- 0|bf 2, 0|bctr|bnl 0|bso 0|bun 0|bcctr 4, 2, 0",
       "bl 0|bla 0|beql 0|bdzl 0|bctrl|bnll 0",
       "blr|bcdadd. 0, 1, 2, 0|bpermd 3, 4, 5|brh 3, 4|mflr 0"},
      {EM_S390,
       "j 0|jne 0|jg 0|br %r14|brct %r2, 0|brctg %r2, 0|bc 8, 0|cij %r1, 1, 2, 0|cgrjl %r2, %r3, "
       "0|clgrj %r1, %r2, 8, 0|crb %r1, %r2, 8, 0|cgib %r1, 1, 8, 0",
       "brasl %r14, 0|bras %r14, 0|basr %r14, %r1|bas %r14, 0|balr %r14, %r1",
       "bcr 0, %r7|bc 0, 0|clcl %r2, %r4|cgr %r1, %r2|bakr %r0, %r1|bsa %r1, %r2|bpp 1, 0, 0|lgrl "
       "%r6, 0"},
      {EM_RISCV,
       "j 0|jr a5|c.j 0|c.jr a5|beqz a0, 0|bltu a0, a1, 0|bgtz a0, 0|c.bnez a0, 0|ble a0, a1, 0",
       "jal 0|jalr a5|c.jalr a5",
       "ret|jr ra|c.jr ra|bext a0, a1, a2|bset a0, a1, a2|addi a0, a0, 1"},
      {EM_LOONGARCH, "b 0|jr $a0|beqz $a0, 0|bgeu $a0, $a1, 0|bceqz $fcc0, 0|bcnez $fcc0, 0",
       "bl 0|jirl $ra, $a0, 0", "ret|bitrev.w $a0, $a1|bstrins.d $a0, $a1, 3, 1|break 0"},
      {EM_SPARCV9, "", "", "ba 0|call 0"},
  };
  for (const auto& one : cases)
    for (const auto& [texts, flow] :
         {std::pair(one.jumps, Flow::jump), {one.calls, Flow::call}, {one.others, Flow::next}})
      for (const std::string_view text : split(texts, '|'))
        if (!text.empty()) {
          EXPECT_EQ(flow_of(one.machine, text), flow) << one.machine << ' ' << text;
        }
}

TEST(Machines, WithoutADecoderHaveNone) {
  EXPECT_EQ(Decoder::of({EM_SPARCV9, true, true, false}, false), nullptr);
  EXPECT_EQ(Decoder::of({}, false), nullptr);
  EXPECT_EQ(machine_name({EM_SPARCV9, true, true, false}), "sparc64");
  EXPECT_EQ(machine_name({12345, true, true, false}), "machine 12345");
}

}  // namespace
}  // namespace evname::instructions
