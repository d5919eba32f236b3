#include "recording/attr_name.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace evname::perfdata {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kHardware[] = {"cycles",
                                          "instructions",
                                          "cache-references",
                                          "cache-misses",
                                          "branches",
                                          "branch-misses",
                                          "bus-cycles",
                                          "stalled-cycles-frontend",
                                          "stalled-cycles-backend",
                                          "ref-cycles"};
constexpr std::string_view kSoftware[] = {
    "cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
    "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy"};
constexpr std::string_view kCaches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                        "iTLB",      "branch",    "node"};
constexpr std::string_view kOps[] = {"load", "store", "prefetch"};
constexpr std::string_view kPluralOps[] = {"loads", "stores", "prefetches"};

std::string pick(Names names, std::uint64_t index, std::string_view otherwise) {
  return std::string(index < names.size() ? names[index] : otherwise);
}

std::string cache_name(std::uint64_t config) {
  const auto type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
  if (type >= std::size(kCaches)) return "unknown-ext-hardware-cache-type";
  if (op >= std::size(kOps)) return "unknown-ext-hardware-cache-op";
  if (result > 1) return "unknown-ext-hardware-cache-result";
  if (result == 0) return fmt::format("{}-{}", kCaches[type], kPluralOps[op]);
  return fmt::format("{}-{}-misses", kCaches[type], kOps[op]);
}

std::string breakpoint_name(const Attr& attr) {
  constexpr std::uint32_t kRead = 1, kWrite = 2, kExecute = 4;  // HW_BREAKPOINT_*
  std::string name = fmt::format("mem:{:#x}:", attr.config1);
  if (attr.bp_type & kRead) name += 'r';
  if (attr.bp_type & kWrite) name += 'w';
  if (attr.bp_type & kExecute) name += 'x';
  return name;
}

}  // namespace

std::string attr_name(const Attr& attr) {
  const std::uint64_t id = attr.config & 0xffffffff;  // above: the PMU type on hybrid machines
  switch (attr.type) {
    case kTypeHardware:
      return pick(kHardware, id, "unknown-hardware");
    case kTypeSoftware:
      return pick(kSoftware, attr.config, "unknown-software");
    case kTypeTracepoint:
      return "unknown tracepoint";
    case kTypeHwCache:
      return cache_name(id);
    case kTypeRaw:
      return fmt::format("raw {:#x}", attr.config);
    case kTypeBreakpoint:
      return breakpoint_name(attr);
    default:
      return fmt::format("unknown attr type: {}", static_cast<std::int32_t>(attr.type));
  }
}

// evsel__add_modifiers of tools/perf/util/evsel.c.
std::string attr_modifiers(const Attr& attr) {
  if (attr.type == kTypeTracepoint || attr.type > kTypeBreakpoint) return {};
  std::string letters;
  const bool privilege = attr.has(kExcludeKernel) || attr.has(kExcludeUser) || attr.has(kExcludeHv);
  if (privilege) {
    if (!attr.has(kExcludeUser)) letters += 'u';
    if (!attr.has(kExcludeKernel)) letters += 'k';
    if (!attr.has(kExcludeHv)) letters += 'h';
  }
  letters.append(attr.precise_ip(), 'p');
  const bool guest_default = privilege || attr.precise_ip() != 0;
  if (attr.has(kExcludeHost) || attr.has(kExcludeGuest) == guest_default) {
    if (!attr.has(kExcludeHost)) letters += 'H';
    if (!attr.has(kExcludeGuest)) letters += 'G';
  }
  return letters;
}

}  // namespace evname::perfdata
