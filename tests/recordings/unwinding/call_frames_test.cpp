// Callers by the rules of .eh_frame (DWARF 4, section 6.4), of each processor: numbers of registers
// are from asm/perf_regs.h and the processors' DWARF ABIs.

#include <gtest/gtest.h>

#include <memory>

#include "evname/profile.hpp"
#include "recordings/elf/dwarf.hpp"
#include "recordings/elf/elf_fixture.hpp"
#include "recordings/elf/elf_image.hpp"
#include "recordings/unwinding/frame_rules.hpp"
#include "recordings/unwinding/unwinder.hpp"
#include "support/jitdump.hpp"
#include "support/perf_file.hpp"

namespace evname::call_frames_test {
namespace {

using test::BytesOut;
using test::elf_file;
using test::ElfParts;
using test::sleb;
using test::uleb;

std::string code(unsigned operation) { return std::string(1, static_cast<char>(operation)); }
std::string define_frame(unsigned reg, std::uint64_t offset) {
  return code(DW_CFA_def_cfa) + uleb(reg) + uleb(offset);
}
/// The register is saved `words` words of 8 bytes below the frame.
std::string saved(unsigned reg, std::uint64_t words) {
  return code(DW_CFA_offset_extended) + uleb(reg) + uleb(words);
}
std::string advance(unsigned bytes) { return code(DW_CFA_advance_loc | bytes); }

std::string entry(const std::string& content) {
  std::string padded = content;
  while (padded.size() % 8 != 4) padded += code(DW_CFA_nop);
  return BytesOut().u32(static_cast<std::uint32_t>(padded.size())).raw(padded).str();
}

struct Function {
  std::uint64_t start, size;
  std::string rules;
};

/// .eh_frame of functions whose return address is in a register; `kind`: "" or "S", a signal's.
std::string eh_frame(unsigned return_register, const std::string& first_rules,
                     const std::vector<Function>& functions, const std::string& kind = "") {
  std::string out = entry(BytesOut().u32(0).u8(1).raw(kind).u8(0).str() + uleb(1) + sleb(-8) +
                          code(return_register) + first_rules);
  for (const Function& one : functions)
    out += entry(BytesOut()
                     .u32(static_cast<std::uint32_t>(out.size() + 4))
                     .u64(one.start)
                     .u64(one.size)
                     .raw(one.rules)
                     .str());
  return out + std::string(4, '\0');
}

/// The same as .debug_frame.
std::string debug_frame(unsigned return_register, const std::string& first_rules,
                        const std::vector<Function>& functions) {
  std::string out = entry(BytesOut().u32(UINT32_MAX).u8(1).u8(0).str() + uleb(1) + sleb(-8) +
                          code(return_register) + first_rules);
  for (const Function& one : functions)
    out += entry(BytesOut().u32(0).u64(one.start).u64(one.size).raw(one.rules).str());
  return out;
}

/// A library that is mapped as a whole.
std::string library(const ElfParts& parts) {
  std::string file = elf_file(parts);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  header.e_type = ET_DYN;
  std::memcpy(file.data(), &header, sizeof header);
  const Elf64_Phdr whole{PT_LOAD, PF_R | PF_X, 0, 0, 0, file.size(), file.size(), 4096};
  std::memcpy(file.data() + sizeof header, &whole, sizeof whole);
  return file;
}
std::string library(std::uint16_t machine, const std::string& frames,
                    std::string_view section = ".eh_frame") {
  return library({.machine = machine, .sections = {{section, frames}}});
}

constexpr std::uint64_t kBase = 0x10000, kText = kBase + ElfParts::kText, kStack = 0x7ffe0000;

class CallFrames : public testing::Test {
 protected:
  void SetUp() override {
    if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  }

  std::vector<std::uint64_t> calls(const std::string& file, unwinding::StackCopy copy,
                                   std::span<const std::uint64_t> stack, std::size_t most = 20) {
    const std::string path = dir_.write("library", file);
    SymbolOptions options;
    options.cache = dir_.path("cache");
    const Symbols symbols(options);
    unwinding::Unwinder unwinder(symbols);
    copy.pid = copy.tid = 7;
    copy.stack = {reinterpret_cast<const std::uint8_t*>(stack.data()), stack.size_bytes()};
    const auto find = [&](std::uint64_t address) -> std::optional<Mapping> {
      if (address < kBase || address >= kBase + 0x1000) return std::nullopt;
      return Mapping{.file = path, .start = kBase, .end = kBase + 0x1000};
    };
    std::vector<std::uint64_t> out;
    unwinder.unwind(copy, find, most, out);
    return out;
  }

  /// The recording as a profile of speedscope.
  std::string exported(const std::string& recording) {
    const auto opened = Recording::open(dir_.write("perf.data", recording));
    const Symbols symbols;
    std::string text;
    const auto take = [&](std::string_view piece) {
      text += piece;
      return true;
    };
    EXPECT_TRUE(opened &&
                export_profile({&*opened, 1},
                               {.format = ProfileFormat::speedscope, .symbols = &symbols}, take));
    return text;
  }

  test::TempDir dir_;
};

// A program without .eh_frame has its table in the file with its debug information, packed or not.
TEST_F(CallFrames, OfASeparateFile) {
  const std::string rules = define_frame(7, 16) + saved(16, 1);
  const std::uint64_t stack[] = {0, kText + 0x60, 0, 0};
  const std::vector<std::uint64_t> registers = {kStack, kText + 0x10};
  const unwinding::StackCopy copy{
      .arch = "x86_64", .mask = 1 << 7 | 1 << 8, .registers = registers};
  std::string id;
  for (int i = 0; i < 19; ++i) id += "5a";
  const ElfParts::Extra dynamic{".dynsym", std::string(24, '\0'), SHT_DYNSYM, 24};
  const std::string table = debug_frame(16, rules, {{ElfParts::kText, 0x40, ""}});
  const struct {
    const char* what;
    std::vector<ElfParts::Extra> own, separate;
    bool is_found;
  } cases[] = {
      {"none", {dynamic}, {}, false},
      {"separate", {dynamic}, {{".debug_frame", table}}, true},
      {"of other functions", {dynamic}, {{".debug_frame", debug_frame(16, rules, {})}}, false},
      {"cut", {dynamic}, {{".debug_frame", table.substr(0, 30)}}, false},
  };
  for (const auto& c : cases) {
    dir_.write("cache/.build-id/5a/" + id + "/debug", library({.sections = c.separate}));
    const auto found =
        calls(library({.symbols_type = SHT_PROGBITS, .sections = c.own}), copy, stack);
    EXPECT_EQ(found.size() > 1, c.is_found) << c.what;
    if (c.is_found && found.size() > 1) {
      EXPECT_EQ(found[1], kText + 0x5f) << c.what;
    }
  }
}

TEST_F(CallFrames, OfEachProcessor) {
  const struct {
    std::string_view arch;
    std::uint16_t machine;
    unsigned stack_pointer, instruction_pointer;  ///< PERF_REG_*
    unsigned dwarf_stack_pointer, dwarf_return;
    bool is_32_bit = false, is_known = true;
  } cases[] = {{"x86_64", EM_X86_64, 7, 8, 7, 16},
               {"aarch64", EM_AARCH64, 31, 32, 31, 30},
               {"armv7l", EM_ARM, 13, 15, 13, 14},
               {"arm", EM_ARM, 13, 15, 13, 14},
               {"riscv64", EM_RISCV, 2, 0, 2, 1},
               {"ppc64le", EM_PPC64, 1, 32, 1, 65},
               {"s390x", EM_S390, 15, 33, 15, 14},
               {"mips64", EM_MIPS, 29, 0, 29, 31, false, false},
               {"ar", EM_ARM, 13, 15, 13, 14, false, false},
               {"", EM_X86_64, 7, 8, 7, 16, false, false},
               {"x86_64", EM_X86_64, 7, 8, 7, 16, true, false},
               {"aarch64", EM_AARCH64, 31, 32, 31, 30, true, false},
               {"armv8l", EM_ARM, 13, 15, 13, 14, true}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.arch);
    const std::string file = library(
        c.machine, eh_frame(c.dwarf_return,
                            define_frame(c.dwarf_stack_pointer, 16) + saved(c.dwarf_return, 1) +
                                code(DW_CFA_val_offset) + uleb(c.dwarf_stack_pointer) + uleb(0),
                            {{ElfParts::kText, 0x40, ""}, {ElfParts::kText + 0x40, 0x40, ""}}));
    const std::uint64_t stack[] = {1, kText + 0x44, 2, kText + 0x20, 3, 0, 4, kText};
    std::uint64_t mask = 0;
    std::vector<std::uint64_t> registers;
    for (unsigned i = 0; i < 34; ++i) {
      const bool is_known = i < 16 || i == c.stack_pointer || i == c.instruction_pointer || i > 23;
      if (!is_known) continue;
      mask |= std::uint64_t{1} << i;
      registers.push_back(i == c.stack_pointer         ? kStack
                          : i == c.instruction_pointer ? kText + 8
                                                       : 0x1000 + i);
    }
    const unwinding::StackCopy copy{
        .arch = c.arch, .is_32_bit = c.is_32_bit, .mask = mask, .registers = registers};
    const std::vector<std::uint64_t> expected =
        c.is_known ? std::vector{kText + 8, kText + 0x43, kText + 0x1f}
                   : std::vector<std::uint64_t>{};
    EXPECT_EQ(calls(file, copy, stack), expected);
    if (!c.is_known) continue;
    for (std::size_t most = 0; most < 4; ++most)
      EXPECT_EQ(calls(file, copy, stack, most),
                std::vector(expected.begin(),
                            expected.begin() + static_cast<long>(std::min(most, expected.size()))));
    // Without the register that holds it, nothing is known.
    unwinding::StackCopy without = copy;
    without.mask &= ~(std::uint64_t{1} << c.instruction_pointer);
    EXPECT_EQ(calls(file, without, stack), std::vector<std::uint64_t>{});
  }
}

// An unwound address is inside the call, and profiles do not move it again: here a call of one
// byte, the first of second_function.
TEST_F(CallFrames, ProfilesHaveTheCallsThemselves) {
  const std::string path =
      dir_.write("library", library(EM_X86_64, eh_frame(16, define_frame(7, 16) + saved(16, 1),
                                                        {{ElfParts::kText, 0x80, ""}})));
  test::PerfFile file;
  file.event(
      {.type = 0, .sample_type = 1 | 2 | 32 | 1 << 12 | 1 << 13, .regs_user = 0x180});  // SP, IP
  file.feature(6, BytesOut().string("x86_64").str());
  BytesOut map;
  map.u32(5).u32(5).u64(kBase).u64(0x1000).u64(0).padded(path);
  file.record(1, map.u32(5).u32(5).str(), 2);
  const std::uint64_t stack[] = {1, kText + 0x41, 2, 0};
  BytesOut body;
  body.u64(kText + 8).u32(5).u32(5).u64(2).u64(std::uint64_t(-512)).u64(kText + 8);
  body.u64(2).u64(kStack).u64(kText + 8).u64(sizeof stack);
  for (const std::uint64_t word : stack) body.u64(word);
  file.record(9, body.u64(sizeof stack).str(), 2);
  EXPECT_NE(exported(file.file()).find("second_function"), std::string::npos);
}

/// x86-64: rsp is 7, rip 8; rbp is PERF_REG_X86_BP 6 and DWARF's 6; rbx is 1 and 3.
constexpr unsigned kRsp = 7, kRbp = 6, kRip = 16, kRbx = 3;

std::vector<std::uint64_t> x86_registers(std::uint64_t ip) {
  // AX, BX, CX, DX, SI, DI, BP, SP, IP
  return {10, kStack + 48, 12, 13, 14, 15, kStack + 32, kStack, ip};
}

struct RuleCase {
  const char* what;
  std::string rules;  ///< of the function at kText
  std::uint64_t at;   ///< in it
  std::vector<std::uint64_t> callers;
  std::string kind = "";
  bool is_kept = true;  ///< as a rule, so that libdwfl is not asked
};

// The words of the stack show how a caller was found.
const std::uint64_t kWords[] = {kText + 0x50, kText + 0x51, kText + 0x52, kText + 0x53,
                                kText + 0x54, kText + 0x55, kText + 0x56, kText + 0x57};
constexpr std::uint64_t kCaller = kText + 0x4f;  // less 1, of word 0

/// The callers are in a function that nothing has called.
const Function kLast{ElfParts::kText + 0x40, 0x40,
                     define_frame(kRsp, 8) + code(DW_CFA_undefined) + uleb(kRip)};

TEST_F(CallFrames, RulesOfX86) {
  const std::string ra = saved(kRip, 1);
  const std::string expression =
      code(DW_CFA_def_cfa_expression) + uleb(2) + code(DW_OP_breg7) + sleb(24);
  const RuleCase cases[] = {
      {"frame 8 above", define_frame(kRsp, 8) + ra, 0, {kCaller}},
      {"frame 24 above", define_frame(kRsp, 24) + ra, 0, {kCaller + 2}},
      {"the frame's register", define_frame(kRbp, 16) + ra, 0, {kCaller + 5}},
      {"another register", define_frame(kRbx, 8) + ra, 0, {kCaller + 6}},
      {"before the first instruction's end",
       define_frame(kRsp, 8) + ra + advance(4) + define_frame(kRsp, 16),
       3,
       {kCaller}},
      {"after it",
       define_frame(kRsp, 8) + ra + advance(4) + define_frame(kRsp, 16),
       4,
       {kCaller + 1}},
      {"return address 2 below", define_frame(kRsp, 32) + saved(kRip, 2), 0, {kCaller + 2}},
      {"an expression", expression + ra, 0, {kCaller + 2}, "", false},
      {"an expression of two parts",
       code(DW_CFA_def_cfa_expression) + uleb(4) + code(DW_OP_breg7) + sleb(16) +
           code(DW_OP_plus_uconst) + uleb(8) + ra,
       0,
       {kCaller + 2},
       "",
       false},
      {"a return address by an expression",
       define_frame(kRsp, 8) + code(DW_CFA_expression) + uleb(kRip) + uleb(2) + code(DW_OP_breg7) +
           sleb(16),
       0,
       {kCaller + 2},
       "",
       false},
      {"no return address",
       define_frame(kRsp, 8) + ra + code(DW_CFA_undefined) + uleb(kRip),
       0,
       {}},
      {"frame beyond the copy", define_frame(kRsp, 4096) + ra, 0, {}},
      {"the last word", define_frame(kRsp, 64) + ra, 0, {kCaller + 7}},
      {"half beyond the copy", define_frame(kRsp, 68) + ra, 0, {}},
      {"below the copy", define_frame(kRsp, 0) + ra, 0, {}},
      {"of a signal", define_frame(kRsp, 8) + ra, 0, {kCaller + 1}, "S", false},
  };
  for (const RuleCase& c : cases) {
    const std::string file =
        library(EM_X86_64, eh_frame(kRip, "", {{ElfParts::kText, 0x40, c.rules}, kLast}, c.kind));
    const std::vector<std::uint64_t> registers = x86_registers(kText + c.at);
    const unwinding::StackCopy copy{.arch = "x86_64", .mask = 0x1ff, .registers = registers};
    std::vector<std::uint64_t> expected = c.callers;
    expected.insert(expected.begin(), kText + c.at);
    EXPECT_EQ(calls(file, copy, kWords), expected) << c.what;
    const std::string path = dir_.write("library", file);
    elf::Budget budget;
    const auto image = elf::ElfImage::open(path, budget);
    const std::unique_ptr<Dwarf_CFI, decltype(&dwarf_cfi_end)> cfi(dwarf_getcfi_elf(image->elf()),
                                                                   dwarf_cfi_end);
    ASSERT_NE(cfi, nullptr);
    EXPECT_EQ(unwinding::FrameRule::read(cfi.get(), ElfParts::kText + c.at).has_value(), c.is_kept)
        << c.what;
    EXPECT_FALSE(unwinding::FrameRule::read(cfi.get(), ElfParts::kText - 1).has_value());
  }
}

// A caller's frame is found by the registers that the function saved.
TEST_F(CallFrames, RegistersOfCallers) {
  const auto second = [](const std::string& rule) {
    return std::vector<Function>{
        {ElfParts::kText, 0x40, define_frame(kRsp, 16) + saved(kRip, 1) + rule},
        {ElfParts::kText + 0x40, 0x40, define_frame(kRbp, 8) + saved(kRip, 1)}};
  };
  const std::uint64_t stack[] = {kStack + 24,  kText + 0x60, 0,
                                 kText + 0x11, kText + 0x12, kText + 0x13};
  const struct {
    const char* what;
    std::string rule;
    std::uint64_t second_caller;  ///< 0: none
  } cases[] = {
      {"the same", "", kText + 0x12},  // rbp is kStack + 32
      {"said to be the same", code(DW_CFA_same_value) + uleb(kRbp), kText + 0x12},
      {"saved", saved(kRbp, 2), kText + 0x11},
      {"a sum", code(DW_CFA_val_offset_sf) + uleb(kRbp) + sleb(-3), kText + 0x13},
      {"lost", code(DW_CFA_undefined) + uleb(kRbp), 0},
      {"in another register", code(DW_CFA_register) + uleb(kRbp) + uleb(kRbx), 0},
  };
  for (const auto& c : cases) {
    const std::string file = library(EM_X86_64, eh_frame(kRip, "", second(c.rule)));
    std::vector<std::uint64_t> registers = x86_registers(kText + 4);
    const unwinding::StackCopy copy{.arch = "x86_64", .mask = 0x1ff, .registers = registers};
    const std::vector<std::uint64_t> found = calls(file, copy, stack, 3);
    ASSERT_GE(found.size(), 2) << c.what;
    EXPECT_EQ(found[0], kText + 4);
    EXPECT_EQ(found[1], kText + 0x5f) << c.what;
    if (c.rule.find(code(DW_CFA_register)) == 0) continue;  // wherever that leads
    EXPECT_EQ(found.size() > 2 ? found[2] + 1 : 0, c.second_caller) << c.what;
  }
}

/// The registers and the stack of a function that was called by one at `caller`.
struct Called {
  std::uint64_t ip, caller;
  unsigned frame;  ///< words of its frame, the return address among them
};

/// Unwinds the stacks of one process after the other by the same unwinder.
std::vector<std::vector<std::uint64_t>> unwound(
    const Symbols& symbols, std::span<const Called> stacks,
    const std::function<std::optional<Mapping>(std::size_t stack, std::uint64_t address)>& find) {
  unwinding::Unwinder unwinder(symbols);
  std::vector<std::vector<std::uint64_t>> out(stacks.size());
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const std::vector<std::uint64_t> registers = x86_registers(stacks[i].ip);
    std::vector<std::uint64_t> words(stacks[i].frame + 8);
    words[stacks[i].frame - 1] = stacks[i].caller;
    unwinder.unwind(
        {.pid = 7,
         .tid = 7,
         .arch = "x86_64",
         .mask = 0x1ff,
         .registers = registers,
         .stack = {reinterpret_cast<const std::uint8_t*>(words.data()),
                   words.size() * sizeof words[0]},
         .generation = i},
        [&](std::uint64_t address) { return find(i, address); }, 20, out[i]);
  }
  return out;
}

// The file of a function that `perf inject --jit` writes has one segment, which begins behind its
// headers. Such a file takes the place of another one as the code does, and of one that can't be
// read.
TEST_F(CallFrames, FilesOfWhichOnlyTheCodeIsMapped) {
  const auto file = [&](const char* name, std::uint64_t address, unsigned words) {
    std::string made = elf_file(
        {.sections = {{".eh_frame", eh_frame(kRip, define_frame(kRsp, 8 * words) + saved(kRip, 1),
                                             {{address, ElfParts::kSize, ""}})}}});
    Elf64_Ehdr header;
    std::memcpy(&header, made.data(), sizeof header);
    header.e_type = ET_DYN;
    std::memcpy(made.data(), &header, sizeof header);
    const Elf64_Phdr code{PT_LOAD, PF_R | PF_X,     ElfParts::kText, address,
                          address, ElfParts::kSize, ElfParts::kSize, 8};
    std::memcpy(made.data() + sizeof header, &code, sizeof code);
    return dir_.write(name, made);
  };
  for (const std::uint64_t address : {ElfParts::kText, ElfParts::kAddress}) {
    const std::string files[] = {file("one.so", address, 2), file("other.so", address, 3),
                                 dir_.path("missing.so"), file("caller.so", address, 2)};
    constexpr std::uint64_t kCode = 0x70001238, kOther = kCode + ElfParts::kSize;
    const Called stacks[] = {{kCode + 8, kOther + 5, 4},
                             {kCode + 8, kOther + 5, 2},
                             {kCode + 8, kOther + 5, 3},
                             {kCode + 9, kOther + 6, 3},
                             {kCode + 8, kOther + 5, 2}};
    SymbolOptions options;
    options.cache = dir_.path("cache");
    const Symbols symbols(options);
    const auto found = unwound(
        symbols, stacks, [&](std::size_t stack, std::uint64_t at) -> std::optional<Mapping> {
          if (at < kCode || at >= kOther + ElfParts::kSize) return std::nullopt;
          const bool is_caller = at >= kOther;
          const std::uint64_t start = is_caller ? kOther : kCode;
          return Mapping{.file = files[is_caller ? 3 : stacks[stack].frame - 2],
                         .start = start,
                         .end = start + ElfParts::kSize,
                         .offset = ElfParts::kText};
        });
    for (std::size_t i = 0; i < std::size(stacks); ++i) {
      std::vector<std::uint64_t> expected;
      if (stacks[i].frame < 4) expected = {stacks[i].ip, stacks[i].caller - 1};
      EXPECT_EQ(found[i], expected) << i;
    }
  }
}

/// .eh_frame of a function of a JIT compiler, which follows it: addresses are relative.
std::string jitted_frame(std::uint64_t size, unsigned words) {
  constexpr std::uint8_t kRelative = 0x1b;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4
  std::string out =
      entry(BytesOut().u32(0).u8(1).raw("zR").u8(0).str() + uleb(1) + sleb(-8) + code(kRip) +
            uleb(1) + code(kRelative) + define_frame(kRsp, 8 * words) + saved(kRip, 1));
  const auto place = static_cast<std::uint32_t>((size + 7) / 8 * 8 + out.size() + 8);
  return out + entry(BytesOut()
                         .u32(static_cast<std::uint32_t>(out.size() + 4))
                         .u32(-place)
                         .u32(static_cast<std::uint32_t>(size))
                         .u8(0)
                         .str());
}

// JIT_CODE_UNWINDING_INFO of the code that was there at the time. A stack ends at a function
// without it, and an expression in the rules of another file makes libdwfl unwind all.
TEST_F(CallFrames, CodeThatWasMadeAtRunTime) {
  constexpr std::uint64_t kCode = 0x70001230, kSize = 0x1d, kOther = 0x70001250;
  const std::string header = "header of 20 bytes..";
  const std::string dump = dir_.write("jit-7.dump", test::Jitdump()
                                                        .unwinding(jitted_frame(kSize, 2), header)
                                                        .load(10, "first", kCode, kSize, 1)
                                                        .unwinding(jitted_frame(kSize, 2), header)
                                                        .load(10, "caller", kOther, kSize, 2)
                                                        .unwinding(jitted_frame(kSize, 3), header)
                                                        .load(20, "second", kCode, kSize, 3)
                                                        .load(30, "without", kCode, kSize, 4)
                                                        .move(40, kOther, kOther + 0x100, kSize, 3)
                                                        .str());
  const std::string expression =
      code(DW_CFA_def_cfa_expression) + uleb(2) + code(DW_OP_breg7) + sleb(16);
  const std::string path = dir_.write(
      "library",
      library(EM_X86_64,
              eh_frame(kRip, "", {{ElfParts::kText, 0x40, expression + saved(kRip, 1)}})));
  const struct {
    Called called;
    std::uint64_t time;
    bool has_caller = true;
  } cases[] = {{{kCode + 8, kOther + 5, 2}, 10},       {{kCode + 8, kOther + 5, 3}, 20},
               {{kCode + 8, kOther + 5, 2}, 15},       {{kCode + 8, kOther + 5, 2}, 30, false},
               {{kCode + 8, kOther + 5, 2}, 9, false}, {{kText + 4, kOther + 5, 2}, 10},
               {{kOther + 0x108, kOther + 5, 3}, 40},  {{kCode + 8, kOther + 5, 2}, 0, false}};
  std::vector<Called> stacks;
  for (const auto& c : cases) stacks.push_back(c.called);
  SymbolOptions options;
  options.cache = dir_.path("cache");
  const Symbols symbols(options);
  const auto found =
      unwound(symbols, stacks, [&](std::size_t stack, std::uint64_t at) -> std::optional<Mapping> {
        if (at >= kBase && at < kBase + 0x1000)
          return Mapping{.file = path, .start = kBase, .end = kBase + 0x1000};
        if (at < 0x70001000 || at >= 0x70002000) return std::nullopt;
        return Mapping{.file = "//anon",
                       .start = 0x70001000,
                       .end = 0x70002000,
                       .pid = 7,
                       .jitdump = dump,
                       .time = cases[stack].time};
      });
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    std::vector<std::uint64_t> expected;
    if (cases[i].has_caller) expected = {stacks[i].ip, stacks[i].caller - 1};
    EXPECT_EQ(found[i], expected) << i;
  }
}

/// A sample of arm64 with a chain of frame pointers, in a leaf at kText + 8 that kText + 0x40
/// called.
struct LeafCase {
  const char* what;
  std::string rules = "";                 ///< of the leaf
  std::vector<std::uint64_t> chain = {};  ///< empty: the leaf, and its caller's caller
  std::vector<std::uint64_t> callers = {};
  std::uint64_t link = kText + 0x40;
  std::uint64_t mask = 1 << 30, abi = 2, sample_type = 0;
  const char* section = ".eh_frame";
  const char* arch = "aarch64";
};

constexpr std::uint64_t kLeaf = kText + 8, kUser = -512, kKernelPart = -128, kSecond = kText + 0x60,
                        kSystem = 0xffff800080001000;
/// Bits above bit 47 are the signature of pointer authentication.
constexpr std::uint64_t kSigned = (kText + 0x40) | std::uint64_t{0x2a7f} << 48;
constexpr unsigned kLink = 30;

std::string recording_of(const LeafCase& c, const std::string& path) {
  test::PerfFile file;
  const std::uint64_t types =
      1 | 2 | 32 | 1 << 12 | c.sample_type;  // IP, TID, CALLCHAIN, REGS_USER
  file.event({.type = 0, .sample_type = types, .regs_user = c.mask});
  file.feature(6, BytesOut().string(c.arch).str());
  file.record(
      1, BytesOut().u32(5).u32(5).u64(kBase).u64(0x1000).u64(0).padded(path).u32(5).u32(5).str(),
      2);
  BytesOut body;
  const std::vector<std::uint64_t> chain =
      c.chain.empty() ? std::vector{kUser, kLeaf, kSecond} : c.chain;
  body.u64(kLeaf).u32(5).u32(5).u64(chain.size());
  for (const std::uint64_t word : chain) body.u64(word);
  body.u64(c.abi);
  for (unsigned i = 0; i < 64; ++i)
    if (c.mask >> i & 1) body.u64(i == kLink ? c.link : 0);
  if (c.sample_type != 0) body.u64(0);  // no stack
  file.record(9, body.str(), 2);
  return file.file();
}

// Beside a chain of frame pointers perf and evname record x30 (PERF_REG_ARM64_LR). It is where a
// function returns to if the rules have not saved it (AAPCS64; DWARF for the Arm 64-bit
// architecture: LR is 30).
TEST_F(CallFrames, CallersOfLeafFunctions) {
  const std::string save = define_frame(31, 16) + saved(kLink, 1) + saved(29, 2);
  const std::string restore = code(DW_CFA_restore | kLink) + code(DW_CFA_restore | 29);
  const std::uint64_t caller = kText + 0x3f;
  const LeafCase cases[] = {
      {.what = "no frame", .callers = {caller, kSecond}},
      {.what = "before its frame", .rules = advance(12) + save, .callers = {caller, kSecond}},
      {.what = "in its frame", .rules = advance(8) + save},
      {.what = "behind it", .rules = save + advance(8) + restore, .callers = {caller, kSecond}},
      {.what = "an outermost function", .rules = code(DW_CFA_undefined) + uleb(kLink)},
      {.what = "in another register", .rules = code(DW_CFA_register) + uleb(kLink) + uleb(17)},
      {.what = "in .debug_frame",
       .rules = advance(12) + save,
       .callers = {caller, kSecond},
       .section = ".debug_frame"},
      {.what = "saved in .debug_frame", .rules = save, .section = ".debug_frame"},
      {.what = "no rules, after a call of its own", .section = ".other"},
      {.what = "no rules, before calls",
       .chain = {kUser, kLeaf, kText + 0x70},
       .callers = {kText + 0x5f, kText + 0x70},
       .link = kSecond,
       .section = ".other"},
      {.what = "called by the outermost", .chain = {kUser, kLeaf}, .callers = {caller}},
      {.what = "in a system call",
       .chain = {kKernelPart, kSystem, kSystem + 8, kUser, kLeaf, kSecond},
       .callers = {kSystem + 8, kLeaf, caller, kSecond}},
      {.what = "in the kernel",
       .chain = {kKernelPart, kSystem, kSystem + 8},
       .callers = {kSystem + 8}},
      {.what = "a caller that is there",
       .chain = {kUser, kLeaf, kText + 0x40},
       .callers = {kText + 0x40}},
      {.what = "no part of user space", .chain = {kLeaf, kSecond}},
      {.what = "signed", .callers = {caller, kSecond}, .link = kSigned},
      {.what = "nothing there", .link = kBase + 0x2000},
      {.what = "no address", .link = 0},
      {.what = "more registers", .callers = {caller, kSecond}, .mask = 0x1e0000001},
      {.what = "other registers", .mask = 1 << 29},
      {.what = "of 32 bits", .abi = 1},
      {.what = "no registers", .mask = 0, .abi = 0},
      {.what = "with a copy of the stack", .sample_type = 1 << 13},
      {.what = "of another machine", .arch = "x86_64"},
  };
  for (const LeafCase& c : cases) {
    SCOPED_TRACE(c.what);
    const std::vector<Function> functions = {{ElfParts::kText, 0x40, c.rules},
                                             {ElfParts::kText + 0x40, 0x40, save}};
    const std::string first = define_frame(31, 0);
    const bool is_eh = c.section == std::string_view(".eh_frame");
    const std::string frames =
        is_eh ? eh_frame(kLink, first, functions) : debug_frame(kLink, first, functions);
    const std::string path = dir_.write("library", library(EM_AARCH64, frames, c.section));
    const auto opened = Recording::open(dir_.write("perf.data", recording_of(c, path)));
    ASSERT_TRUE(opened);
    SymbolOptions options;
    options.cache = dir_.path("cache");
    const Symbols symbols(options);
    Locations locations(*opened, symbols);
    std::vector<std::uint64_t> found;
    opened->for_each_sample([&](const Sample& sample) {
      std::vector<Address> stack;
      locations.stack(sample, stack);
      for (const Address address : stack) found.push_back(address.value);
    });
    ASSERT_FALSE(found.empty());
    found.erase(found.begin());  // the instruction
    EXPECT_EQ(found, c.callers.empty() ? std::vector{kSecond} : c.callers);
  }
}

// The caller is in the function that has the call, which may be its last instruction.
TEST_F(CallFrames, ProfilesHaveTheCallersOfLeafFunctions) {
  const std::string path = dir_.write(
      "library",
      library(EM_AARCH64, eh_frame(kLink, define_frame(31, 0), {{ElfParts::kText, 0x80, ""}})));
  const std::string recording =
      recording_of({.what = "", .chain = {kUser, kSecond}, .link = kText + 0x40}, path);
  EXPECT_NE(exported(recording).find("first_function"), std::string::npos);
}

}  // namespace
}  // namespace evname::call_frames_test
