#include "events/packing/default_config.hpp"

#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace evname::packing {
namespace {

constexpr std::string_view kIntelPt = "intel_pt", kCoreSight = "cs_etm", kArmSpe = "arm_spe_";

/// A cap, in hexadecimal as the driver writes it.
std::uint64_t cap_of(const pmu::Pmu& pmu, std::string_view name, std::uint64_t unknown) {
  const std::string* const text = pmu.find_cap(name);
  return text == nullptr ? unknown : parse_number("0x" + *text).value_or(unknown);
}

/// Of the periods that a cap has a bit each for: the longest up to number 3, else the shortest.
std::optional<std::uint64_t> period_of(std::uint64_t periods) {
  constexpr std::uint64_t kUpTo3 = 0xf;
  if (periods == 0) return std::nullopt;
  if (const std::uint64_t low = periods & kUpTo3; low != 0) return std::bit_width(low) - 1;
  return std::countr_zero(periods);
}

std::optional<std::uint64_t> one_if(bool on) {
  return on ? std::optional<std::uint64_t>(1) : std::nullopt;
}

}  // namespace

bool has_defaults(const pmu::Pmu& pmu) {
  return pmu.name == kIntelPt || pmu.name == kCoreSight || pmu.name.starts_with(kArmSpe);
}

std::uint64_t default_config(const pmu::Pmu& pmu) {
  if (pmu.name != kIntelPt) return 0;
  const std::uint64_t mtc_periods = cap_of(pmu, "mtc", 1) != 0 ? cap_of(pmu, "mtc_periods", 0) : 0;
  const bool has_psb = cap_of(pmu, "psb_cyc", 1) != 0 && mtc_periods != 0;
  const std::uint64_t psb_periods = has_psb ? cap_of(pmu, "psb_periods", 0) : 0;
  const bool has_pt = pmu.find_format("pt") != nullptr && pmu.find_format("branch") != nullptr;
  struct Default {
    std::string_view field;
    std::optional<std::uint64_t> value;
  };
  const Default defaults[] = {
      {"tsc", 1},
      {"mtc", one_if(mtc_periods != 0)},
      {"mtc_period", period_of(mtc_periods)},
      {"psb_period", period_of(psb_periods)},
      {"pt", one_if(has_pt)},
      {"branch", one_if(has_pt)},
  };
  std::uint64_t config = 0;
  for (const auto& [field, value] : defaults) {
    if (!value) continue;
    const pmu::Format* const format = pmu.find_format(field);
    const bool fits = format != nullptr && format->word == 0;
    const auto bits = fits ? format->pack(*value) : std::nullopt;
    if (!bits) return 0;  // as perf, which then sets nothing
    config |= *bits;
  }
  return config;
}

std::uint64_t default_period(const pmu::Pmu& pmu) {
  constexpr std::uint64_t kLongest = 4096;  // that PMSIDR_EL1.INTERVAL can name
  if (pmu.name == kCoreSight) return 1;
  if (!pmu.name.starts_with(kArmSpe)) return 0;
  const std::string* const text = pmu.find_cap("min_interval");
  return text == nullptr ? kLongest : parse_number(*text).value_or(kLongest);
}

}  // namespace evname::packing
