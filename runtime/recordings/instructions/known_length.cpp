#include "recordings/instructions/known_length.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace evname::instructions {
namespace {

// x86-64: the opcode maps of Intel's Software Developer's Manual, volume 2, appendix A.

/// The bytes after an opcode, a letter for each of 256: - nothing, m ModRM, b 1 byte, w 2, z 4
/// (with the prefix 66: 2), e 3, v as z (with REX.W: 8), o an address, B, Z ModRM and 1 byte or z,
/// t ModRM and for two of its operations 1 byte, T the same with z, j 4 bytes, x unknown.
constexpr std::string_view kOneByte =
    "mmmmbzxxmmmmbzxxmmmmbzxxmmmmbzxx"   // 00
    "mmmmbzxxmmmmbzxxmmmmbzxxmmmmbzxx"   // 20
    "xxxxxxxxxxxxxxxx----------------"   // 40: REX, pushes and pops
    "xxxmxxxxzZbB----bbbbbbbbbbbbbbbb"   // 60
    "BZxBmmmmmmmmmmmm----------x-----"   // 80
    "oooo----bz------bbbbbbbbvvvvvvvv"   // a0
    "BBw-xxBZe-w--bx-mmmmxxx-mmmmmmmm"   // c0
    "bbbbbbbbjjxb----x-xx--tT------mm";  // e0
/// The same after 0f.
constexpr std::string_view kTwoByte =
    "mmmmx-----x-xm-Bmmmmmmmmmmmmmmmm"   // 00
    "mmmmxxxxmmmmmmmm------x-xxxxxxxx"   // 20
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"   // 40
    "mmmmmmmmmmmmmmmmBBBBmmm-mmxxmmmm"   // 60
    "jjjjjjjjjjjjjjjjmmmmmmmmmmmmmmmm"   // 80
    "---mBmxx---mBmmmmmmmmmmmmmBmmmmm"   // a0
    "mmBmBBBm--------mmmmmmmmmmmmmmmm"   // c0
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";  // e0
static_assert(kOneByte.size() == 256 && kTwoByte.size() == 256);

class X86Decoder {
 public:
  explicit X86Decoder(Bytes code) : in_(code.first(std::min<std::size_t>(code.size(), 15))) {}

  KnownLength read() {
    std::uint8_t opcode = in_.u8();
    while (is_prefix(opcode)) opcode = in_.u8();
    if ((opcode & 0xf0) == 0x40) {
      wide_ = opcode & 8;
      opcode = in_.u8();
    }
    bool leaves = false;
    if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
      read_vector(opcode);
    } else if (opcode == 0x0f) {
      read_two_byte();
    } else {
      const std::uint8_t operation = peek() >> 3 & 7;
      leaves = is_leaving(opcode) || (opcode == 0xff && (operation == 2 || operation == 3));
      follow(kOneByte[opcode]);
    }
    return {known_ && in_.ok() ? in_.position() : 0, leaves};
  }

 private:
  bool is_prefix(std::uint8_t byte) {
    if (byte == 0x66) short_ = true;
    if (byte == 0x67) short_address_ = true;
    constexpr std::string_view kPrefixes = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
    return in_.ok() && kPrefixes.find(static_cast<char>(byte)) != kPrefixes.npos;
  }
  /// Returns true for returns, jumps and calls, but not for indirect jumps, as
  /// isUnconditionalBranch() in llvm-profgen.
  static bool is_leaving(std::uint8_t opcode) {
    constexpr std::string_view kLeaving = "\xc2\xc3\xca\xcb\xcf\xe8\xe9\xeb";
    return kLeaving.find(static_cast<char>(opcode)) != kLeaving.npos;
  }

  std::uint8_t peek() const {
    Cursor ahead = in_;
    return ahead.u8();
  }

  void read_two_byte() {
    const std::uint8_t opcode = in_.u8();
    if (opcode == 0x38 || opcode == 0x3a) {
      in_.skip(1);
      return follow(opcode == 0x38 ? 'm' : 'B');
    }
    follow(kTwoByte[opcode]);
  }

  /// VEX with two or three bytes, EVEX.
  void read_vector(std::uint8_t prefix) {
    const std::uint8_t first = prefix == 0xc5 ? 1 : in_.u8();
    const unsigned map = prefix == 0xc5 ? 1 : first & (prefix == 0x62 ? 7 : 31);
    in_.skip(prefix == 0x62 ? 2 : 1);
    const std::uint8_t opcode = in_.u8();
    if (map == 1) return follow(opcode == 0x77 ? '-' : kTwoByte[opcode] == 'B' ? 'B' : 'm');
    known_ = map == 2 || map == 3 || map == 5 || map == 6;
    follow(map == 3 ? 'B' : 'm');
  }

  void follow(char what) {
    const unsigned z = short_ && !wide_ ? 2 : 4;
    const std::uint8_t operation = peek() >> 3 & 7;
    switch (what) {
      case '-':
        return;
      case 'b':
        return in_.skip(1);
      case 'w':
        return in_.skip(2);
      case 'e':
        return in_.skip(3);
      case 'j':
        return in_.skip(4);
      case 'z':
        return in_.skip(z);
      case 'v':
        return in_.skip(wide_ ? 8 : z);
      case 'o':
        return in_.skip(short_address_ ? 4 : 8);
      case 'm':
        return operand(0);
      case 'B':
        return operand(1);
      case 'Z':
        return operand(z);
      case 't':
        return operand(operation < 2 ? 1 : 0);
      case 'T':
        return operand(operation < 2 ? z : 0);
      default:
        known_ = false;
    }
  }

  /// ModRM, its operands, and immediate bytes.
  void operand(unsigned more) {
    const std::uint8_t byte = in_.u8(), mode = byte >> 6, base = byte & 7;
    std::uint8_t sib_base = base;
    if (mode != 3 && base == 4) sib_base = in_.u8() & 7;
    if (mode == 1) in_.skip(1);
    if (mode == 2 || (mode == 0 && sib_base == 5)) in_.skip(4);
    in_.skip(more);
  }

  Cursor in_;
  bool wide_ = false, short_ = false, short_address_ = false, known_ = true;
};

}  // namespace

KnownLength x86_length(Bytes code) { return X86Decoder(code).read(); }

// intel_pt_insn_decoder() of tools/perf/util/intel-pt-decoder.
bool x86_diverts(Bytes code) {
  constexpr std::string_view kPrefixes = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
  constexpr std::string_view kDiverting = "\x9a\xc2\xc3\xca\xcb\xcc\xcd\xce\xcf\xe8\xe9\xea\xeb";
  constexpr std::string_view kAfter0f = "\x05\x07\x34\x35";  // SYSCALL, SYSRET, SYSENTER, SYSEXIT
  const auto is_in = [](std::string_view bytes, std::uint8_t byte) {
    return bytes.find(static_cast<char>(byte)) != bytes.npos;
  };
  Cursor in(code);
  std::uint8_t opcode = in.u8();
  while (in.ok() && (is_in(kPrefixes, opcode) || (opcode & 0xf0) == 0x40)) opcode = in.u8();
  const std::uint8_t next = in.u8();
  if (opcode == 0x0f) return is_in(kAfter0f, next);
  const unsigned operation = next >> 3 & 7;
  return is_in(kDiverting, opcode) || (opcode == 0xff && operation >= 2 && operation <= 5);
}

}  // namespace evname::instructions
