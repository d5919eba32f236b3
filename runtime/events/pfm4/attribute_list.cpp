#include "events/pfm4/encode_name.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

constexpr std::uint8_t kFirstOfFam10h = 8, kFam11h = 11;  // revisions of AMD's cores

bool has_guests(const Pmu& pmu) {
  return pmu.revision >= kFirstOfFam10h && pmu.revision != kFam11h;
}

bool can_be_precise(const Pmu& pmu, const Event& event) {
  const Dictionary& names = dictionary();
  if ((names.traits_of(event).flags & kPrecise) != 0) return true;
  for (const Mask& mask : names.masks_of(event)) {
    const Traits& traits = names.traits_of(mask);
    if (has(pmu, traits) && (traits.flags & kPrecise) != 0) return true;
  }
  return false;
}

bool is_of_sampling(OsModifier modifier) {
  return modifier == OsModifier::freq || modifier == OsModifier::precise ||
         modifier == OsModifier::period;
}

bool is_of_levels(OsModifier modifier) {
  return modifier == OsModifier::u || modifier == OsModifier::k || modifier == OsModifier::mg ||
         modifier == OsModifier::mh;
}

/// Boxes and cores of Intel: levels and sampling only if the PMU can.
bool intel_takes(const Pmu& pmu, OsModifier modifier) {
  if (modifier == OsModifier::h) return false;
  if ((pmu.flags & kNoSampling) != 0 && is_of_sampling(modifier)) return false;
  return pmu.levels != 0 || !is_of_levels(modifier);
}

bool generic_takes(const Event& event, OsModifier modifier, std::uint8_t levels) {
  constexpr std::uint32_t kHardware = 0, kHardwareCache = 3;  // attr.type
  const std::uint32_t type = dictionary().traits_of(event).required;
  if (type != kHardware && type != kHardwareCache)
    return modifier != OsModifier::precise && modifier != OsModifier::h;
  return (modifier != OsModifier::h || (levels & kHypervisor) != 0) &&
         (modifier != OsModifier::u || (levels & kUser) != 0) &&
         (modifier != OsModifier::k || (levels & kKernel) != 0);
}

bool takes_os(const Pmu& pmu, const Event& event, OsModifier modifier, std::uint8_t levels) {
  const bool is_precise = modifier == OsModifier::precise;
  if (pmu.layout == Layout::raw) return true;
  if ((pmu.flags & kNoOsModifiers) != 0) return false;
  if (pmu.layout == Layout::intel || pmu.layout == Layout::nehalem_uncore ||
      (pmu.layout == Layout::plain && pmu.archs == kX86 && pmu.revision == 0)) {
    const bool precise = can_be_precise(pmu, event);
    if (is_precise && !precise) return false;
    if (modifier == OsModifier::hw_smpl && (precise || (pmu.flags & kExtendedPebs) == 0))
      return false;
    return intel_takes(pmu, modifier);
  }
  if (modifier == OsModifier::hw_smpl) return false;
  if (pmu.layout == Layout::generic) return generic_takes(event, modifier, levels);
  if (is_precise) return false;
  switch (pmu.layout) {
    case Layout::uncore:
      return intel_takes(pmu, modifier);
    case Layout::netburst:
      return modifier != OsModifier::h;
    case Layout::amd:
      return modifier != OsModifier::h || has_guests(pmu);
    case Layout::plain:
      return modifier != OsModifier::h || pmu.archs != kX86;
    default:
      return true;
  }
}

}  // namespace

AttributeList::AttributeList(const Pmu& pmu, const Event& event, Os os, std::uint8_t levels) {
  const Dictionary& names = dictionary();
  const auto masks = names.masks_of(event);
  for (std::size_t i = 0; i < masks.size(); ++i)
    if (has(pmu, names.traits_of(masks[i])))
      add({static_cast<std::uint16_t>(i), Attribute::Kind::mask, false});
  const auto known = modifiers_of(pmu.layout);
  const std::uint32_t taken =
      pmu.layout == Layout::netburst ? ~0u : names.traits_of(event).modifiers;
  for (std::size_t i = 0; i < known.size(); ++i) {
    // The interface has levels of its own.
    const std::string_view name = known[i].name;
    const bool is_level = name == "k" || name == "u" ||
                          (name == "h" && pmu.layout == Layout::amd) || name == "hv" ||
                          pmu.layout == Layout::mips;
    if ((taken >> i & 1) == 0 || (os != Os::none && is_level)) continue;
    add({static_cast<std::uint16_t>(i),
         known[i].is_number ? Attribute::Kind::number : Attribute::Kind::boolean, false});
  }
  if (os == Os::none) return;
  for (std::size_t i = 0; i < std::size(kOsModifiers); ++i) {
    const auto modifier = static_cast<OsModifier>(i);
    if ((os == Os::perf_event_ext || is_of_plain_interface(modifier)) &&
        takes_os(pmu, event, modifier, levels))
      add({static_cast<std::uint16_t>(i),
           kOsModifiers[i].is_number ? Attribute::Kind::number : Attribute::Kind::boolean, true});
  }
}

const char* name_of(const Pmu& pmu, const Event& event, Attribute attribute) {
  if (attribute.of_os) return kOsModifiers[attribute.index].name;
  if (attribute.kind == Attribute::Kind::mask)
    return dictionary().text(dictionary().masks_of(event)[attribute.index].name);
  return modifiers_of(pmu.layout)[attribute.index].name;
}

}  // namespace evname::pfm4
