// Words of the boxes of Intel's servers. Registers: the uncore performance monitoring guides of
// each server.

#include "base/enum_table.hpp"
#include "events/pfm4/intel_masks.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

/// The place of a box's modifier: the control register, a filter, the address.
struct BoxField {
  enum Word : std::uint8_t { control, filter0, filter1, address } word;
  std::uint8_t first, width;
  std::uint64_t limit;       ///< greatest value
  std::uint8_t enables = 0;  ///< this bit of the control register as well
};
// In the order of kUncoreModifiers.
enum BoxModifier : unsigned {
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
constexpr auto kBoxFields = enum_values<BoxModifier, BoxField>(
    {{kBoxE, {BoxField::control, 18, 1, UINT64_MAX}},
     {kBoxI, {BoxField::control, 23, 1, UINT64_MAX}},
     {kT8, {BoxField::control, 24, 8, 255}},
     {kT5, {BoxField::control, 24, 5, 31}},
     {kTf, {BoxField::filter0, 0, 1, 1, kTid}},
     {kCf, {BoxField::filter0, 1, 3, 15, kTid}},
     {kNf, {BoxField::filter0, 10, 8, 255}},
     {kFf, {BoxField::filter0, 0, 8, 255}},
     {kAddr, {BoxField::address, 6, 40, (std::uint64_t{1} << 40) - 1}},
     {kNf1, {BoxField::filter1, 0, 16, 255}},
     {kIsoc, {BoxField::filter1, 31, 1, UINT64_MAX}},
     {kNc, {BoxField::filter1, 30, 1, UINT64_MAX}},
     {kCf1, {BoxField::filter0, 1, 5, 63, kTid}},
     {kTf1, {BoxField::filter0, 0, 3, 7, kTid}},
     {kCf2, {BoxField::filter0, 3, 6, 64, kTid}},
     {kLoc, {BoxField::filter1, 1, 1, UINT64_MAX}},
     {kRem, {BoxField::filter1, 0, 1, UINT64_MAX}},
     {kLmem, {BoxField::filter1, 1, 1, UINT64_MAX}},
     {kRmem, {BoxField::filter1, 5, 1, UINT64_MAX}},
     {kDnid, {BoxField::filter0, 8, 4, 15}},
     {kRcsnid, {BoxField::filter0, 14, 4, 15}},
     {kT6, {BoxField::control, 24, 8, 63}},
     {kOccI, {BoxField::control, 30, 1, UINT64_MAX}},
     {kOccE, {BoxField::control, 31, 1, UINT64_MAX}}});
static_assert(kBoxFields.size() == std::size(kUncoreModifiers));
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
    BoxField at = kBoxFields[static_cast<BoxModifier>(modifier)].value;
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
    if (index == kRmem) at = kBoxFields[kRem].value;
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
