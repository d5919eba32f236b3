// Names to codes.

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "c/guard.hpp"
#include "c/handles.hpp"

using namespace evname::c;

namespace {

using evname::EventAttr;

/// Room for as many as most names stand for. It is left uninitialized, which would take longer than
/// all the rest.
class Few {
 public:
  static constexpr std::size_t kCount = 64;
  std::span<EventAttr> span() { return {reinterpret_cast<EventAttr*>(bytes_), kCount}; }

 private:
  static_assert(std::is_trivially_copyable_v<EventAttr>);  // so that bytes can be one
  alignas(EventAttr) std::byte bytes_[kCount * sizeof(EventAttr)];
};

std::uint32_t flags_of(const EventAttr& attr) {
  const std::uint32_t typed = flag_if(attr.type.has_value(), EVNAME_ATTR_HAS_TYPE);
  if (!attr.modified) return typed;
  const evname::AttrBits& bits = attr.bits;
  return typed | EVNAME_ATTR_MODIFIERS | flag_if(bits.exclude_user, EVNAME_ATTR_EXCLUDE_USER) |
         flag_if(bits.exclude_kernel, EVNAME_ATTR_EXCLUDE_KERNEL) |
         flag_if(bits.exclude_hv, EVNAME_ATTR_EXCLUDE_HV) |
         flag_if(bits.exclude_host, EVNAME_ATTR_EXCLUDE_HOST) |
         flag_if(bits.exclude_guest, EVNAME_ATTR_EXCLUDE_GUEST) |
         flag_if(bits.exclude_idle, EVNAME_ATTR_EXCLUDE_IDLE) |
         flag_if(bits.pinned, EVNAME_ATTR_PINNED) | flag_if(bits.exclusive, EVNAME_ATTR_EXCLUSIVE);
}

evname_attr attr_of(const EventAttr& from) {
  evname_attr to = {};
  to.pmu = text_of(from.pmu);
  to.config = from.config;
  to.config1 = from.config1;
  to.config2 = from.config2;
  to.config3 = from.config3;
  to.period = from.period;
  to.type = from.type.value_or(0);
  to.bp_type = from.bp_type;
  to.flags = flags_of(from);
  to.precise_ip = from.bits.precise_ip;
  to.leader = static_cast<std::uint32_t>(from.leader);
  return to;
}

/// The attrs of one text, as many as fit. Returns how many there are.
evname::Result<std::size_t> resolve(const evname::Machine& machine, const char* text,
                                    std::span<evname_attr> out) {
  Few few;
  std::span<EventAttr> attrs = few.span();
  auto count = machine.resolve(text, attrs);
  if (!count) return count;
  std::vector<EventAttr> many;
  if (*count > attrs.size() && out.size() > attrs.size()) {
    many.resize(*count);
    attrs = many;
    count = machine.resolve(text, attrs);
  }
  for (std::size_t i = 0; i < std::min(*count, out.size()); ++i) out[i] = attr_of(attrs[i]);
  return count;
}

}  // namespace

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
