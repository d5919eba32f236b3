// Names to codes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "c/guard.hpp"
#include "c/handles.hpp"
#include "evname/perf_event.hpp"

namespace evname::c {
namespace {

struct Bit {
  bool AttrBits::*set;
  std::uint32_t flag;
};
constexpr Bit kBits[] = {
    {&AttrBits::exclude_user, EVNAME_ATTR_EXCLUDE_USER},
    {&AttrBits::exclude_kernel, EVNAME_ATTR_EXCLUDE_KERNEL},
    {&AttrBits::exclude_hv, EVNAME_ATTR_EXCLUDE_HV},
    {&AttrBits::exclude_host, EVNAME_ATTR_EXCLUDE_HOST},
    {&AttrBits::exclude_guest, EVNAME_ATTR_EXCLUDE_GUEST},
    {&AttrBits::exclude_idle, EVNAME_ATTR_EXCLUDE_IDLE},
    {&AttrBits::pinned, EVNAME_ATTR_PINNED},
    {&AttrBits::exclusive, EVNAME_ATTR_EXCLUSIVE},
};

std::uint32_t flags_of(const Encoding& encoding) {
  if (encoding.modifiers.empty()) return 0;
  std::uint32_t flags = EVNAME_ATTR_MODIFIERS;
  for (const Bit& row : kBits) flags |= flag_if(encoding.bits.*row.set, row.flag);
  return flags;
}

}  // namespace

evname_attr attr_of(const Encoding& from) {
  evname_attr to = {};
  to.pmu = text_of(from.pmu);
  to.code = from.code;
  to.period = from.period;
  to.bp_type = from.bp_type;
  to.flags = flags_of(from);
  to.precise_ip = from.bits.precise_ip;
  to.leader = static_cast<std::uint32_t>(from.leader);
  return to;
}

namespace {

/// What of it fill_attr() looks at.
Encoding encoding_of(const evname_attr& from) {
  Encoding to;
  to.code = from.code;
  to.bp_type = from.bp_type;
  for (const Bit& row : kBits) to.bits.*row.set = (from.flags & row.flag) != 0;
  to.bits.precise_ip = static_cast<std::uint8_t>(from.precise_ip & 3);
  return to;
}

/// The attrs of one text, as many as fit. Returns how many there are. A name of one PMU, as most
/// are, takes no allocation.
Result<std::size_t> resolve(const Machine& machine, const char* text, std::span<evname_attr> out) {
  std::array<Encoding, 4> few;
  const auto count = machine.resolve(text, few);
  if (!count || *count <= few.size()) {
    for (std::size_t i = 0; count && i < std::min(*count, out.size()); ++i)
      out[i] = attr_of(few[i]);
    return count;
  }
  const auto all = machine.resolve(text);
  if (!all) return tl::unexpected<Error>(all.error());
  for (std::size_t i = 0; i < std::min(all->size(), out.size()); ++i) out[i] = attr_of((*all)[i]);
  return all->size();
}

}  // namespace
}  // namespace evname::c

using namespace evname::c;

int evname_resolve(const evname_machine* machine, const char* text, evname_attr* out, size_t room,
                   size_t* count, evname_error* error) {
  *count = 0;
  return guarded(error, [&]() -> evname::Result<void> {
    const auto found = resolve(machine->machine, text, {out, room});
    if (!found) return tl::unexpected<evname::Error>(found.error());
    *count = *found;
    return {};
  });
}

int evname_resolve_batch(const evname_machine* machine, const char* const* texts,
                         size_t texts_count, evname_attr* out, size_t room, size_t* total,
                         evname_answer* answers, evname_error* errors) {
  *total = 0;
  int first_failure = EVNAME_OK;
  for (std::size_t i = 0; i < texts_count; ++i) {
    const std::size_t used = std::min(*total, room);
    evname_error* error = errors == nullptr ? nullptr : &errors[i];
    if (error != nullptr) *error = {};
    evname_answer& answer = answers[i] = {};
    answer.first = *total;
    answer.status =
        evname_resolve(machine, texts[i], out + used, room - used, &answer.count, error);
    *total += answer.count;
    if (first_failure == EVNAME_OK) first_failure = answer.status;
  }
  return first_failure;
}

int evname_attr_fill(const evname_attr* attr, void* perf_event_attr, size_t size,
                     evname_error* error) {
  return guarded(error,
                 [&] { return evname::fill_attr(encoding_of(*attr), perf_event_attr, size); });
}
