// Fills perf_event_attr for libpfm4's events: type and config words from the codes, and the
// kernel's modifiers.

#include <algorithm>
#include <climits>

#include "events/pfm4/chosen.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {
namespace {

constexpr std::uint32_t kRawType = 4;  // PERF_TYPE_RAW
constexpr std::uint64_t kControlledByKernel =
    1 << 16 | 1 << 17 | 1 << 20 | 1 << 22;  // user, kernel, interrupt, enable

/// Finds the type of the PMU's first existing name in sysfs; negative: none exists.
int type_of(const Pmu& pmu, const Scope& scope) {
  std::string_view names = dictionary().text(pmu.perf);
  if (scope.find_type == nullptr) return kRawType;
  while (!names.empty()) {
    const std::string_view name(names.data(), std::min(names.find(','), names.size()));
    const int type = scope.find_type(name);
    if (type >= 0) return type;
    names.remove_prefix(name.size() == names.size() ? name.size() : name.size() + 1);
  }
  return -1;
}

Error set_type(Work& work, const Scope& scope, bool is_needed) {
  OsAttr& attr = work.out.attr;
  attr.type = kRawType;
  if (*dictionary().text(work.pmu.perf) == '\0' && !is_needed) return Error::none;
  const int type = type_of(work.pmu, scope);
  if (type >= 0) attr.type = static_cast<std::uint32_t>(type);
  return type < 0 && is_needed ? Error::not_supported : Error::none;
}

/// Boxes count all levels.
void clear_levels(OsAttr& attr) {
  attr.exclude_hv = attr.exclude_kernel = attr.exclude_user = false;
}

bool takes_latency(const Work& work) {
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (!one.of_os && one.kind == Attribute::Kind::mask &&
        (work.traits_of(one).flags & kLoadLatency) != 0)
      return true;
  }
  return false;
}

Error fill_intel(Work& work, const Scope& scope) {
  const bool is_box = work.pmu.type == PmuType::uncore && work.pmu.layout != Layout::plain;
  if (const Error error = set_type(work, scope, is_box); error != Error::none)
    return error == Error::not_supported ? Error::not_found : error;
  Encoded& out = work.out;
  OsAttr& attr = out.attr;
  attr.config = out.codes[0] & ~(is_box ? std::uint64_t{1 << 20 | 1 << 22} : kControlledByKernel);
  if (is_box) {
    clear_levels(attr);
    return Error::none;
  }
  if (out.count < 2) return Error::none;
  const std::uint32_t flags = work.traits().flags;
  if ((flags & (kOffcore | kFrontend)) != 0 || takes_latency(work)) attr.config1 = out.codes[1];
  if ((flags & kFilterMask) != 0) attr.config |= out.codes[1] << 32;
  return Error::none;
}

Error fill_box(Work& work, const Scope& scope) {
  if (const Error error = set_type(work, scope, true); error != Error::none) return error;
  Encoded& out = work.out;
  OsAttr& attr = out.attr;
  attr.config = out.codes[0];
  const std::uint64_t event = out.codes[0] & 0xff;
  const bool is_filtered = event >= 0x34 && event <= 0x36;  // LLC_LOOKUP and the TOR events
  const bool joins = ((work.pmu.flags & kCbo) != 0 && (out.codes[0] & 0x100) != 0 && is_filtered) ||
                     ((work.pmu.flags & kCha) != 0 && is_filtered);
  if (out.count >= 2) attr.config1 = out.codes[1];
  if (out.count >= 3 && joins) attr.config1 |= out.codes[2] << 32;
  if (out.count >= 3 && !joins) attr.config2 = out.codes[2];
  clear_levels(attr);
  return Error::none;
}

Error fill_mips(Work& work) {
  OsAttr& attr = work.out.attr;
  attr.type = kRawType;
  attr.config = work.out.codes[0] >> 5;
  // Bit 7: an event of the odd counters only.
  if ((work.out.codes[1] & 2) != 0 && attr.config > 1) attr.config |= 1 << 7;
  return Error::none;
}

/// The levels and the like in a text.
struct Levels {
  unsigned given = 0, machines = 0;
  bool has_any = false, has_machine = false;
};

Error apply_one(Work& work, OsModifier modifier, std::uint64_t value, Levels& levels) {
  OsAttr& attr = work.out.attr;
  switch (modifier) {
    case OsModifier::u:
    case OsModifier::k:
    case OsModifier::h:
      levels.has_any = true;
      if (value != 0)
        levels.given |= modifier == OsModifier::u   ? kUser
                        : modifier == OsModifier::k ? kKernel
                                                    : kHypervisor;
      return Error::none;
    case OsModifier::period:
      if (value == 0 || attr.freq) return Error::attribute_value;
      attr.sample_period = value;
      return Error::none;
    case OsModifier::freq:
      if (value == 0 || attr.sample_period != 0) return Error::attribute_value;
      attr.sample_period = value;
      attr.freq = true;
      return Error::none;
    case OsModifier::precise:
      if (value > 3) return Error::attribute_value;
      attr.precise_ip = static_cast<std::uint8_t>(value);
      return Error::none;
    case OsModifier::excl:
      attr.exclusive |= value != 0;
      return Error::none;
    case OsModifier::mg:
    case OsModifier::mh:
      levels.has_machine = true;
      levels.machines |= modifier == OsModifier::mg ? kUser : kKernel;
      return Error::none;
    case OsModifier::cpu:
      if (value >= INT_MAX) return Error::attribute_value;
      attr.cpu = static_cast<int>(value);
      return Error::none;
    case OsModifier::pinned:
      attr.pinned = value != 0;
      return Error::none;
    case OsModifier::hw_smpl:
      attr.precise_ip = value != 0;
      return Error::none;
  }
  return Error::none;
}

bool refuses_modifiers(const Work& work) {
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (!one.of_os && one.kind == Attribute::Kind::mask && work.pmu.layout == Layout::intel &&
        (work.traits_of(one).flags & kNoModifiers) != 0)
      return true;
  }
  return false;
}

void write_os_modifiers(Work& work, unsigned levels, std::uint8_t machine_levels) {
  const OsAttr& attr = work.out.attr;
  if (!work.out.wants_text) return;
  const std::uint32_t taken = os_modifiers(work.pmu, work.event, work.os, machine_levels);
  for (std::uint32_t bits = taken; bits != 0; bits &= bits - 1) {
    const auto modifier = static_cast<OsModifier>(std::countr_zero(bits));
    const char* name = kOsModifiers[modifier].value.name;
    switch (modifier) {
      case OsModifier::u:
        work.write_value(name, (levels & kUser) != 0);
        break;
      case OsModifier::k:
        work.write_value(name, (levels & kKernel) != 0);
        break;
      case OsModifier::h:
        work.write_value(name, (levels & kHypervisor) != 0);
        break;
      case OsModifier::period:
      case OsModifier::freq:
        if (attr.sample_period != 0) work.write_value(name, attr.sample_period);
        break;
      case OsModifier::precise:
      case OsModifier::hw_smpl:
        work.write_value(name, attr.precise_ip);
        break;
      case OsModifier::excl:
        work.write_value(name, attr.exclusive);
        break;
      case OsModifier::mg:
        work.write_value(name, !attr.exclude_guest);
        break;
      case OsModifier::mh:
        work.write_value(name, !attr.exclude_host);
        break;
      case OsModifier::cpu:
      case OsModifier::pinned:
        break;
    }
  }
}

/// Fills in one word, for a PMU whose type the kernel tells.
Error fill_by_type(Work& work, const Scope& scope) {
  OsAttr& attr = work.out.attr;
  const bool is_named = *dictionary().text(work.pmu.perf) != '\0';
  if (const Error error = set_type(work, scope, is_named && work.pmu.archs != kX86);
      error != Error::none)
    return work.pmu.archs == kS390 ? Error::not_found : error;
  if (work.pmu.layout == Layout::amd && is_named && attr.type == kRawType &&
      scope.find_type != nullptr)
    return Error::not_supported;
  attr.config = work.out.codes[0];
  if (work.pmu.layout == Layout::amd)
    attr.config &= ~(kControlledByKernel | std::uint64_t{3} << 40);
  if (work.pmu.layout == Layout::arm)
    attr.config &= ~(std::uint64_t{1} << 27 | std::uint64_t{3} << 30);
  if (work.pmu.layout == Layout::arm_uncore) clear_levels(attr);
  return Error::none;
}

}  // namespace

Error fill_attr(Work& work, const Scope& scope) {
  Encoded& out = work.out;
  OsAttr& attr = out.attr;
  switch (work.pmu.layout) {
    case Layout::intel:
    case Layout::nehalem_uncore:
      return fill_intel(work, scope);
    case Layout::uncore:
      return fill_box(work, scope);
    case Layout::mips:
      return fill_mips(work);
    case Layout::netburst:
      attr.type = kRawType;
      // The kernel has numbers of its own for the events.
      attr.config =
          ((out.codes[0] & ~(std::uint64_t{0x3f} << 25)) | field(work.event.code, 16, 8) << 25)
              << 32 |
          out.codes[1];
      return Error::none;
    case Layout::generic:
      attr.type = work.traits().required;
      attr.config = out.codes[0];
      return Error::none;
    case Layout::raw:
      attr.type = kRawType;
      attr.config = out.codes[0];
      attr.config1 = out.codes[1];
      attr.config2 = out.codes[2];
      return Error::none;
    default:
      return fill_by_type(work, scope);
  }
}

Error apply_os_modifiers(Work& work, const Scope& scope) {
  OsAttr& attr = work.out.attr;
  const bool refuses = refuses_modifiers(work);
  work.out.refuses_modifiers = refuses;
  Levels levels;
  attr.pinned = false;
  attr.cpu = -1;
  for (unsigned i = 0; i < work.count; ++i) {
    const Attribute one = work.attribute(i);
    if (!one.of_os) continue;
    const auto modifier = static_cast<OsModifier>(one.index);
    const std::uint64_t value = work.chosen[i].value;
    if (refuses && value != 0 && modifier != OsModifier::pinned) return Error::attribute_value;
    if (const Error error = apply_one(work, modifier, value, levels); error != Error::none)
      return error;
  }
  constexpr unsigned kAllLevels = 31;
  const unsigned supported = work.pmu.layout == Layout::generic ? scope.levels : work.pmu.levels;
  const unsigned missing = ~supported & kAllLevels;
  const unsigned plain = (levels.has_any ? levels.given : work.levels) | missing;
  const unsigned machines = (levels.has_machine ? levels.machines : unsigned{kKernel}) | missing;
  attr.exclude_user = (plain & kUser) == 0;
  attr.exclude_kernel = (plain & kKernel) == 0;
  attr.exclude_hv = (plain & kHypervisor) == 0;
  attr.exclude_guest = (machines & kUser) == 0;
  attr.exclude_host = (machines & kKernel) == 0;
  if (!refuses) write_os_modifiers(work, plain, scope.levels);
  return Error::none;
}

}  // namespace evname::pfm4
