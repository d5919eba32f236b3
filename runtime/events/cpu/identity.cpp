#include "events/cpu/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/glob.hpp"
#include "base/text.hpp"

namespace evname::cpu {
namespace {

/// The table leads from `uname -m` to a directory of arch/; the first glob that matches counts.
struct MachineRow {
  std::string_view machine;
  std::string_view arch;
};
constexpr MachineRow kMachines[] = {
    {"x86_64", "x86"},       {"i?86", "x86"},     {"x86", "x86"},      {"amd64", "x86"},
    {"aarch64*", "arm64"},   {"arm64*", "arm64"}, {"arm*", "arm"},     {"ppc*", "powerpc"},
    {"powerpc*", "powerpc"}, {"s390*", "s390"},   {"riscv*", "riscv"}, {"loongarch*", "loongarch"},
};

bool is_hex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_hex_digit);
}

bool is_decimal(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Returns the digits after "0x"; nullopt if there is anything else.
std::optional<std::string_view> hex_digits(std::string_view text) {
  if (!text.starts_with("0x") || !is_hex(text.substr(2))) return std::nullopt;
  return text.substr(2);
}

std::optional<std::uint32_t> parse_u32(std::string_view text) {
  const auto value = parse_decimal(text);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

/// Returns true if 8 digits are a MIDR_EL1. It has an implementer (bits 31:24) and architecture 0xf
/// (bits 19:16); no PowerPC version register has both.
bool looks_like_midr(std::string_view digits) {
  const std::uint64_t value = parse_hex(digits).value_or(0);
  return (value >> 24) != 0 && ((value >> 16) & 0xf) == 0xf;
}

/// Returns "arm" for CPUs of Arm without a 64-bit state: parts 0xb.. and 0xc.., Cortex-A32 and
/// Cortex-R52.
std::string arch_of_midr(std::string_view digits) {
  const std::uint64_t value = parse_hex(digits).value_or(0);
  const std::uint64_t part = value >> 4 & 0xfff;
  const bool old = part >> 8 == 0xb || part >> 8 == 0xc || part == 0xd01 || part == 0xd13;
  return value >> 24 == 0x41 && old ? "arm" : "arm64";
}

bool is_riscv(std::string_view cpuid) {
  const auto parts = split(cpuid, '-');
  return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return hex_digits(part).has_value();
         });
}

bool is_powerpc_pair(std::string_view cpuid) {
  const auto parts = split(cpuid, ',');
  return parts.size() == 2 && is_decimal(parts[0]) && is_decimal(parts[1]);
}

/// Returns true for VENDOR-family-model[-stepping] and VENDOR,family,model,stepping.
bool is_x86(std::string_view cpuid) {
  const auto commas = split(cpuid, ',');
  if (commas.size() == 4 && !commas[0].empty())
    return is_decimal(commas[1]) && is_decimal(commas[2]) && is_decimal(commas[3]);
  const auto dashes = split(cpuid, '-');
  if ((dashes.size() != 3 && dashes.size() != 4) || dashes[0].empty()) return false;
  return !hex_digits(dashes[0]) && is_decimal(dashes[1]) &&
         std::all_of(dashes.begin() + 2, dashes.end(), is_hex);
}

/// Returns true for MANUFACTURER,TYPE,MODEL…: types of s390 machines have four digits; QEMU signs
/// as manufacturer.
bool is_s390(std::string_view cpuid) {
  const auto parts = split(cpuid, ',');
  return parts.size() >= 3 && !parts[0].empty() && !is_decimal(parts[0]) && parts[1].size() == 4 &&
         is_decimal(parts[1]);
}

std::string x86_lookup(std::string_view cpuid) {
  const auto parts = split(cpuid, ',');
  if (parts.size() != 4) return std::string(cpuid);
  const auto family = parse_u32(parts[1]), model = parse_u32(parts[2]), step = parse_u32(parts[3]);
  if (!family || !model || !step) return std::string(cpuid);
  return fmt::format("{}-{}-{:X}-{:X}", parts[0], *family, *model, *step);
}

std::string powerpc_lookup(std::string_view cpuid) {
  const auto parts = split(cpuid, ',');
  if (parts.size() == 2) {
    const auto version = parse_u32(parts[0]), revision = parse_u32(parts[1]);
    if (!version || !revision || *version > 0xffff || *revision > 0xffff) return std::string(cpuid);
    return fmt::format("{:#010x}", *version << 16 | *revision);
  }
  const auto digits = hex_digits(cpuid);
  const auto value = digits ? parse_hex(*digits) : std::nullopt;
  return value ? fmt::format("{:#010x}", *value) : std::string(cpuid);
}

std::string arm64_lookup(std::string_view cpuid) {
  const auto digits = hex_digits(cpuid);
  const auto value = digits ? parse_hex(*digits) : std::nullopt;
  return value ? fmt::format("{:#018x}", *value) : std::string(cpuid);
}

}  // namespace

std::string tables_arch(std::string_view machine) {
  for (const MachineRow& row : kMachines)
    if (glob_match(row.machine, machine)) return std::string(row.arch);
  return std::string(machine);
}

std::string arch_of_cpuid(std::string_view cpuid) {
  if (cpuid.starts_with("IBM,")) return "s390";
  if (const auto digits = hex_digits(cpuid)) {
    if (digits->size() == 16) return arch_of_midr(*digits);
    if (digits->size() == 8) return looks_like_midr(*digits) ? arch_of_midr(*digits) : "powerpc";
    return "";
  }
  if (is_riscv(cpuid)) return "riscv";
  if (cpuid.starts_with("Loongson-")) return "loongarch";
  if (is_powerpc_pair(cpuid)) return "powerpc";
  if (is_x86(cpuid)) return "x86";
  return is_s390(cpuid) ? "s390" : "";
}

std::string lookup_cpuid(std::string_view arch, std::string_view cpuid) {
  if (arch == "x86") return x86_lookup(cpuid);
  if (arch == "powerpc") return powerpc_lookup(cpuid);
  if (arch == "arm64" || arch == "arm") return arm64_lookup(cpuid);
  return std::string(cpuid);
}

}  // namespace evname::cpu
