// Words of the PMUs that are not Intel's, of the Pentium 4, and of the kernel's generic events.
// Registers: AMD64 Architecture Programmer's Manual, volume 2, "Core Performance Event-Select
// Registers"; Arm ARM, PMEVTYPER; Intel SDM, volume 3, "Performance Monitoring (Processors Based on
// Intel NetBurst Microarchitecture)".

#include "events/pfm4/chosen.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

constexpr unsigned kAmdGroups = 4;
struct AmdField {
  unsigned first, width;
};
enum : unsigned { kAmdK, kAmdU, kAmdE, kAmdI, kAmdC, kAmdH, kAmdG };
constexpr AmdField kAmdFields[] = {{17, 1}, {16, 1}, {18, 1}, {23, 1}, {24, 8}, {41, 1}, {40, 1}};

/// Adds the default masks of the groups that have none.
Error add_amd_defaults(Work& work, unsigned groups, std::uint64_t& masks) {
  const auto masks_of_event = work.masks();
  for (unsigned group = 0; groups >> group != 0; ++group) {
    if ((groups >> group & 1) == 0) continue;
    unsigned count = 0, added = 0, omitted = 0;
    for (std::size_t i = 0; i < masks_of_event.size(); ++i) {
      if (masks_of_event[i].group != group) continue;
      if (!work.has_mask(masks_of_event[i])) continue;
      const Traits& traits = work.traits_of(masks_of_event[i]);
      ++count;
      if ((traits.flags & kDefault) != 0) {
        masks |= masks_of_event[i].code;
        if (!work.add_mask(i)) return Error::too_many;
        ++added;
      }
      omitted += (traits.flags & kMayBeOmitted) != 0;
    }
    if (added == 0 && omitted != count) return Error::mask;
  }
  return Error::none;
}

struct AmdWork {
  std::uint64_t word = 0, masks = 0;
  unsigned groups = 0;
  std::uint32_t given = 0;
};

Error take_amd(Work& work, AmdWork& amd) {
  unsigned counts[kAmdGroups] = {};
  bool alone[kAmdGroups] = {};
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    const std::uint64_t value = work.chosen[i].value;
    if (one.of_os) continue;
    if (one.kind == Attribute::Kind::mask) {
      const Traits& traits = work.traits_of(one);
      const unsigned group = traits.group % kAmdGroups;
      if ((traits.flags & kNoCombination) != 0) alone[group] = true;
      if (++counts[group] > 1 && alone[group]) return Error::combination;
      amd.masks |= work.mask(one).code;
      amd.groups |= 1u << group;
    } else if (one.kind == Attribute::Kind::raw_mask) {
      if (value > 0xff) return Error::attribute;
      amd.masks = value;
      amd.groups = (1u << work.traits().group) - 1;
    } else {
      if (one.index == kAmdC && value > 255) return Error::attribute_value;
      const AmdField at = kAmdFields[one.index];
      set_field(amd.word, at.first, at.width, at.width == 1 ? value != 0 : value);
      amd.given |= 1u << one.index;
    }
  }
  return Error::none;
}

}  // namespace

Error encode_amd(Work& work) {
  AmdWork amd;
  const std::uint32_t flags = work.traits().flags;
  if ((flags & kIbsFetch) != 0) {
    amd.word = std::uint64_t{1} << 48;
  } else if ((flags & kIbsOp) != 0) {
    amd.word = 1 << 17;
  } else {
    set_field(amd.word, 0, 8, work.event.code);
    set_field(amd.word, 32, 4, work.event.code >> 8);
    amd.word |= 1 << 22 | 1 << 20;  // enable, interrupt
  }
  if (const Error error = take_amd(work, amd); error != Error::none) return error;
  if ((amd.given & (1u << kAmdK | 1u << kAmdU | 1u << kAmdH)) == 0) {
    if ((work.levels & kKernel) != 0) amd.word |= 1 << 17;
    if ((work.levels & kUser) != 0) amd.word |= 1 << 16;
    if ((work.levels & kHypervisor) != 0) amd.word |= std::uint64_t{1} << 41;
  }
  const unsigned groups = (1u << work.traits().group) - 1;
  if (amd.groups != groups)
    if (const Error error = add_amd_defaults(work, amd.groups ^ groups, amd.masks);
        error != Error::none)
      return error;
  set_field(amd.word, 8, 8, amd.masks);
  work.out.codes[0] = amd.word;
  work.out.count = 1;
  work.write_event();
  work.write_own(kAmdModifiers, [&](unsigned index) {
    return field(amd.word, kAmdFields[index].first, kAmdFields[index].width);
  });
  return Error::none;
}

namespace {

/// Collects the attributes of a Pentium 4's event.
struct NetburstWords {
  enum : unsigned { kUserLevel, kKernelLevel, kComplement, kEdge, kThresholdValue };

  std::uint64_t cccr = 0, masks = 0, tags = 0;
  unsigned levels = 0;
  bool has_mask = false, has_levels = false;

  void add_mask(std::uint64_t bit) {
    constexpr unsigned kMaskBits = 16;
    (bit < kMaskBits ? masks : tags) |= std::uint64_t{1} << (bit % kMaskBits);
    has_mask = true;
  }
  Error add_modifier(unsigned index, std::uint64_t value) {
    if (index == kUserLevel || index == kKernelLevel) {
      has_levels = true;
      if (value != 0) levels |= index == kUserLevel ? kUser : kKernel;
    } else if (index == kThresholdValue) {
      if (value > 15) return Error::attribute_value;
      if (value != 0) cccr |= 1 << 18 | value << 20;
    } else if (value != 0) {
      cccr |= 1 << 18 | (index == kEdge ? 1 << 24 : 1 << 19);
    }
    return Error::none;
  }
};

/// Chooses the unit mask of an event without one.
Error add_default_mask(Work& work, NetburstWords& words) {
  const auto all = work.masks();
  std::size_t i = 0;
  while (i < all.size() &&
         ((work.traits_of(all[i]).flags & kDefault) == 0 || !has(work.pmu, work.traits_of(all[i]))))
    ++i;
  if (i == all.size()) return Error::attribute;
  words.masks = std::uint64_t{1} << all[i].code;
  return work.add_mask(i) ? Error::none : Error::too_many;
}

Error read_netburst(Work& work, NetburstWords& words) {
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (one.of_os) continue;
    if (one.kind == Attribute::Kind::raw_mask) return Error::attribute;
    if (one.kind == Attribute::Kind::mask)
      words.add_mask(work.mask(one).code);
    else if (const Error error = words.add_modifier(one.index, work.chosen[i].value);
             error != Error::none)
      return error;
  }
  if (!words.has_levels) words.levels = work.levels;
  return words.has_mask ? Error::none : add_default_mask(work, words);
}

}  // namespace

Error encode_netburst(Work& work) {
  constexpr unsigned kReplayEvent = 37;  // index of replay_event
  NetburstWords words;
  if (const Error error = read_netburst(work, words); error != Error::none) return error;
  if (work.out.event == kReplayEvent) words.masks &= 3;  // the others are not the hardware's
  const bool user = (words.levels & kUser) != 0, kernel = (words.levels & kKernel) != 0;
  const std::uint64_t escr = (user ? 0b0101 : 0) | (kernel ? 0b1010 : 0) |
                             (words.tags != 0 ? 1 << 4 : 0) | (words.tags & 0xf) << 5 |
                             (words.masks & 0xffff) << 9 | field(work.event.code, 0, 6) << 25;
  const std::uint64_t cccr = words.cccr | 1 << 12 | field(work.event.code, 8, 3) << 13 | 3 << 16;
  work.write_event();
  work.write_value("k", kernel);
  work.write_value("u", user);
  work.write_value("e", field(cccr, 24, 1));
  work.write_value("cmpl", field(cccr, 19, 1));
  work.write_value("thr", field(cccr, 20, 4));
  work.out.codes[0] = escr;
  work.out.codes[1] = cccr;
  work.out.count = 2;
  return Error::none;
}

Error encode_arm(Work& work) {
  enum : unsigned { kK, kU, kHv };
  constexpr unsigned kLevelOf[] = {kKernel, kUser, kHypervisor};
  constexpr unsigned kExcludeBit[] = {30, 31, 27};
  std::uint64_t word = work.event.code;
  unsigned levels = 0;
  bool has_levels = false;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (one.of_os) continue;
    has_levels = true;
    if (work.chosen[i].value != 0) levels |= kLevelOf[one.index];
  }
  if (!has_levels) levels = work.levels;
  if (work.traits().modifiers != 0)
    for (const unsigned modifier : {kK, kU, kHv})
      set_field(word, kExcludeBit[modifier], 1, (levels & kLevelOf[modifier]) == 0);
  work.write_name();
  work.out.codes[0] = word;
  work.out.count = 1;
  work.write_own(kArmModifiers,
                 [&](unsigned index) { return field(word, kExcludeBit[index], 1) == 0; });
  return Error::none;
}

Error encode_torrent(Work& work) {
  work.out.codes[0] = work.event.code;
  work.out.count = 1;
  return Error::none;
}

Error encode_mips(Work& work) {
  constexpr unsigned kBitOf[] = {1, 3, 2, 0};  // of k, u, s, e
  std::uint64_t word = field(work.event.code, 0, 7) << 5;
  bool has_levels = false;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (one.of_os) continue;
    has_levels = true;
    set_field(word, kBitOf[one.index], 1, work.chosen[i].value != 0);
  }
  if (!has_levels) {
    if ((work.levels & kKernel) != 0) word |= 1 << 1;
    if ((work.levels & 2) != 0) word |= 1 << 2;
    if ((work.levels & 4) != 0) word |= 1 << 0;
    if ((work.levels & kUser) != 0) word |= 1 << 3;
  }
  work.write_name();
  work.write_own(kMipsModifiers, [&](unsigned index) { return field(word, kBitOf[index], 1); });
  // Cycles and instructions are on all counters, others on every second one.
  std::uint64_t counters = 0;
  const std::uint64_t code = work.event.code;
  for (unsigned i = code <= 1 ? 0 : (code & 0x80) != 0; i < work.pmu.counters;
       i += code <= 1 ? 1 : 2)
    counters |= std::uint64_t{1} << i;
  work.out.codes[0] = word;
  work.out.codes[1] = counters;
  work.out.count = 2;
  return Error::none;
}

Error encode_generic(Work& work) {
  constexpr std::uint32_t kHardwareCache = 3;
  work.out.codes[0] = work.event.code;
  work.out.count = 1;
  if (work.traits().required != kHardwareCache) {
    work.write_name();
    return Error::none;
  }
  unsigned missing = (1u << work.traits().group) - 1;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (one.of_os) continue;
    if (one.kind != Attribute::Kind::mask) return Error::attribute;
    const unsigned group = 1u << work.traits_of(one).group;
    if ((missing & group) == 0) return Error::mask;
    missing &= ~group;
    work.out.codes[0] |= work.mask(one).code;
  }
  if (const Error error = add_amd_defaults(work, missing, work.out.codes[0]); error != Error::none)
    return error;
  work.write_event();
  return Error::none;
}

Error encode_plain(Work& work) {
  if (work.pmu.layout == Layout::raw) {
    work.write_hex("r", work.out.codes[0]);
    return Error::none;
  }
  work.write_name();
  work.out.codes[0] = work.event.code;
  work.out.count = 1;
  return Error::none;
}

}  // namespace evname::pfm4
