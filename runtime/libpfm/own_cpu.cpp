#include "libpfm/own_cpu.hpp"

#include <cstring>
#include <string_view>
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/letters.hpp"
#include "libpfm/lines.hpp"

#if (defined(__i386__) || defined(__x86_64__)) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 33)
#define EVNAME_HAS_KNOWN_LEAVES
/// Declared as in <sys/platform/x86.h>, which not every C++ compiler accepts: the registers a to d
/// of a leaf as the CPU reports them, and the usable part of them.
struct cpuid_feature {
  unsigned cpuid[4], active[4];
};
extern "C" const cpuid_feature* __x86_get_cpuid_feature_leaf(unsigned leaf);
#endif
#endif

namespace evname::libpfm {
namespace {

using pfm4::CpuNumber;
using pfm4::Maker;

Maker maker_of(std::string_view vendor) {
  return vendor == "GenuineIntel"   ? Maker::intel
         : vendor == "AuthenticAMD" ? Maker::amd
                                    : Maker::none;
}

#if defined(__i386__) || defined(__x86_64__)

/// The registers of one leaf of CPUID.
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

/// Asks the CPU itself, since the kernel may take milliseconds to write cpuinfo. In a virtual
/// machine each leaf causes an exit, which takes longer than everything else here.
Registers cpuid(unsigned leaf) {
  Registers out;
  __cpuid(leaf, out.a, out.b, out.c, out.d);
  return out;
}

/// Returns the leaf of family, model and stepping, which the C library reads when the program
/// starts.
unsigned version_leaf() {
#ifdef EVNAME_HAS_KNOWN_LEAVES
  const cpuid_feature* leaf = __x86_get_cpuid_feature_leaf(0);  // its first leaf: 1
  if (leaf != nullptr && leaf->cpuid[0] != 0) return leaf->cpuid[0];
#endif
  return cpuid(1).a;
}

Cpus x86_cpus() {
  const Registers vendor = cpuid(0);
  char name[12];
  std::memcpy(name, &vendor.b, 4);
  std::memcpy(name + 4, &vendor.d, 4);
  std::memcpy(name + 8, &vendor.c, 4);
  const unsigned version = version_leaf();
  unsigned family = version >> 8 & 0xf, model = version >> 4 & 0xf;
  if (family >= 6) model += (version >> 16 & 0xf) << 4;
  if (family == 15) family += version >> 20 & 0xff;
  Cpus out;
  out.arch = pfm4::kX86;
  out.add({maker_of({name, sizeof name}), static_cast<std::uint8_t>(version & 15),
           family << 16 | model});
  return out;
}

#endif

/// Reads a number from the beginning of a text, with "0x" or in the base.
std::uint32_t number_in(std::string_view text, unsigned base = 10) {
  if (text.size() > 2 && starts_ignoring_case(text, "0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint32_t out = 0;
  for (const char letter : text) {
    const unsigned digit = digit_value(letter);
    if (digit >= base) break;
    out = out * base + digit;
  }
  return out;
}

/// Collects the fields of cpuinfo, which have other names on each architecture.
class CpuinfoReader {
 public:
  explicit CpuinfoReader(Cpus& cpus) : cpus_(cpus) {}

  /// Returns false if nothing more is wanted.
  bool take(std::string_view key, std::string_view value) {
    if (key == "vendor_id") {
      if (value == "IBM/S390") {
        cpus_.arch = pfm4::kS390;
        return false;
      }
      x86_.maker = maker_of(value);
    } else if (key == "cpu family") {
      x86_.number = number_in(value) << 16 | (x86_.number & 0xffff);
    } else if (key == "model") {
      cpus_.arch = pfm4::kX86;
      x86_.number = (x86_.number & 0xffff0000) | (number_in(value) & 0xffff);
    } else if (key == "stepping") {
      x86_.stepping = static_cast<std::uint8_t>(number_in(value) & 15);
      return false;  // the other CPUs are the same
    } else if (key == "CPU implementer") {
      implementer_ = number_in(value) & 0xff;
    } else if (key == "CPU architecture") {
      // Early kernels wrote "AArch64".
      cpus_.arch = value != "AArch64" && number_in(value) < 8 ? pfm4::kArm : pfm4::kArm64;
    } else if (key == "CPU part") {
      cpus_.add({Maker::arm, 0, implementer_ << 16 | (number_in(value) & 0xfff)});
    } else if (const auto at = value.find("(pvr "); key == "revision" && at != value.npos) {
      value.remove_prefix(at + 5);
      cpus_.arch = pfm4::kPowerpc;
      cpus_.add({Maker::power, 0, number_in(value, 16)});
      return false;
    }
    return true;
  }
  void finish() {
    if (cpus_.arch == pfm4::kX86) cpus_.add(x86_);
  }

 private:
  Cpus& cpus_;
  CpuNumber x86_;
  std::uint32_t implementer_ = 0;
};

}  // namespace

void Cpus::add(CpuNumber cpu) {
  for (const CpuNumber& known : all())
    if (known.maker == cpu.maker && known.number == cpu.number) return;
  if (count_ < kLimit) cpus_[count_++] = cpu;
}

Cpus own_cpus() {
#if defined(__i386__) || defined(__x86_64__)
  return x86_cpus();
#else
  return cpus_of_cpuinfo("/proc/cpuinfo");
#endif
}

Cpus cpus_of_cpuinfo(const char* path) {
  Cpus out;
  CpuinfoReader reader(out);
  Lines lines(path);
  for (std::string_view line; lines.next(line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view key(line.data(), colon);
    line.remove_prefix(colon + 1);
    if (!reader.take(trimmed(key), trimmed(line))) break;
  }
  reader.finish();
  return out;
}

}  // namespace evname::libpfm
