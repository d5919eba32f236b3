// What an event says, into the caller's perf_event_attr.
// Layout: struct perf_event_attr of include/uapi/linux/perf_event.h, PERF_ATTR_SIZE_VER0 and later.

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "c/guard.hpp"
#include "evname/attr.hpp"

using namespace evname::c;

namespace {

using evname::Errc;
using evname::fail;

constexpr std::size_t kFirstSize = 64;  // PERF_ATTR_SIZE_VER0
constexpr std::size_t kTypeAt = 0, kSizeAt = 4, kFlagsAt = 40, kBpTypeAt = 52;

struct Word {
  const char* name;
  std::size_t at;
};
constexpr Word kWords[EVNAME_CONFIG_WORDS] = {
    {"config", 8}, {"config1", 56}, {"config2", 64}, {"config3", 128}, {"config4", 136}};

struct Bit {
  std::uint32_t flag;
  unsigned bit;
};
constexpr Bit kBits[] = {
    {EVNAME_ATTR_EXCLUDE_USER, evname::perfdata::kExcludeUser},
    {EVNAME_ATTR_EXCLUDE_KERNEL, evname::perfdata::kExcludeKernel},
    {EVNAME_ATTR_EXCLUDE_HV, evname::perfdata::kExcludeHv},
    {EVNAME_ATTR_EXCLUDE_HOST, evname::perfdata::kExcludeHost},
    {EVNAME_ATTR_EXCLUDE_GUEST, evname::perfdata::kExcludeGuest},
    {EVNAME_ATTR_EXCLUDE_IDLE, evname::perfdata::kExcludeIdle},
    {EVNAME_ATTR_PINNED, evname::perfdata::kPinned},
    {EVNAME_ATTR_EXCLUSIVE, evname::perfdata::kExclusive},
};

/// Compilers put the first bit field of a word at its lowest bit, or at its highest on big-endian
/// machines.
std::uint64_t field_bits(std::uint64_t value, unsigned bit, unsigned width) {
  return value << (std::endian::native == std::endian::little ? bit : 64 - bit - width);
}

std::uint64_t flags_of(const evname_attr& attr) {
  std::uint64_t flags = field_bits(attr.precise_ip & 3, evname::perfdata::kPreciseIp, 2);
  for (const Bit& row : kBits)
    if (attr.flags & row.flag) flags |= field_bits(1, row.bit, 1);
  return flags;
}

template <class T>
void put(T value, std::uint8_t* attr, std::size_t at) {
  std::memcpy(attr + at, &value, sizeof value);
}

template <class T>
T get(const std::uint8_t* attr, std::size_t at) {
  T value;
  std::memcpy(&value, attr + at, sizeof value);
  return value;
}

evname::Result<void> check(const evname_attr& attr, std::size_t size) {
  if (size < kFirstSize) return fail(Errc::out_of_range, "a perf_event_attr has at least 64 bytes");
  if (!attr.code.has_type)
    return fail(Errc::not_found, "the type of this PMU is only known on the machine itself");
  for (std::size_t i = 0; i < std::size(kWords); ++i)
    if (attr.code.config[i] != 0 && kWords[i].at + 8 > size)
      return fail(Errc::out_of_range,
                  std::string("this perf_event_attr is too old to have ") + kWords[i].name);
  return {};
}

void fill(const evname_attr& attr, std::uint8_t* out, std::size_t size) {
  put(attr.code.type, out, kTypeAt);
  if (get<std::uint32_t>(out, kSizeAt) == 0) put(static_cast<std::uint32_t>(size), out, kSizeAt);
  put(get<std::uint64_t>(out, kFlagsAt) | flags_of(attr), out, kFlagsAt);
  put(attr.bp_type, out, kBpTypeAt);
  for (std::size_t i = 0; i < std::size(kWords); ++i)
    if (kWords[i].at + 8 <= size) put(attr.code.config[i], out, kWords[i].at);
}

}  // namespace

int evname_attr_fill(const evname_attr* attr, void* perf_event_attr, size_t size,
                     evname_error* error) {
  return guarded(error, [&]() -> evname::Result<void> {
    if (auto fits = check(*attr, size); !fits) return fits;
    fill(*attr, static_cast<std::uint8_t*>(perf_event_attr), size);
    return {};
  });
}
