#include <array>
#include <bit>
#include <initializer_list>

#include "events/pfm4/chosen.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

constexpr std::uint8_t kFirstOfFam10h = 8, kFam11h = 11;  // revisions of AMD's cores

bool has_guests(const Pmu& pmu) {
  return pmu.revision >= kFirstOfFam10h && pmu.revision != kFam11h;
}

bool can_be_precise(const Pmu& pmu, const Event& event) {
  const Dictionary names = dictionary();
  if ((names.traits_of(event).flags & kPrecise) != 0 || (event.flags & kHasPreciseMask) != 0)
    return true;
  if ((event.flags & kHasOthersMask) == 0) return false;
  for (const Mask& mask : names.masks_of(event)) {
    const Traits& traits = names.traits_of(mask);
    if (has(pmu, traits) && (traits.flags & kPrecise) != 0) return true;
  }
  return false;
}

constexpr std::uint32_t bit_of(OsModifier modifier) {
  return 1u << static_cast<unsigned>(modifier);
}
constexpr std::uint32_t bits_of(std::initializer_list<OsModifier> modifiers) {
  std::uint32_t out = 0;
  for (const OsModifier modifier : modifiers) out |= bit_of(modifier);
  return out;
}
constexpr std::uint32_t kAll = (1u << kOsModifiers.size()) - 1;
constexpr std::uint32_t kSampling =
    bits_of({OsModifier::freq, OsModifier::precise, OsModifier::period});
constexpr std::uint32_t kLevelsAndMachines =
    bits_of({OsModifier::u, OsModifier::k, OsModifier::mg, OsModifier::mh});
constexpr std::uint32_t kHypervisorBit = bit_of(OsModifier::h);
constexpr std::uint32_t kPreciseBit = bit_of(OsModifier::precise);
constexpr std::uint32_t kHardwareBit = bit_of(OsModifier::hw_smpl);
constexpr std::uint32_t kPlainInterface = [] {
  std::uint32_t out = 0;
  for (const auto& row : kOsModifiers)
    if (is_of_plain_interface(row.key)) out |= bit_of(row.key);
  return out;
}();

/// The modifiers that boxes and cores of Intel refuse: levels and sampling without support of the
/// PMU.
std::uint32_t refused_by_intel(const Pmu& pmu) {
  std::uint32_t out = kHypervisorBit;
  if ((pmu.flags & kNoSampling) != 0) out |= kSampling;
  if (pmu.levels == 0) out |= kLevelsAndMachines;
  return out;
}

std::uint32_t refused_by_core(const Pmu& pmu, const Event& event) {
  const bool precise = can_be_precise(pmu, event);
  std::uint32_t out = refused_by_intel(pmu);
  if (!precise) out |= kPreciseBit;
  if (precise || (pmu.flags & kExtendedPebs) == 0) out |= kHardwareBit;
  return out;
}

std::uint32_t refused_by_generic(const Event& event, std::uint8_t levels) {
  constexpr std::uint32_t kHardware = 0, kHardwareCache = 3;  // attr.type
  const std::uint32_t type = dictionary().traits_of(event).required;
  if (type != kHardware && type != kHardwareCache) return kPreciseBit | kHypervisorBit;
  return ((levels & kHypervisor) != 0 ? 0 : kHypervisorBit) |
         ((levels & kUser) != 0 ? 0 : bit_of(OsModifier::u)) |
         ((levels & kKernel) != 0 ? 0 : bit_of(OsModifier::k));
}

/// Returns the bits of the kernel's modifiers that an event does not take.
std::uint32_t refused_by(const Pmu& pmu, const Event& event, std::uint8_t levels) {
  if (pmu.layout == Layout::raw) return 0;
  if ((pmu.flags & kNoOsModifiers) != 0) return kAll;
  switch (pmu.layout) {
    case Layout::intel:
    case Layout::nehalem_uncore:
      return refused_by_core(pmu, event);
    case Layout::generic:
      return kHardwareBit | refused_by_generic(event, levels);
    case Layout::uncore:
      return kHardwareBit | kPreciseBit | refused_by_intel(pmu);
    case Layout::netburst:
      return kHardwareBit | kPreciseBit | kHypervisorBit;
    case Layout::amd:
      return kHardwareBit | kPreciseBit | (has_guests(pmu) ? 0 : kHypervisorBit);
    case Layout::plain:
      if (pmu.archs == kX86 && pmu.revision == 0) return refused_by_core(pmu, event);
      return kHardwareBit | kPreciseBit | (pmu.archs == kX86 ? kHypervisorBit : 0);
    default:
      return kHardwareBit | kPreciseBit;
  }
}

/// Returns the bits of the modifiers that only the interfaces of perf_event have.
constexpr std::uint32_t levels_of(Layout layout) {
  if (layout == Layout::mips) return ~0u;
  std::uint32_t out = 0;
  const auto known = modifiers_of(layout);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::string_view name = known[i].name;
    if (name == "k" || name == "u" || name == "hv" || (name == "h" && layout == Layout::amd))
      out |= 1u << i;
  }
  return out;
}

constexpr std::size_t kLayouts = static_cast<std::size_t>(Layout::raw) + 1;
static_assert(!is_enumerator<static_cast<Layout>(kLayouts)>());
constexpr auto kLevelsOf = [] {
  std::array<std::uint32_t, kLayouts> out{};
  for (std::size_t i = 0; i < kLayouts; ++i) out[i] = levels_of(static_cast<Layout>(i));
  return out;
}();
constexpr auto kKnownTo = [] {
  std::array<std::uint32_t, kLayouts> out{};
  for (std::size_t i = 0; i < kLayouts; ++i)
    out[i] = (1u << modifiers_of(static_cast<Layout>(i)).size()) - 1;
  // libpfm4 has modifiers of IBM's Torrent in its tables, but accepts none.
  out[static_cast<std::size_t>(Layout::torrent)] = 0;
  return out;
}();

}  // namespace

std::uint32_t own_modifiers(const Pmu& pmu, const Event& event, Os os) {
  const auto layout = static_cast<std::size_t>(pmu.layout);
  const std::uint32_t taken =
      pmu.layout == Layout::netburst ? ~0u : dictionary().traits_of(event).modifiers;
  return taken & kKnownTo[layout] & (os == Os::none ? ~0u : ~kLevelsOf[layout]);
}

std::uint32_t os_modifiers(const Pmu& pmu, const Event& event, Os os, std::uint8_t levels) {
  if (os == Os::none) return 0;
  return ~refused_by(pmu, event, levels) & (os == Os::perf_event ? kPlainInterface : kAll);
}

AttributeList::AttributeList(const Pmu& pmu, const Event& event, Os os, std::uint8_t levels)
    : pmu_(&pmu),
      event_(&event),
      masks_(event.mask_count),
      own_(own_modifiers(pmu, event, os)),
      of_os_(os_modifiers(pmu, event, os, levels)) {
  if ((event.flags & kHasOthersMask) == 0) return;
  const Dictionary names = dictionary();
  masks_ = 0;
  for (const Mask& mask : names.masks_of(event)) masks_ += has(pmu, names.traits_of(mask));
}

std::size_t AttributeList::size() const {
  return masks_ + static_cast<unsigned>(std::popcount(own_) + std::popcount(of_os_));
}

Attribute AttributeList::mask_at(std::size_t position) const {
  if ((event_->flags & kHasOthersMask) == 0)
    return {static_cast<std::uint16_t>(position), Attribute::Kind::mask, false};
  const Dictionary names = dictionary();
  const auto masks = names.masks_of(*event_);
  std::size_t i = 0;
  for (;; ++i)
    if (has(*pmu_, names.traits_of(masks[i])) && position-- == 0) break;
  return {static_cast<std::uint16_t>(i), Attribute::Kind::mask, false};
}

Attribute AttributeList::operator[](std::size_t position) const {
  if (position < masks_) return mask_at(position);
  position -= masks_;
  const auto own = static_cast<std::size_t>(std::popcount(own_));
  const bool of_os = position >= own;
  std::uint32_t bits = of_os ? of_os_ : own_;
  for (std::size_t i = of_os ? position - own : position; i > 0; --i) bits &= bits - 1;
  const auto index = static_cast<std::uint16_t>(std::countr_zero(bits));
  const Modifier& known = of_os ? kOsModifiers[OsModifier{static_cast<std::uint8_t>(index)}].value
                                : modifiers_of(pmu_->layout)[index];
  return {index, known.is_number ? Attribute::Kind::number : Attribute::Kind::boolean, of_os};
}

}  // namespace evname::pfm4
