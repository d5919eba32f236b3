#include <algorithm>

#include "base/text.hpp"
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

CpuNumber cpu_number(std::string_view cpuid) {
  if (cpuid.starts_with("0x")) {
    const std::uint64_t number = parse_hex(cpuid.substr(2)).value_or(0);
    const auto implementer = static_cast<std::uint32_t>(number >> 24 & 0xff);
    // POWER's version is in the upper half of 32 bits, where Arm has an implementer above 0x40.
    if (implementer == 0) return {Maker::power, 0, static_cast<std::uint32_t>(number >> 16)};
    return {Maker::arm, 0, implementer << 16 | static_cast<std::uint32_t>(number >> 4 & 0xfff)};
  }
  const auto parts = split(cpuid, '-');
  if (parts.size() < 3) return {};
  const Maker maker = parts[0] == "GenuineIntel"   ? Maker::intel
                      : parts[0] == "AuthenticAMD" ? Maker::amd
                                                   : Maker::none;
  const auto family = parse_decimal(parts[1]), model = parse_hex(parts[2]);
  const auto stepping = parts.size() > 3 ? parse_hex(parts[3]) : std::uint64_t{0};
  if (!family || !model || !stepping || *family > 0xffff || *model > 0xffff) return {};
  return {maker, static_cast<std::uint8_t>(*stepping & 15),
          static_cast<std::uint32_t>(*family << 16 | *model)};
}

const Preset* find_preset(std::string_view name) {
  const Dictionary names = dictionary();
  const auto at = std::ranges::find_if(names.presets, [&](const Preset& preset) {
    return equal_ignoring_case(names.text(preset.name), name);
  });
  return at == names.presets.end() ? nullptr : &*at;
}

/// Outside of libpfm.so.4, live events are the ones that evname itself finds, and the events of
/// Intel's architectural PMU. libpfm4 takes version 3 if it can't ask the CPU: the second seven of
/// the sets in arch/pfm4.
std::uint32_t live_sets(const Pmu& pmu) {
  constexpr std::uint32_t kVersion3 = 0x7f << 8;
  return pmu.layout == Layout::intel ? kVersion3 : 0;
}

}  // namespace evname::pfm4
