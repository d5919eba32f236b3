// Decodes by LLVM.

#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "recordings/instructions/branches.hpp"
#include "recordings/instructions/decoder.hpp"

namespace evname::instructions {
namespace {

/// LLVM's words for a machine. Features are what the newest CPU has, since code tells what it uses.
struct MachineRow {
  std::uint16_t machine;
  bool wide, big_endian;
  const char* triple;
  const char* cpu;
  const char* features;
};
constexpr const char* kArm =
    "+v8.6a,+neon,+fp-armv8,+fullfp16,+crypto,+crc,+dotprod,+bf16,+i8mm,+hwdiv,+hwdiv-arm";
constexpr const char* kRiscv =
    "+m,+a,+f,+d,+c,+v,+h,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkx,+zfh,+zfa,+zvfh,+zvbb,+zvbc,+zvkned,"
    "+zvknhb,+zvksed,+zvksh,+zvkg,+zicbom,+zicbop,+zicboz,+zicond,+zawrs,+zknd,+zkne,+zknh,"
    "+zcb,+svinval";
constexpr MachineRow kMachines[] = {
    {EM_X86_64, true, false, "x86_64", "", ""},
    {EM_X86_64, false, false, "x86_64", "", ""},
    {EM_386, false, false, "i386", "", ""},
    {EM_AARCH64, true, false, "aarch64", "", "+all"},
    {EM_AARCH64, false, false, "aarch64", "", "+all"},
    {EM_ARM, false, false, "arm", "", kArm},
    {EM_ARM, false, true, "armeb", "", kArm},
    {EM_PPC64, true, true, "powerpc64", "pwr10", ""},
    {EM_PPC64, true, false, "powerpc64le", "pwr10", ""},
    {EM_PPC, false, true, "powerpc", "", "+altivec"},
    {EM_S390, true, true, "s390x", "z16", ""},
    {EM_RISCV, true, false, "riscv64", "", kRiscv},
    {EM_RISCV, false, false, "riscv32", "", kRiscv},
    {EM_LOONGARCH, true, false, "loongarch64", "", "+d,+lsx,+lasx"},
};

LLVMDisasmContextRef open_llvm(const MachineRow& row, bool thumb, void* self,
                               LLVMSymbolLookupCallback look_up) {
  [[maybe_unused]] static const bool initialised = [] {
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllDisassemblers();
    return true;
  }();
  std::string triple = row.triple;
  if (thumb) triple.replace(0, 3, "thumb");
  triple += "-unknown-linux-gnu";
  return LLVMCreateDisasmCPUFeatures(triple.c_str(), row.cpu, row.features, self, 1, nullptr,
                                     look_up);
}

/// Makes the spaces of LLVM's text single.
std::string plain_text(std::string_view from) {
  std::string out;
  for (const char c : from)
    if (c != ' ' && c != '\t')
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

class Llvm final : public Decoder {
 public:
  Llvm(const MachineRow& row, const elf::CodeKind& kind, bool att)
      : kind_(kind), llvm_(open_llvm(row, kind.thumb, this, look_up)) {
    // Another printer forgets how numbers are printed.
    if (llvm_ && is_x86() && !att)
      LLVMSetDisasmOptions(llvm_, LLVMDisassembler_Option_AsmPrinterVariant);
    if (llvm_) LLVMSetDisasmOptions(llvm_, LLVMDisassembler_Option_PrintImmHex);
  }
  Llvm(const Llvm&) = delete;
  Llvm& operator=(const Llvm&) = delete;
  ~Llvm() override {
    if (llvm_) LLVMDisasmDispose(llvm_);
  }
  bool is_open() const { return llvm_ != nullptr; }

  Decoded decode(Bytes code, std::uint64_t address) override {
    constexpr std::size_t kLongest = 15;  // of x86; prefixes may go on longer
    const Bytes one = is_x86() ? code.first(std::min(code.size(), kLongest)) : code;
    return read(one, address).value_or(data_at(kind_, code));
  }

 private:
  bool is_x86() const { return kind_.machine == EM_X86_64 || kind_.machine == EM_386; }

  std::optional<Decoded> read(Bytes code, std::uint64_t address) {
    found_.reset();
    std::array<char, 256> text{};
    Decoded out;
    out.size = LLVMDisasmInstruction(llvm_, const_cast<std::uint8_t*>(code.data()), code.size(),
                                     address, text.data(), text.size());
    if (out.size == 0 || out.size > code.size()) return std::nullopt;
    out.text = plain_text(text.data());
    if (is_x86() && is_x86_prefix(out.text)) return with_prefix(out, code, address);
    add_addresses(address, out);
    return out;
  }

  /// LLVM takes some prefixes for instructions of their own.
  std::optional<Decoded> with_prefix(const Decoded& prefix, Bytes code, std::uint64_t address) {
    if (prefix.size >= code.size()) return std::nullopt;
    auto rest = read(code.subspan(prefix.size), address + prefix.size);
    if (!rest) return std::nullopt;
    rest->size += prefix.size;
    rest->text = prefix.text + ' ' + rest->text;
    return rest;
  }

  /// Takes the addresses that operands are. LLVM tells most of them while it prints them.
  void add_addresses(std::uint64_t address, Decoded& out) {
    const Flow flow = flow_of(kind_.machine, out.text);
    out.is_jump = flow == Flow::jump;
    out.is_call = flow == Flow::call;
    const std::size_t last = last_operand(out.text);
    if (out.is_jump || out.is_call) {
      if (!found_ && last != out.text.npos) {
        found_ = own_distance(address, out.text, last);
        if (found_) print_address(out.text, last);
      }
    } else if (kind_.machine == EM_AARCH64) {
      print_arm64_data(out.text, last);
    }
    ((out.is_jump || out.is_call) && !is_memory_ ? out.target : out.data) = found_;
  }

  /// Replaces the distance in ADR and LDR, and the number of pages in "adrp x0, 1 // 0x2000".
  void print_arm64_data(std::string& text, std::size_t last) const {
    if (const std::size_t comment = text.find(" // 0x"); comment != text.npos)
      text = text.substr(0, text.rfind(' ', comment - 1) + 1) + text.substr(last);
    else if (found_)
      print_address(text, last);
  }

  static std::size_t last_operand(std::string_view text) {
    const std::size_t space = text.rfind(' ');
    return space == text.npos ? text.npos : space + 1;
  }
  void print_address(std::string& text, std::size_t at) const {
    text.replace(at, text.npos, fmt::format("0x{:x}", *found_));
  }

  /// Returns the address of a last operand that is a distance: ".+16" of PowerPC, "-0x10" of
  /// RISC-V.
  std::optional<std::uint64_t> own_distance(std::uint64_t address, std::string_view text,
                                            std::size_t last) const {
    const bool is_power = kind_.machine == EM_PPC64 || kind_.machine == EM_PPC;
    if (text.starts_with("jirl ")) return std::nullopt;  // LoongArch's is relative to a register
    text.remove_prefix(last);
    if (is_power != text.starts_with('.')) return std::nullopt;
    if (is_power) text.remove_prefix(1);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    std::uint64_t distance = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), distance, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    const std::uint64_t to = negative ? address - distance : address + distance;
    return kind_.wide ? to : to & UINT32_MAX;
  }

  /// Keeps the address that LLVM asks a symbol for, and answers its number for a branch.
  static const char* look_up(void* self, std::uint64_t value, std::uint64_t* type, std::uint64_t,
                             const char** name) {
    auto& of = *static_cast<Llvm*>(self);
    const std::uint64_t asked = std::exchange(*type, LLVMDisassembler_ReferenceType_InOut_None);
    *name = nullptr;
    const bool is_branch = asked == LLVMDisassembler_ReferenceType_In_Branch;
    if (is_branch || of.is_data(asked)) {
      of.found_ = value;
      of.is_memory_ = !is_branch;
    }
    if (!is_branch) return nullptr;
    *fmt::format_to_n(of.name_.data(), of.name_.size() - 1, "0x{:x}", value).out = '\0';
    return of.name_.data();
  }

  /// Arm's words beside the code are no data of these, as LLVM tells only some.
  bool is_data(std::uint64_t asked) const {
    if (kind_.machine == EM_S390) return true;
    if (kind_.machine == EM_AARCH64)
      return asked == LLVMDisassembler_ReferenceType_In_ARM64_LDRXl ||
             asked == LLVMDisassembler_ReferenceType_In_ARM64_ADR;
    return kind_.machine != EM_ARM && asked == LLVMDisassembler_ReferenceType_In_PCrel_Load;
  }

  elf::CodeKind kind_;
  LLVMDisasmContextRef llvm_;
  std::optional<std::uint64_t> found_;  ///< an address of the instruction at hand
  bool is_memory_ = false;              ///< it is of an operand in memory
  std::array<char, 32> name_{};
};

}  // namespace

std::string_view decoder_name() { return "LLVM"; }

std::unique_ptr<Decoder> Decoder::of(const elf::CodeKind& kind, bool att) {
  const auto* const row = std::ranges::find_if(kMachines, [&](const MachineRow& one) {
    return one.machine == kind.machine && one.wide == kind.wide &&
           one.big_endian == kind.big_endian;
  });
  if (row == std::end(kMachines)) return nullptr;
  auto made = std::make_unique<Llvm>(*row, kind, att);
  return made->is_open() ? std::move(made) : nullptr;
}

}  // namespace evname::instructions
