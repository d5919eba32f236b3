#include "libpfm/library.hpp"

#include "events/pfm4/known_modifiers.hpp"
#include "libpfm/event_texts.hpp"

namespace evname::libpfm {
namespace {

using pfm4::Layout;

/// Callers expect that every event has a description.
const char* or_name(const char* text, const char* name) { return text != nullptr ? text : name; }

const char* text_or_null(const char* text) { return *text == '\0' ? nullptr : text; }

bool is_intel(const pfm4::Pmu& pmu) {
  return pmu.layout == Layout::intel || pmu.layout == Layout::nehalem_uncore ||
         pmu.layout == Layout::uncore;
}

unsigned speculation_of(const pfm4::Pmu& pmu, const pfm4::Event& event) {
  if (!is_intel(pmu) || (pmu.flags & pfm4::kSpeculation) == 0) return kSpeculationUnknown;
  return (pfm4::dictionary().traits_of(event).flags & pfm4::kSpeculative) != 0 ? kSpeculative
                                                                               : kNotSpeculative;
}

/// libpfm4 shows Intel's unit masks without the byte of the event.
std::uint64_t mask_code(const pfm4::Pmu& pmu, const pfm4::Mask& mask, const pfm4::Traits& traits) {
  if (!is_intel(pmu)) return mask.code;
  return (traits.flags & pfm4::kOverride) != 0 ? mask.code : mask.code >> 8;
}

void describe_mask(const pfm4::Pmu& pmu, const pfm4::Event& event, std::size_t index,
                   AttributeInfo& info) {
  const pfm4::Dictionary names = pfm4::dictionary();
  const pfm4::Mask& mask = names.masks_of(event)[index];
  const pfm4::Traits& traits = names.traits_of(mask);
  info.name = names.text(mask.name);
  info.desc = or_name(description_of(event, index), info.name);
  info.equiv = text_or_null(names.text(traits.alias));
  info.code = mask_code(pmu, mask, traits);
  info.type = kUnitMaskAttribute;
  info.is_dfl = pmu.layout != Layout::generic && (traits.flags & pfm4::kDefault) != 0;
  if (pmu.layout == Layout::intel || pmu.layout == Layout::nehalem_uncore) {
    const bool refuses = (traits.flags & pfm4::kNoModifiers) != 0;
    info.support_no_mods = refuses;
    info.is_precise = !refuses && (traits.flags & pfm4::kPrecise) != 0;
    info.support_hw_smpl = !refuses && (info.is_precise || (pmu.flags & pfm4::kExtendedPebs) != 0);
    info.is_speculative = speculation_of(pmu, event) & 3;
  } else if (pmu.layout == Layout::uncore || pmu.layout == Layout::generic) {
    info.is_precise = (traits.flags & pfm4::kPrecise) != 0;
    info.support_hw_smpl = pmu.layout == Layout::generic && info.is_precise;
  }
}

}  // namespace

const pfm4::Event kRawCodeEvent{};

void describe_event(const pfm4::Pmu& pmu, const pfm4::Event& event, EventInfo& info) {
  const pfm4::Dictionary names = pfm4::dictionary();
  info.dtype = kDataUint64;
  if (pmu.layout == Layout::raw) {
    info.name = "r0000";
    info.desc = "raw code of the core's PMU: r and hexadecimal digits";
    return;
  }
  const pfm4::Traits& traits = names.traits_of(event);
  info.name = names.text(event.name);
  info.desc = or_name(description_of(event), info.name);
  info.equiv = text_or_null(names.text(traits.alias));
  // The kernel's table adds its number above the Pentium 4's bits.
  info.code = pmu.layout == Layout::netburst ? event.code & 0xffff : event.code;
  if (is_intel(pmu) || pmu.layout == Layout::generic) {
    info.is_precise = (traits.flags & pfm4::kPrecise) != 0;
    info.support_hw_smpl =
        info.is_precise || (is_intel(pmu) && (pmu.flags & pfm4::kExtendedPebs) != 0);
    info.is_speculative = speculation_of(pmu, event) & 3;
  }
}

void describe_attribute(const pfm4::Pmu& pmu, const pfm4::Event& event, pfm4::Attribute attribute,
                        AttributeInfo& info) {
  info.ctrl = attribute.of_os ? kControlPerfEvent : kControlPmu;
  if (attribute.kind == pfm4::Attribute::Kind::mask)
    return describe_mask(pmu, event, attribute.index, info);
  const pfm4::Modifier& known =
      attribute.of_os ? pfm4::kOsModifiers[static_cast<pfm4::OsModifier>(attribute.index)].value
                      : pfm4::modifiers_of(pmu.layout)[attribute.index];
  info.name = known.name;
  info.desc = known.meaning;
  info.code = attribute.index;
  info.type = attribute.kind == pfm4::Attribute::Kind::number ? kInteger : kBoolean;
}

}  // namespace evname::libpfm
