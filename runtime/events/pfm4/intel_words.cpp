// Words of Intel's cores and boxes. Registers: Intel SDM, volume 3, "Performance Monitoring", and
// the uncore performance monitoring guides of each server.

#include <array>

#include "events/pfm4/chosen.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

constexpr unsigned kGroups = 8;
constexpr unsigned kNoGroup = 0xffff;

unsigned group_of(const Traits& traits) { return traits.group & 0xff; }
unsigned needed_group_of(const Traits& traits) { return traits.group >> 8 & 0xff; }
/// Returns a bit for each group of the event.
unsigned groups_of(const Work& work) { return (1u << (work.traits().group & 31)) - 1; }

/// What the chosen masks ask for together.
struct MaskSum {
  unsigned groups = 0;  ///< that have a mask
  std::array<std::uint8_t, kGroups> counts{};
  std::array<bool, kGroups> alone{};  ///< has a mask that goes with no other
  unsigned needed = 0;                ///< groups that must have a mask
  unsigned last = kNoGroup;           ///< the group of the mask before
  unsigned latest = kNoGroup;         ///< no masks of later groups
  unsigned with_first = kNoGroup;     ///< no masks of others than this and the first
  std::uint32_t flags = 0;
  std::uint32_t fixed = 0;     ///< modifiers that masks set
  std::uint32_t required = 0;  ///< and those that must be given
  unsigned count = 0;

  Error add(const Traits& event, const Traits& mask) {
    const unsigned group = group_of(mask) % kGroups;
    if (last != kNoGroup && group != last && (event.flags & kOneGroup) != 0)
      return Error::combination;
    if ((mask.flags & kNoLaterGroup) != 0) latest = group;
    if ((mask.flags & kOnlyWithGroup0) != 0) with_first = group;
    if ((mask.flags & kNeedsGroup) != 0) needed |= 1u << (needed_group_of(mask) & 31);
    ++counts[group];
    ++count;
    if ((mask.flags & kNoCombination) != 0) alone[group] = true;
    if (counts[group] > 1 && alone[group]) return Error::combination;
    last = group;
    groups |= 1u << group;
    flags |= mask.flags;
    fixed |= mask.modifiers;
    required |= mask.required;
    return Error::none;
  }
  bool has_needed() const { return (needed & ~groups) == 0; }
};

/// Adds the default masks of groups that have none. `take` gets each.
template <class Take>
Error add_defaults(Work& work, unsigned groups, MaskSum& sum, Take&& take) {
  const auto masks = work.masks();
  for (unsigned group = 0; groups >> group != 0; ++group) {
    if ((groups >> group & 1) == 0) continue;
    bool is_added = false, is_skipped = false;
    for (std::size_t i = 0; i < masks.size(); ++i) {
      if (masks[i].group != group) continue;
      if (!work.has_mask(masks[i])) continue;
      const Traits& traits = work.traits_of(masks[i]);
      const bool others_only =
          sum.with_first != kNoGroup && traits.group != 0 && sum.with_first != traits.group;
      if ((sum.latest != kNoGroup && group > sum.latest) || (traits.flags & kNoGroupDefault) != 0 ||
          others_only) {
        is_skipped = true;
        continue;
      }
      if ((traits.flags & kDefault) == 0) continue;
      take(masks[i]);
      if (!work.add_mask(i)) return Error::too_many;
      ++sum.count;
      is_added = true;
      if ((work.traits().flags & kOneGroup) != 0) return Error::none;
      if ((traits.flags & kNoLaterGroup) != 0) {
        if (sum.latest != kNoGroup) return Error::mask;
        sum.latest = group_of(traits);
      }
    }
    if (!is_added && !is_skipped) return Error::mask;
  }
  return Error::none;
}

/// The fields of perfevtsel, by the modifiers' positions in kIntelModifiers.
struct RegisterField {
  unsigned first, width;
};
enum : unsigned { kK, kU, kE, kI, kC, kT, kLdlat, kIntx, kIntxcp, kFeThres };
constexpr RegisterField kFields[] = {{17, 1}, {16, 1}, {18, 1}, {23, 1}, {24, 8},
                                     {21, 1}, {},      {32, 1}, {33, 1}};
constexpr std::uint64_t kEnable = 1 << 22, kInterrupt = 1 << 20;

/// The values of modifiers that go elsewhere than perfevtsel.
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
    const RegisterField at = kFields[modifier];
    if (modifier == kC && value > 255) return Error::attribute_value;
    set_field(word, at.first, at.width, at.width == 1 ? value != 0 : value);
    return Error::none;
  }
};

/// Returns how many bits a mask can have that is given as a number.
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

/// Modifiers that masks set may be given if they have the same value, as in a fully qualified text.
bool fits_fixed(const IntelWork& all) {
  if ((all.sum.fixed & all.modifiers.given) == 0) return true;
  const std::uint64_t fixed = (all.fixed_mask | all.masks) << 8;
  for (unsigned modifier = 0; modifier < std::size(kFields); ++modifier) {
    const RegisterField at = kFields[modifier];
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
    const RegisterField at = index < std::size(kFields) ? kFields[index] : RegisterField{};
    return index == kLdlat     ? values.ldlat
           : index == kFeThres ? values.threshold
                               : field(values.word, at.first, at.width);
  });
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
  sum.latest = latest;  // masks that nobody gave exclude none
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
  constexpr std::uint64_t kLeastLatency = 3;
  const bool takes_latency = (sum.flags & kLoadLatency) != 0;
  if (modifiers.ldlat != 0 && !takes_latency) return Error::attribute;
  if (takes_latency) {
    if (modifiers.ldlat == 0) modifiers.ldlat = kLeastLatency;
    work.out.codes[1] = modifiers.ldlat;
    work.out.count = 2;
  }
  modifiers.word |= (all.fixed_mask | all.masks) << 8 | kEnable | kInterrupt;
  work.out.codes[0] = modifiers.word;
  const bool edge = field(modifiers.word, 18, 1) != 0;
  if ((work.pmu.flags & kEdgeCmask) != 0 && edge && field(modifiers.word, 24, 8) == 0)
    return Error::attribute;
  if ((sum.flags & kNoModifiers) == 0) write_intel_modifiers(work, modifiers);
  return Error::none;
}

Error encode_nehalem_uncore(Work& work) {
  constexpr RegisterField kUncoreFields[] = {{18, 1}, {23, 1}, {24, 8}, {17, 1}};
  constexpr unsigned kCounterMask = 2;
  std::uint64_t word = work.event.code, masks = work.event.code >> 8 & 0xff;
  std::uint32_t given = 0;
  MaskSum sum;
  sum.required = work.traits().required;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    const std::uint64_t value = work.chosen[i].value;
    if (one.of_os) continue;
    if (one.kind == Attribute::Kind::mask) {
      if (const Error error = sum.add(work.traits(), work.traits_of(one)); error != Error::none)
        return error;
      masks |= work.mask(one).code >> 8;
      word |= masks << 8;
    } else if (one.kind == Attribute::Kind::raw_mask) {
      if (value > 0xff) return Error::attribute;
      masks = value;
      sum.groups = groups_of(work);
    } else {
      const RegisterField at = kUncoreFields[one.index];
      if (one.index == kCounterMask && value > 255) return Error::invalid;
      set_field(word, at.first, at.width, at.width == 1 ? value != 0 : value);
      given |= 1u << one.index;
    }
  }
  for (unsigned modifier = 0; modifier < std::size(kUncoreFields); ++modifier)
    if ((sum.fixed >> modifier & 1) != 0 &&
        field(word, kUncoreFields[modifier].first, kUncoreFields[modifier].width) != 0)
      return Error::attribute_set;
  const unsigned groups = groups_of(work);
  if ((sum.groups != groups && (work.traits().flags & kOneGroup) == 0) || sum.groups == 0) {
    sum.latest = sum.with_first = kNoGroup;
    const Error error = add_defaults(work, sum.groups ^ groups, sum,
                                     [&](const Mask& mask) { masks |= mask.code >> 8; });
    if (error != Error::none) return error;
  }
  if (sum.required != 0 && given != sum.required) return Error::attribute;
  work.write_event();
  word |= masks << 8 | kEnable | kInterrupt;
  work.out.codes[0] = word;
  work.out.count = 1;
  work.write_own(kNehalemUncoreModifiers, [&](unsigned index) {
    return field(word, kUncoreFields[index].first, kUncoreFields[index].width);
  });
  return Error::none;
}

namespace {

/// Where a modifier of a box goes: the control register, a filter, the address.
struct BoxField {
  enum Word : std::uint8_t { control, filter0, filter1, address } word;
  std::uint8_t first, width;
  std::uint64_t limit;       ///< greatest value
  std::uint8_t enables = 0;  ///< this bit of the control register as well
};
// In the order of kUncoreModifiers.
enum : unsigned {
  kBoxE,
  kBoxI,
  kT8,
  kT5,
  kTf,
  kCf,
  kNf,
  kFf,
  kAddr,
  kNf1,
  kIsoc,
  kNc,
  kCf1,
  kTf1,
  kCf2,
  kLoc,
  kRem,
  kLmem,
  kRmem,
  kDnid,
  kRcsnid,
  kT6,
  kOccI,
  kOccE
};
constexpr std::uint8_t kTid = 19;
constexpr BoxField kBoxFields[] = {{BoxField::control, 18, 1, UINT64_MAX},
                                   {BoxField::control, 23, 1, UINT64_MAX},
                                   {BoxField::control, 24, 8, 255},
                                   {BoxField::control, 24, 5, 31},
                                   {BoxField::filter0, 0, 1, 1, kTid},
                                   {BoxField::filter0, 1, 3, 15, kTid},
                                   {BoxField::filter0, 10, 8, 255},
                                   {BoxField::filter0, 0, 8, 255},
                                   {BoxField::address, 6, 40, (std::uint64_t{1} << 40) - 1},
                                   {BoxField::filter1, 0, 16, 255},
                                   {BoxField::filter1, 31, 1, UINT64_MAX},
                                   {BoxField::filter1, 30, 1, UINT64_MAX},
                                   {BoxField::filter0, 1, 5, 63, kTid},
                                   {BoxField::filter0, 0, 3, 7, kTid},
                                   {BoxField::filter0, 3, 6, 64, kTid},
                                   {BoxField::filter1, 1, 1, UINT64_MAX},
                                   {BoxField::filter1, 0, 1, UINT64_MAX},
                                   {BoxField::filter1, 1, 1, UINT64_MAX},
                                   {BoxField::filter1, 5, 1, UINT64_MAX},
                                   {BoxField::filter0, 8, 4, 15},
                                   {BoxField::filter0, 14, 4, 15},
                                   {BoxField::control, 24, 8, 63},
                                   {BoxField::control, 30, 1, UINT64_MAX},
                                   {BoxField::control, 31, 1, UINT64_MAX}};
/// Modifiers that count as given for Traits::required.
constexpr std::uint32_t kCounted = ~(1u << kIsoc | 1u << kNc | 1u << kLoc | 1u << kRem |
                                     1u << kLmem | 1u << kRmem | 1u << kDnid | 1u << kRcsnid);
constexpr unsigned kOccupancyInvert = 30, kOccupancyEdge = 31;
constexpr unsigned kFirstBand = 0xb;  // the event of the first frequency band of a PCU

struct BoxWork {
  std::uint64_t words[4] = {};  ///< by BoxField::Word
  std::uint64_t masks = 0;
  std::uint32_t given = 0;
  bool needs_filter = false;
  bool is_occupancy = false;
  unsigned band_shift = 0;  ///< of ff
  MaskSum sum;

  void add_filters(const Traits& traits) {
    for (unsigned i = 0; i < 2; ++i) {
      words[BoxField::filter0 + i] |= traits.filters[i] & UINT32_MAX;
      words[BoxField::filter0 + i] &= ~(traits.filters[i] >> 32);
    }
  }
  BoxField field_of(unsigned modifier) const {
    BoxField at = kBoxFields[modifier];
    if (is_occupancy && modifier == kBoxE) at.first = kOccupancyEdge;
    if (is_occupancy && modifier == kBoxI) at.first = kOccupancyInvert;
    if (modifier == kFf) at.first = static_cast<std::uint8_t>(band_shift);
    return at;
  }
};

Error set_box_modifier(BoxWork& box, unsigned modifier, std::uint64_t value) {
  if (modifier == kFf) box.band_shift = 8 * ((box.words[0] & 0xff) - kFirstBand) & 63;
  const BoxField at = box.field_of(modifier);
  if (value > at.limit) return Error::attribute_value;
  if ((modifier == kNf || modifier == kNf1) && value == 0) return Error::attribute_value;
  if (modifier == kFf) box.words[at.word] = 0;
  set_field(box.words[at.word], at.first, at.width, at.limit == UINT64_MAX ? value != 0 : value);
  if (at.enables != 0) {
    box.words[0] |= std::uint64_t{1} << at.enables;
    box.needs_filter = true;
  }
  if (modifier == kDnid) box.words[BoxField::filter0] |= 1 << 13;
  if (modifier == kRcsnid) box.words[BoxField::filter0] |= 1 << 18;
  box.given |= 1u << modifier & kCounted;
  return Error::none;
}

Error take_box(Work& work, BoxWork& box) {
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    const std::uint64_t value = work.chosen[i].value;
    Error error = Error::none;
    if (one.of_os) continue;
    if (one.kind == Attribute::Kind::mask) {
      error = box.sum.add(work.traits(), work.traits_of(one));
      box.add_filters(work.traits_of(one));
      box.masks |= work.mask(one).code >> 8;
      if (box.is_occupancy) {
        set_field(box.words[0], 14, 2, box.masks >> 6);
        box.masks = 0;
      } else {
        box.words[0] |= box.masks << 8;
      }
    } else if (one.kind == Attribute::Kind::raw_mask) {
      if (value > 0xff) return Error::attribute;
      box.masks = value;
      box.sum.groups = groups_of(work);
      ++box.sum.count;
    } else {
      error = set_box_modifier(box, one.index, value);
    }
    if (error != Error::none) return error;
  }
  return Error::none;
}

Error check_box_modifiers(const BoxWork& box) {
  constexpr std::uint32_t kNodes = 1u << kNf | 1u << kNf1;
  if ((box.given & kNodes & ~box.sum.required) != 0) return Error::attribute;
  return box.sum.required != 0 && (box.given & box.sum.required) == 0 ? Error::attribute
                                                                      : Error::none;
}

/// The opcode filter of CHAs matches any opcode unless masks choose some.
void finish_cha_filter(const Work& work, BoxWork& box) {
  const std::uint64_t event = box.words[0] & 0xff;
  if ((work.pmu.flags & kCha) == 0 || (event != 0x35 && event != 0x36)) return;
  std::uint64_t& filter = box.words[BoxField::filter1];
  if (filter == 0)
    filter = 0x3b;
  else if (field(filter, 9, 20) != 0)
    filter &= ~std::uint64_t{1 << 3};
}

void write_box_modifiers(Work& work, const BoxWork& box) {
  if (!work.out.wants_text) return;
  for (std::uint32_t bits = work.own; bits != 0; bits &= bits - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(bits));
    const char* name = kUncoreModifiers[index].name;
    BoxField at = box.field_of(index);
    if ((index == kNf || index == kNf1) && (box.sum.required >> index & 1) == 0) continue;
    if (index == kTf) at = {BoxField::control, kTid, 1, 1};
    if (index == kT6) at.width = 6;
    if (index == kRmem) at = kBoxFields[kRem];
    const std::uint64_t value = field(box.words[at.word], at.first, at.width);
    if (index == kAddr) {
      work.write(":");
      work.write(name);
      work.write_hex("=0x", value);
    } else {
      work.write_value(name, value);
    }
  }
}

}  // namespace

Error encode_uncore(Work& work) {
  BoxWork box;
  const std::uint32_t event_flags = work.traits().flags;
  box.words[0] = work.event.code;
  box.masks = work.event.code >> 8;
  box.is_occupancy = (work.pmu.flags & kOccupancy) != 0 && (work.event.code & 0x80) != 0;
  box.needs_filter = (event_flags & kForceFilter) != 0;
  box.sum.required = work.traits().required;
  if (const Error error = take_box(work, box); error != Error::none) return error;
  if (!box.sum.has_needed()) return Error::combination;
  const unsigned groups = groups_of(work);
  if (work.event.mask_count != 0 && (box.sum.groups != groups || box.sum.groups == 0)) {
    box.sum.with_first = kNoGroup;
    const Error error = add_defaults(work, box.sum.groups ^ groups, box.sum, [&](const Mask& mask) {
      box.masks |= mask.code >> 8;
      box.add_filters(dictionary().traits_of(mask));
    });
    if (error != Error::none) return error;
  }
  if (work.event.mask_count != 0 && box.sum.count == 0) return Error::attribute;
  if (const Error error = check_box_modifiers(box); error != Error::none) return error;
  finish_cha_filter(work, box);
  work.write_event();
  box.words[0] |= (work.event.code >> 8 | box.masks) << 8;
  Encoded& out = work.out;
  out.count = 0;
  out.codes[out.count++] = box.words[0];
  if (box.words[1] != 0 || box.words[2] != 0 || box.needs_filter)
    out.codes[out.count++] = box.words[1];
  if (box.words[2] != 0) out.codes[out.count++] = box.words[2];
  if (box.words[3] != 0) out.codes[out.count++] = box.words[3];
  write_box_modifiers(work, box);
  return Error::none;
}

}  // namespace evname::pfm4
