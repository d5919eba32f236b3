#include "libpfm/perf_layer.hpp"

#include <linux/perf_event.h>

#include <bit>
#include <climits>

namespace evname::libpfm {
namespace {

struct LayerAttribute {
  const char *name, *desc;
  int type;
  bool is_basic;  ///< of kOsPerfEvent, too
};

/// By number. The descriptions are our words.
constexpr LayerAttribute kLayerAttributes[] = {
    {"u", "count in user mode", kBoolean, true},
    {"k", "count in the kernel", kBoolean, true},
    {"h", "count in the hypervisor", kBoolean, true},
    {"period", "events between samples", kInteger, false},
    {"freq", "samples per second", kInteger, false},
    {"precise", "precision of samples (0 to 3)", kInteger, false},
    {"excl", "use the PMU alone", kBoolean, false},
    {"mg", "count in guests", kBoolean, true},
    {"mh", "count in the host", kBoolean, true},
    {"cpu", "CPU to count on", kInteger, false},
    {"pinned", "always have a counter", kBoolean, false},
    {"hw_smpl", "take samples in hardware", kBoolean, false},
};
static_assert(std::size(kLayerAttributes) == kPerfAttributeCount);

constexpr PerfAttributes basic_attributes() {
  PerfAttributes out = 0;
  for (unsigned i = 0; i < kPerfAttributeCount; ++i)
    if (kLayerAttributes[i].is_basic) out |= 1u << i;
  return out;
}

PerfAttributes layer_attributes(const Unit& unit, int event, Os os) {
  if (os == kOsNone) return 0;
  return unit.perf_attributes(event) &
         (os == kOsPerfEvent ? basic_attributes() : kAllPerfAttributes);
}

Attribute layer_attribute(unsigned number) {
  Attribute out;
  out.name = kLayerAttributes[number].name;
  out.desc = kLayerAttributes[number].desc;
  out.code = out.index = number;
  out.type = kLayerAttributes[number].type;
  out.control = kControlPerfEvent;
  return out;
}

/// The privilege levels that the text names, and the CPU.
struct LayerState {
  unsigned levels = 0, guest_levels = 0;
  bool has_levels = false, has_guest_levels = false;
  int cpu = -1;
  bool is_pinned = false;

  void add_level(unsigned level, std::uint64_t value) {
    if (value != 0) levels |= level;
    has_levels = true;
  }
  void add_guest_level(unsigned level) {
    guest_levels |= level;
    has_guest_levels = true;
  }
};

Status apply_modifier(const Asked& asked, LayerState& state, perf_event_attr& attr) {
  switch (asked.index) {
    case kPerfUser: state.add_level(kUser, asked.value); break;
    case kPerfKernel: state.add_level(kKernel, asked.value); break;
    case kPerfHypervisor: state.add_level(kHypervisor, asked.value); break;
    case kPerfPeriod:
      if (asked.value == 0 || attr.freq != 0) return kAttributeValue;
      attr.sample_period = asked.value;
      break;
    case kPerfFrequency:
      if (asked.value == 0 || attr.sample_period != 0) return kAttributeValue;
      attr.sample_freq = asked.value;
      attr.freq = 1;
      break;
    case kPerfPrecise:
      if (asked.value > 3) return kAttributeValue;
      attr.precise_ip = asked.value & 3;
      break;
    case kPerfExclusive:
      if (asked.value != 0) attr.exclusive = 1;
      break;
    // libpfm4 looks at the presence of these two, not at the value.
    case kPerfGuest: state.add_guest_level(kUser); break;
    case kPerfHost: state.add_guest_level(kKernel); break;
    case kPerfCpu:
      if (asked.value >= INT_MAX) return kAttributeValue;
      state.cpu = static_cast<int>(asked.value);
      break;
    case kPerfPinned: state.is_pinned = asked.value != 0; break;
    case kPerfHardwareSampling: attr.precise_ip = asked.value != 0 ? 1 : 0; break;
    default: break;
  }
  return kSuccess;
}

void write_modifiers(Request& request, const LayerState& state, const perf_event_attr& attr) {
  for (PerfAttributes rest = layer_attributes(*request.unit, request.event, request.os); rest != 0;
       rest &= rest - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(rest));
    const char* name = kLayerAttributes[number].name;
    switch (number) {
      case kPerfUser: request.write(name, (state.levels & kUser) != 0); break;
      case kPerfKernel: request.write(name, (state.levels & kKernel) != 0); break;
      case kPerfHypervisor: request.write(name, (state.levels & kHypervisor) != 0); break;
      case kPerfPrecise:
      case kPerfHardwareSampling: request.write(name, attr.precise_ip); break;
      case kPerfPeriod:
      case kPerfFrequency:
        if (attr.sample_period != 0) request.write(name, attr.sample_period);
        break;
      case kPerfExclusive: request.write(name, attr.exclusive); break;
      case kPerfGuest: request.write(name, attr.exclude_guest == 0); break;
      case kPerfHost: request.write(name, attr.exclude_host == 0); break;
      default: break;
    }
  }
}

}  // namespace

int attribute_count(const Unit& unit, int event, Os os) {
  return unit.attribute_count(event, os) + std::popcount(layer_attributes(unit, event, os));
}

Attribute attribute_at(const Unit& unit, int event, int position, Os os) {
  const int own = unit.attribute_count(event, os);
  if (position < own) return unit.attribute(event, position, os);
  PerfAttributes rest = layer_attributes(unit, event, os);
  for (int i = own; i < position; ++i) rest &= rest - 1;
  return layer_attribute(static_cast<unsigned>(std::countr_zero(rest)));
}

Found find_attribute(const Request& request, std::string_view name, bool has_value) {
  const Unit& unit = *request.unit;
  if (const int own = unit.find_attribute(request.event, name, has_value, request.os); own >= 0)
    return {own, unit.attribute(request.event, own, request.os)};
  int position = unit.attribute_count(request.event, request.os);
  for (PerfAttributes rest = layer_attributes(unit, request.event, request.os); rest != 0;
       rest &= rest - 1, ++position) {
    const auto number = static_cast<unsigned>(std::countr_zero(rest));
    if (same_name(kLayerAttributes[number].name, name)) return {position, layer_attribute(number)};
  }
  return {};
}

Status encode_for_perf(Request& request, perf_event_attr& attr, int& cpu) {
  if (const Status status = request.unit->encode_perf(request, attr); status != kSuccess)
    return status;
  bool takes_no_modifiers = false;
  for (const Asked& asked : request.asked())
    takes_no_modifiers |= asked.type == kUnitMaskAttribute && asked.takes_no_modifiers;

  LayerState state;
  for (const Asked& asked : request.asked()) {
    if (asked.control != kControlPerfEvent) continue;
    if (takes_no_modifiers && asked.value != 0 && asked.index != kPerfPinned)
      return kAttributeValue;
    if (const Status status = apply_modifier(asked, state, attr); status != kSuccess) return status;
  }
  if (!state.has_levels) state.levels = request.levels;
  if (!state.has_guest_levels) state.guest_levels = kKernel;
  // A level that the PMU can't tell apart is not excluded.
  const unsigned others = ~request.unit->facts().levels & kAllLevels;
  state.levels |= others;
  state.guest_levels |= others;
  attr.exclude_user = (state.levels & kUser) == 0;
  attr.exclude_kernel = (state.levels & kKernel) == 0;
  attr.exclude_hv = (state.levels & kHypervisor) == 0;
  attr.exclude_guest = (state.guest_levels & kUser) == 0;
  attr.exclude_host = (state.guest_levels & kKernel) == 0;
  attr.pinned = state.is_pinned;
  cpu = state.cpu;
  // libpfm4 gives no text at all of an event that takes no modifiers.
  if (takes_no_modifiers) request.wants_text = false;
  if (request.wants_text) write_modifiers(request, state, attr);
  return kSuccess;
}

}  // namespace evname::libpfm
