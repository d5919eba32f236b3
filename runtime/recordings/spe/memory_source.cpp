#include "recordings/spe/memory_source.hpp"

#include <algorithm>
#include <span>

#include "perf_format/data_src.hpp"

namespace evname::spe {
namespace {

using namespace perf_format::data_source;

// The values PERF_MEM_* of include/uapi/linux/perf_event.h.

constexpr std::uint64_t in(Bits part, std::uint64_t value) { return value << part.from; }

constexpr std::uint64_t kLoad = in(kOp, 2), kStore = in(kOp, 4), kNoOp = in(kOp, 1);
constexpr std::uint64_t kLevelHit = in(kLevel, kHit), kLevelMiss = in(kLevel, kMiss);
constexpr std::uint64_t kSnoopNa = in(kSnoop, 1), kNoSnoop = in(kSnoop, 2),
                        kSnoopHit = in(kSnoop, 4), kHitm = in(kSnoop, 0x10), kPeer = in(kSnoopX, 2),
                        kFar = in(kRemote, 1);
constexpr std::uint64_t kTlbHit = in(kTlb, kHit), kTlbMiss = in(kTlb, kMiss),
                        kWalker = in(kTlb, 0x20);

/// A level as bits and as a number.
constexpr std::uint64_t level(std::uint64_t bits, std::uint64_t number) {
  return in(kLevel, bits) | in(kLevelNumber, number);
}
constexpr std::uint64_t kL1 = level(0x08, 1), kLfb = level(0x10, 0xc), kL2 = level(0x20, 2),
                        kL3 = level(0x40, 3), kRam = level(0x80, 0xd), kFarRam = level(0x100, 0xd),
                        kFarCluster = level(0x400, 3), kFarSocket = level(0x800, 0xb),
                        kIo = level(0x1000, 0xa), kNoLevel = level(1, 0xf);

/// The meaning of a value of the packet.
struct Source {
  std::uint16_t packet;
  std::uint64_t means;
};

// Arm's own cores: peer core, local cluster, system cache, peer cluster, remote and DRAM after the
// first two.
constexpr Source kCommon[] = {
    {0x0, kL1 | kLevelHit | kNoSnoop},  {0x8, kL2 | kLevelHit | kNoSnoop},
    {0x9, kL2 | kLevelHit | kPeer},     {0xa, kL3 | kLevelHit | kPeer},
    {0xb, kL3 | kLevelHit | kSnoopHit}, {0xc, kL3 | kLevelHit | kPeer},
    {0xd, kNoLevel | kFar | kPeer},     {0xe, kRam | kLevelHit | kNoSnoop}};
constexpr Source kAmpereOne[] = {
    {0x0, kL2 | kLevelHit | kPeer},    {0x3, kL3 | kLevelHit | kSnoopHit},
    {0x5, kNoLevel | kFar | kPeer},    {0x7, kRam | kLevelHit | kNoSnoop},
    {0x8, kL1 | kLevelHit | kNoSnoop}, {0x9, kL2 | kLevelHit | kNoSnoop}};
constexpr Source kHip[] = {
    {0, kL2 | kLevelHit | kPeer},         {1, kL2 | kLevelHit | kHitm | kPeer},
    {2, kL3 | kLevelHit | kSnoopHit},     {3, kL3 | kLevelHit | kHitm},
    {4, kFarCluster | kLevelHit | kPeer}, {5, kFarCluster | kLevelHit | kHitm | kPeer},
    {6, kFarSocket | kFar | kPeer},       {7, kFarSocket | kHitm | kFar | kPeer},
    {8, kRam | kLevelHit | kNoSnoop},     {9, kFarRam | kLevelHit | kFar},
    {13, kIo | kLevelHit | kNoSnoop},     {16, kL2 | kLevelHit | kNoSnoop},
    {17, kL2 | kLevelHit | kHitm},        {18, kL1 | kLevelHit | kNoSnoop}};

/// A core by the implementer and the part of its MIDR, and its table. Source: data_source_handles
/// of tools/perf/util/arm-spe.c.
struct Core {
  std::uint64_t implementer, part;
  std::span<const Source> sources;
};
constexpr Core kCores[] = {
    {0x41, 0xd4d, kCommon},                          // Cortex-A715
    {0x41, 0xd81, kCommon},                          // Cortex-A720
    {0x41, 0xd89, kCommon},                          // Cortex-A720AE
    {0x41, 0xd87, kCommon},                          // Cortex-A725
    {0x41, 0xd4b, kCommon},                          // Cortex-A78C
    {0x41, 0xd44, kCommon},                          // Cortex-X1
    {0x41, 0xd4c, kCommon},                          // Cortex-X1C
    {0x41, 0xd4e, kCommon},                          // Cortex-X3
    {0x41, 0xd82, kCommon},                          // Cortex-X4
    {0x41, 0xd85, kCommon},                          // Cortex-X925
    {0x41, 0xd0c, kCommon},                          // Neoverse N1
    {0x41, 0xd49, kCommon},                          // Neoverse N2
    {0x41, 0xd40, kCommon},                          // Neoverse V1
    {0x41, 0xd4f, kCommon},                          // Neoverse V2
    {0x41, 0xd84, kCommon},                          // Neoverse V3
    {0x4e, 0x010, kCommon},                          // NVIDIA Olympus
    {0xc0, 0xac4, kAmpereOne}, {0x48, 0xd06, kHip},  // HiSilicon HIP12
};

std::uint64_t of_packet(const Operation& operation, std::uint64_t midr) {
  const auto* core = std::find_if(std::begin(kCores), std::end(kCores), [&](const Core& row) {
    return row.implementer == (midr >> 24 & 0xff) && row.part == (midr >> 4 & 0xfff);
  });
  if (core == std::end(kCores) || (midr >> 16 & 0xf) != 0xf) return 0;
  const auto row = std::ranges::find(core->sources, operation.source, &Source::packet);
  const bool is_known = row != core->sources.end();
  // The packet does not apply to stores.
  if ((operation.is & kIsStore) == 0) return is_known ? row->means : 0;
  return is_known || core->sources.data() != kAmpereOne ? kNoLevel | kSnoopNa : 0;
}

/// A cache, the bits of its events, and how data_src names it.
struct Cache {
  std::uint64_t access, miss, means;
};
constexpr Cache kCaches[] = {
    {kL1dAccess, kL1dRefill, kL1}, {kL2dAccess, kL2dMiss, kL2}, {kLlcAccess, kLlcMiss, kL3}};

/// A load hit the nearest cache with a hit, else missed the farthest one.
std::uint64_t level_of_load(std::uint64_t events) {
  for (const Cache& cache : kCaches) {
    if ((events & (cache.access | cache.miss)) == cache.access) return cache.means | kLevelHit;
    if (cache.means == kL1 && (events & kRecentlyFetched) != 0) return kLfb | kLevelHit;
  }
  for (auto cache = std::rbegin(kCaches); cache != std::rend(kCaches); ++cache)
    if ((events & cache->miss) != 0) return cache->means | kLevelMiss;
  return 0;
}

/// For a store the farthest cache counts.
std::uint64_t level_of_store(std::uint64_t events) {
  for (auto cache = std::rbegin(kCaches); cache != std::rend(kCaches); ++cache)
    if ((events & (cache->access | cache->miss)) != 0)
      return cache->means | ((events & cache->miss) != 0 ? kLevelMiss : kLevelHit);
  return 0;
}

std::uint64_t snoop_of(std::uint64_t events, const Cpu* cpu) {
  if ((events & kSnooped) != 0) return (events & kModified) != 0 ? kHitm : kSnoopHit;
  return cpu != nullptr && (cpu->events & kSnooped) != 0 ? kNoSnoop : kSnoopNa;
}

}  // namespace

// arm_spe__synth_data_source of tools/perf/util/arm-spe.c.
std::uint64_t memory_source(const Operation& operation, const Cpu* cpu) {
  if ((operation.is & (kIsMemory | kIsVector)) == 0) return 0;
  const std::uint64_t events = operation.events;
  std::uint64_t source = (operation.is & kIsLoad) != 0    ? kLoad
                         : (operation.is & kIsStore) != 0 ? kStore
                                                          : kNoOp;
  const std::uint64_t op = source;
  if (cpu != nullptr) source |= of_packet(operation, cpu->midr);
  if (kLevel.of(source) == 0 && op == kLoad) source |= level_of_load(events);
  if (kLevel.of(source) == 0 && op == kStore) source |= level_of_store(events);
  if (kLevel.of(source) == 0) source |= kNoLevel;
  if (kSnoop.of(source) == 0) source |= snoop_of(events, cpu);
  if ((events & kRemoteAccess) != 0) source |= kFar;
  if ((events & (kTlbAccess | kTlbWalk)) != 0)
    source |= kWalker | ((events & kTlbWalk) != 0 ? kTlbMiss : kTlbHit);
  return source;
}

}  // namespace evname::spe
