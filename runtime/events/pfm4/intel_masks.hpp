#pragma once
// Groups the chosen unit masks of an Intel event, checks their combination, and adds the defaults
// of empty groups.

#include <array>

#include "events/pfm4/chosen.hpp"

namespace evname::pfm4 {

inline constexpr unsigned kGroups = 8;
inline constexpr unsigned kNoGroup = 0xffff;

inline unsigned group_of(const Traits& traits) { return traits.group & 0xff; }
inline unsigned needed_group_of(const Traits& traits) { return traits.group >> 8 & 0xff; }
/// Returns a bit for each group of the event.
inline unsigned groups_of(const Work& work) { return (1u << (work.traits().group & 31)) - 1; }

/// The requirements of the chosen masks.
struct MaskSum {
  unsigned groups = 0;  ///< that have a mask
  std::array<std::uint8_t, kGroups> counts{};
  std::array<bool, kGroups> alone{};  ///< has a mask that excludes all others
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

}  // namespace evname::pfm4
