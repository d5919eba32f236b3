// Names to codes, and back.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "c/guard.hpp"
#include "c/handles.hpp"
#include "evname/encoding.hpp"

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
  to.aux_action = from.aux_action;
  to.flags = flags_of(from);
  to.precise_ip = from.bits.precise_ip;
  to.leader = static_cast<std::uint32_t>(from.leader);
  return to;
}

int event_at(std::span<const Encoding> events, std::span<const std::string> names,
             std::size_t index, evname_attr* out, const char** name) {
  *out = {};
  out->pmu = "";
  if (name != nullptr) *name = "";
  if (index >= names.size()) return EVNAME_OUT_OF_RANGE;
  *out = attr_of(events[index]);
  if (name != nullptr) *name = names[index].c_str();
  return EVNAME_OK;
}

namespace {

/// What of it fill_attr() looks at.
Encoding encoding_of(const evname_attr& from) {
  Encoding to;
  to.code = from.code;
  to.bp_type = from.bp_type;
  to.aux_action = from.aux_action;
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

namespace {

evname::CodeNames names_of(const evname::Machine& machine, const char* pmu,
                           const evname_code& code) {
  return pmu == nullptr ? machine.names_of(code) : machine.names_of(pmu, code);
}

/// Texts one after the other, each with its NUL.
class Texts {
 public:
  Texts(char* buffer, bool fits) : buffer_(buffer), fits_(fits) {}

  const char* add(std::string_view text) {
    if (!fits_) return "";
    char* const to = buffer_;
    buffer_ += text.copy(buffer_, text.size());
    *buffer_++ = '\0';
    return to;
  }

 private:
  char* buffer_;
  bool fits_;
};

std::size_t size_of(const evname::CodeNames& found) {
  std::size_t size = found.qualifiers.size() + found.pmu.size() + found.terms.size() + 3;
  for (const std::string& name : found.names) size += name.size() + 1;
  return size;
}

}  // namespace

const char* evname_exact_name(const evname_machine* machine, const char* pmu,
                              const evname_code* code) {
  const char* name = nullptr;
  guarded(nullptr, [&]() -> evname::Result<void> {
    name = text_of(pmu == nullptr ? machine->machine.exact_name(*code)
                                  : machine->machine.exact_name(pmu, *code));
    return {};
  });
  return name;
}

int evname_names_of(const evname_machine* machine, const char* pmu, const evname_code* code,
                    evname_names* out, char* buffer, size_t size, size_t* needed,
                    evname_error* error) {
  *out = {"", 0, "", "", "", 0, 0, {}};
  if (needed != nullptr) *needed = 0;
  return guarded(error, [&]() -> evname::Result<void> {
    const evname::CodeNames found = names_of(machine->machine, pmu, *code);
    if (needed != nullptr) *needed = size_of(found);
    Texts texts(buffer, size_of(found) <= size);
    out->count = found.names.size();
    out->exact = found.exact;
    out->qualifiers = texts.add(found.qualifiers);
    out->pmu = texts.add(found.pmu);
    out->terms = texts.add(found.terms);
    for (const std::string& name : found.names) {
      const char* const at = texts.add(name);
      if (&name == found.names.data()) out->names = at;
    }
    return {};
  });
}
