// Decodes by Capstone.

#include <capstone/capstone.h>
#include <elf.h>

#include <algorithm>
#include <span>

#include "events/tables/registry.hpp"
#include "recordings/instructions/branches.hpp"
#include "recordings/instructions/decoder.hpp"

namespace evname::instructions {
namespace {

/// Capstone's words for a machine.
struct MachineRow {
  std::uint16_t machine;
  bool wide;
  cs_arch arch;
  unsigned mode;
  bool takes_order;  ///< CS_MODE_BIG_ENDIAN follows the code's byte order
};
constexpr auto kBigEndian = static_cast<unsigned>(CS_MODE_BIG_ENDIAN);
constexpr MachineRow kMachines[] = {
    {EM_X86_64, true, CS_ARCH_X86, CS_MODE_64, false},
    {EM_X86_64, false, CS_ARCH_X86, CS_MODE_64, false},
    {EM_386, false, CS_ARCH_X86, CS_MODE_32, false},
    {EM_AARCH64, true, CS_ARCH_ARM64, CS_MODE_ARM, false},
    {EM_AARCH64, false, CS_ARCH_ARM64, CS_MODE_ARM, false},
    {EM_ARM, false, CS_ARCH_ARM, CS_MODE_ARM, true},
    {EM_PPC64, true, CS_ARCH_PPC, CS_MODE_64, true},
    {EM_PPC, false, CS_ARCH_PPC, CS_MODE_32, true},
    {EM_S390, true, CS_ARCH_SYSZ, kBigEndian, false},
#if CS_API_MAJOR >= 5
    {EM_RISCV, true, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC, false},
    {EM_RISCV, false, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC, false},
#endif
};

unsigned mode_of(const MachineRow& row, const elf::CodeKind& kind) {
  unsigned mode = row.mode;
  if (kind.machine == EM_ARM) mode = kind.thumb ? unsigned{CS_MODE_THUMB} : row.mode;
  if (row.takes_order && kind.big_endian) mode |= kBigEndian;
  return mode;
}

class Capstone final : public Decoder {
 public:
  Capstone(csh handle, cs_arch arch, const elf::CodeKind& kind)
      : handle_(handle), arch_(arch), kind_(kind), one_(cs_malloc(handle)) {}
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;
  ~Capstone() override {
    if (one_) cs_free(one_, 1);
    cs_close(&handle_);
  }

  Decoded decode(Bytes code, std::uint64_t address) override {
    const std::uint8_t* at = code.data();
    std::size_t left = code.size();
    if (!one_ || !cs_disasm_iter(handle_, &at, &left, &address, one_) || one_->size == 0 ||
        one_->size > code.size())
      return data_at(kind_, code);
    Decoded out;
    out.size = one_->size;
    out.text = one_->mnemonic;
    if (one_->op_str[0] != '\0') (out.text += ' ') += one_->op_str;
    if (one_->detail) add_addresses(*one_, out);
    return out;
  }

 private:
  void add_addresses(const cs_insn& one, Decoded& out) const {
    const Flow flow = flow_of(kind_.machine, out.text);
    out.is_call = flow == Flow::call;
    out.is_jump = flow == Flow::jump;
    const auto direct = last_number(one);
    if (flow != Flow::next && direct) out.target = static_cast<std::uint64_t>(*direct);
    if (arch_ == CS_ARCH_X86)
      add_x86_data(one, out);
    else if (arch_ == CS_ARCH_ARM64 && (one.id == ARM64_INS_ADR || is_arm64_literal(one)) && direct)
      out.data = static_cast<std::uint64_t>(*direct);
    else if (arch_ == CS_ARCH_SYSZ && is_s390_data(one) && direct)
      out.data = static_cast<std::uint64_t>(*direct);
    if (arch_ == CS_ARCH_X86 && kind_.machine == EM_386 && out.target)
      out.target = *out.target & UINT32_MAX;
  }

  /// LARL, LGRL, STRL, EXRL and so on; not SRL.
  static bool is_s390_data(const cs_insn& one) {
    const std::string_view name = one.mnemonic;
    return name.ends_with("rl") && name != "srl" && name != "brasl";
  }

  static bool is_arm64_literal(const cs_insn& one) {
    const auto& operands = one.detail->arm64;
    return (one.id == ARM64_INS_LDR || one.id == ARM64_INS_LDRSW || one.id == ARM64_INS_PRFM) &&
           operands.op_count == 2 && operands.operands[1].type == ARM64_OP_IMM;
  }

  /// Returns the last operand if it is a number.
  std::optional<std::int64_t> last_number(const cs_insn& one) const {
    const cs_detail& detail = *one.detail;
    const auto last = [](const auto& of, auto number) -> std::optional<std::int64_t> {
      if (of.op_count == 0 || of.operands[of.op_count - 1].type != number) return std::nullopt;
      return of.operands[of.op_count - 1].imm;
    };
    switch (arch_) {
      case CS_ARCH_X86:
        return last(detail.x86, X86_OP_IMM);
      case CS_ARCH_ARM64:
        return last(detail.arm64, ARM64_OP_IMM);
      case CS_ARCH_ARM: {
        const auto number = last(detail.arm, ARM_OP_IMM);
        return number ? std::optional<std::int64_t>(static_cast<std::uint32_t>(*number)) : number;
      }
      case CS_ARCH_PPC:
        return last(detail.ppc, PPC_OP_IMM);
      case CS_ARCH_SYSZ:
        return last(detail.sysz, SYSZ_OP_IMM);
#if CS_API_MAJOR >= 5
      case CS_ARCH_RISCV: {  // relative, but for jumps that add to a register
        const auto number = last(detail.riscv, RISCV_OP_IMM);
        if (!number || std::string_view(one.mnemonic) == "jalr") return std::nullopt;
        return static_cast<std::int64_t>(one.address) + *number;
      }
#endif
      default:
        return std::nullopt;
    }
  }

  static void add_x86_data(const cs_insn& one, Decoded& out) {
    const cs_x86& x86 = one.detail->x86;
    for (const cs_x86_op& operand : std::span(x86.operands, x86.op_count))
      if (operand.type == X86_OP_MEM && operand.mem.base == X86_REG_RIP)
        out.data = one.address + one.size + static_cast<std::uint64_t>(operand.mem.disp);
  }

  csh handle_;
  cs_arch arch_;
  elf::CodeKind kind_;
  cs_insn* one_;
};

}  // namespace

std::string_view decoder_name() { return "Capstone"; }

std::unique_ptr<Decoder> Decoder::of(const elf::CodeKind& kind, bool att) {
  const auto* const row = std::ranges::find_if(kMachines, [&](const MachineRow& one) {
    return one.machine == kind.machine && one.wide == kind.wide;
  });
  csh handle = 0;
  if (row == std::end(kMachines) || !tables::bring(tables::kCapstoneTables) ||
      cs_open(row->arch, static_cast<cs_mode>(mode_of(*row, kind)), &handle) != CS_ERR_OK)
    return nullptr;
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  if (row->arch == CS_ARCH_X86)
    cs_option(handle, CS_OPT_SYNTAX, att ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
  return std::make_unique<Capstone>(handle, row->arch, kind);
}

}  // namespace evname::instructions
