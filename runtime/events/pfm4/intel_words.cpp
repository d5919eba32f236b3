// Words of Intel's cores and of Nehalem's uncore. Registers: Intel SDM, volume 3, "Performance
// Monitoring".

#include "base/enum_table.hpp"
#include "events/pfm4/intel_masks.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

/// The fields of perfevtsel, by the modifiers' positions in kIntelModifiers.
struct RegisterField {
  unsigned first, width;
};
enum IntelModifier : unsigned { kK, kU, kE, kI, kC, kT, kLdlat, kIntx, kIntxcp, kFeThres };
constexpr auto kFields = enum_values<IntelModifier, RegisterField>({{kK, {17, 1}},
                                                                    {kU, {16, 1}},
                                                                    {kE, {18, 1}},
                                                                    {kI, {23, 1}},
                                                                    {kC, {24, 8}},
                                                                    {kT, {21, 1}},
                                                                    {kLdlat, {}},
                                                                    {kIntx, {32, 1}},
                                                                    {kIntxcp, {33, 1}},
                                                                    {kFeThres, {}}});
static_assert(kFields.size() == std::size(kIntelModifiers));
constexpr std::uint64_t kEnable = 1 << 22, kInterrupt = 1 << 20;

/// The values of modifiers outside of perfevtsel.
struct IntelModifiers {
  std::uint64_t word;       ///< perfevtsel
  std::uint32_t given = 0;  ///< bits of the modifiers, without ldlat
  std::uint64_t ldlat = 0, threshold = 0;

  Error set(unsigned modifier, std::uint64_t value) {
    if (modifier == kLdlat) {
      if (value < 1 || value > 65535) return Error::attribute_value;
      ldlat = value;
      return Error::none;
    }
    given |= 1u << modifier;
    if (modifier == kFeThres) {
      if (value < 1 || value > 4095) return Error::attribute_value;
      threshold = value;
      return Error::none;
    }
    const RegisterField at = kFields[static_cast<IntelModifier>(modifier)].value;
    if (modifier == kC && value > 255) return Error::attribute_value;
    set_field(word, at.first, at.width, at.width == 1 ? value != 0 : value);
    return Error::none;
  }
};

/// Returns the number of bits of a mask that is given as a number.
unsigned raw_mask_width(const Work& work) {
  if ((work.traits().flags & kOffcore) == 0) return 8;
  constexpr unsigned kWestmere = 52, kWestmereDp = 53;  // ids of PMUs
  return work.pmu.id == kWestmere || work.pmu.id == kWestmereDp ? 16 : 38;
}

struct IntelWork {
  MaskSum sum;
  IntelModifiers modifiers;
  std::uint64_t fixed_mask = 0;  ///< of the event's code
  std::uint64_t masks = 0;
};

Error add_intel_mask(Work& work, IntelWork& all, Attribute attribute, std::uint64_t& override) {
  const Traits& traits = work.traits_of(attribute);
  if (const Error error = all.sum.add(work.traits(), traits); error != Error::none) return error;
  const std::uint64_t code = work.mask(attribute).code;
  all.masks |= code >> 8;
  if ((traits.flags & kOverride) == 0) return Error::none;
  if (override != UINT64_MAX && (code & 0xff) != override) return Error::combination;
  override = code & 0xff;
  set_field(all.modifiers.word, 0, 8, override);
  return Error::none;
}

Error take_intel(Work& work, IntelWork& all) {
  std::uint64_t override = UINT64_MAX;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (one.of_os) continue;
    Error error = Error::none;
    if (one.kind == Attribute::Kind::mask) {
      error = add_intel_mask(work, all, one, override);
    } else if (one.kind == Attribute::Kind::raw_mask) {
      if (work.chosen[i].value >> raw_mask_width(work) != 0) return Error::attribute;
      all.masks = work.chosen[i].value;
      all.sum.groups = groups_of(work);
    } else {
      error = all.modifiers.set(one.index, work.chosen[i].value);
    }
    if (error != Error::none) return error;
  }
  return Error::none;
}

/// A modifier that a mask sets may also be given with the same value, as in a fully qualified text.
bool fits_fixed(const IntelWork& all) {
  if ((all.sum.fixed & all.modifiers.given) == 0) return true;
  const std::uint64_t fixed = (all.fixed_mask | all.masks) << 8;
  for (const auto& [modifier, at] : kFields) {
    if (at.width == 0 || (all.sum.fixed & all.modifiers.given & 1u << modifier) == 0) continue;
    if (field(fixed, at.first, at.width) != field(all.modifiers.word, at.first, at.width))
      return false;
  }
  return true;
}

void set_levels(const Work& work, std::uint32_t given, std::uint64_t& word) {
  if ((given & (1u << kK | 1u << kU)) != 0) return;
  const unsigned levels = work.levels & work.pmu.levels;
  if ((levels & kKernel) != 0) word |= 1 << 17;
  if ((levels & kUser) != 0) word |= 1 << 16;
}

Error check_groups(const Work& work, const MaskSum& sum) {
  if (sum.with_first != kNoGroup)
    for (unsigned group = 1; group < kGroups; ++group)
      if (sum.counts[group] != 0 && group != sum.with_first) return Error::combination;
  if (sum.latest == kNoGroup) return Error::none;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (one.kind == Attribute::Kind::mask && work.traits_of(one).group > sum.latest)
      return Error::combination;
  }
  return Error::none;
}

/// The threshold of frontend events is in bits 8 to 19 of their second word.
Error set_threshold(IntelWork& all) {
  constexpr std::uint64_t kLeast = 1;
  if ((all.sum.flags & kThreshold) == 0) return Error::none;
  std::uint64_t& value = all.modifiers.threshold;
  const std::uint64_t of_mask = field(all.masks, 8, 12);
  if (of_mask != 0) {
    const bool is_fixed = (all.sum.fixed & all.modifiers.given & 1u << kFeThres) != 0;
    if (is_fixed && value != of_mask) return Error::attribute_set;
    value = of_mask;
  } else if (value == 0) {
    value = kLeast;
  }
  set_field(all.masks, 8, 12, value);
  return Error::none;
}

void write_intel_modifiers(Work& work, const IntelModifiers& values) {
  work.write_own(kIntelModifiers, [&](unsigned index) {
    const RegisterField at = kFields[static_cast<IntelModifier>(index)].value;
    return index == kLdlat     ? values.ldlat
           : index == kFeThres ? values.threshold
                               : field(values.word, at.first, at.width);
  });
}

/// Adds the word of load latencies, if the masks have one.
Error add_latency(Work& work, IntelWork& all) {
  constexpr std::uint64_t kLeastLatency = 3;
  std::uint64_t& latency = all.modifiers.ldlat;
  const bool is_taken = (all.sum.flags & kLoadLatency) != 0;
  if (!is_taken) return latency != 0 ? Error::attribute : Error::none;
  if (latency == 0) latency = kLeastLatency;
  work.out.codes[1] = latency;
  work.out.count = 2;
  return Error::none;
}

}  // namespace

Error encode_intel(Work& work) {
  IntelWork all{};
  all.modifiers.word = work.event.code;
  all.fixed_mask = work.event.code >> 8 & 0xff;
  all.sum.required = work.traits().required;
  if (const Error error = take_intel(work, all); error != Error::none) return error;
  MaskSum& sum = all.sum;
  IntelModifiers& modifiers = all.modifiers;
  const std::uint32_t event_flags = work.traits().flags;
  if (!sum.has_needed()) return Error::combination;
  if (!fits_fixed(all)) return Error::attribute_set;
  set_levels(work, modifiers.given, modifiers.word);
  const unsigned groups = groups_of(work);
  const unsigned latest = sum.latest;
  if ((sum.groups != groups && (event_flags & kOneGroup) == 0) || sum.groups == 0) {
    const Error error = add_defaults(work, sum.groups ^ groups, sum,
                                     [&](const Mask& mask) { all.masks |= mask.code >> 8; });
    if (error != Error::none) return error;
  }
  sum.latest = latest;  // default masks exclude none
  if (const Error error = check_groups(work, sum); error != Error::none) return error;
  if (sum.required != 0 && modifiers.given != sum.required) return Error::attribute;
  work.write_event();
  if ((event_flags & kFrontend) != 0)
    if (const Error error = set_threshold(all); error != Error::none) return error;
  work.out.count = 1;
  if ((event_flags & (kOffcore | kFrontend)) != 0) {
    work.out.codes[work.out.count++] = all.masks;
    all.masks = 0;
  }
  if (const Error error = add_latency(work, all); error != Error::none) return error;
  modifiers.word |= (all.fixed_mask | all.masks) << 8 | kEnable | kInterrupt;
  work.out.codes[0] = modifiers.word;
  const bool edge = field(modifiers.word, 18, 1) != 0;
  if ((work.pmu.flags & kEdgeCmask) != 0 && edge && field(modifiers.word, 24, 8) == 0)
    return Error::attribute;
  if ((sum.flags & kNoModifiers) == 0) write_intel_modifiers(work, modifiers);
  return Error::none;
}

namespace {

constexpr RegisterField kUncoreFields[] = {{18, 1}, {23, 1}, {24, 8}, {17, 1}};

struct UncoreWork {
  std::uint64_t word = 0, masks = 0;
  std::uint32_t given = 0;  ///< modifiers
  MaskSum sum = {};
};

Error take_nehalem_uncore(Work& work, UncoreWork& all) {
  constexpr unsigned kCounterMask = 2;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    const std::uint64_t value = work.chosen[i].value;
    if (one.of_os) continue;
    if (one.kind == Attribute::Kind::mask) {
      if (const Error error = all.sum.add(work.traits(), work.traits_of(one)); error != Error::none)
        return error;
      all.masks |= work.mask(one).code >> 8;
      all.word |= all.masks << 8;
    } else if (one.kind == Attribute::Kind::raw_mask) {
      if (value > 0xff) return Error::attribute;
      all.masks = value;
      all.sum.groups = groups_of(work);
    } else {
      const RegisterField at = kUncoreFields[one.index];
      if (one.index == kCounterMask && value > 255) return Error::invalid;
      set_field(all.word, at.first, at.width, at.width == 1 ? value != 0 : value);
      all.given |= 1u << one.index;
    }
  }
  for (unsigned modifier = 0; modifier < std::size(kUncoreFields); ++modifier)
    if ((all.sum.fixed >> modifier & 1) != 0 &&
        field(all.word, kUncoreFields[modifier].first, kUncoreFields[modifier].width) != 0)
      return Error::attribute_set;
  return Error::none;
}

}  // namespace

Error encode_nehalem_uncore(Work& work) {
  UncoreWork all{work.event.code, work.event.code >> 8 & 0xff};
  MaskSum& sum = all.sum;
  sum.required = work.traits().required;
  if (const Error error = take_nehalem_uncore(work, all); error != Error::none) return error;
  const unsigned groups = groups_of(work);
  if ((sum.groups != groups && (work.traits().flags & kOneGroup) == 0) || sum.groups == 0) {
    sum.latest = sum.with_first = kNoGroup;
    const Error error = add_defaults(work, sum.groups ^ groups, sum,
                                     [&](const Mask& mask) { all.masks |= mask.code >> 8; });
    if (error != Error::none) return error;
  }
  if (sum.required != 0 && all.given != sum.required) return Error::attribute;
  work.write_event();
  const std::uint64_t word = all.word | all.masks << 8 | kEnable | kInterrupt;
  work.out.codes[0] = word;
  work.out.count = 1;
  work.write_own(kNehalemUncoreModifiers, [&](unsigned index) {
    return field(word, kUncoreFields[index].first, kUncoreFields[index].width);
  });
  return Error::none;
}

}  // namespace evname::pfm4
