// Where data came from, by events and by the packet of each core: arm_spe__synth_data_source() of
// tools/perf/util/arm-spe.c. The values are from include/uapi/linux/perf_event.h.

#include "recordings/spe/trace.hpp"

#include <gtest/gtest.h>

#include <linux/perf_event.h>

namespace evname::spe {
namespace {

constexpr std::uint64_t kLoadOp = PERF_MEM_S(OP, LOAD), kStoreOp = PERF_MEM_S(OP, STORE),
                        kNa = PERF_MEM_S(OP, NA), kHitLevel = PERF_MEM_S(LVL, HIT),
                        kMissLevel = PERF_MEM_S(LVL, MISS), kSnoopNa = PERF_MEM_S(SNOOP, NA),
                        kNoSnoop = PERF_MEM_S(SNOOP, NONE), kSnoopHit = PERF_MEM_S(SNOOP, HIT),
                        kHitm = PERF_MEM_S(SNOOP, HITM), kPeer = PERF_MEM_S(SNOOPX, PEER),
                        kRemote = PERF_MEM_S(REMOTE, REMOTE),
                        kNoLevel = PERF_MEM_S(LVL, NA) | PERF_MEM_S(LVLNUM, NA),
                        kL1 = PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVLNUM, L1),
                        kLfb = PERF_MEM_S(LVL, LFB) | PERF_MEM_S(LVLNUM, LFB),
                        kL2 = PERF_MEM_S(LVL, L2) | PERF_MEM_S(LVLNUM, L2),
                        kL3 = PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVLNUM, L3),
                        kRam = PERF_MEM_S(LVL, LOC_RAM) | PERF_MEM_S(LVLNUM, RAM);

std::uint64_t source_of(std::uint32_t is, std::uint64_t events, const Cpu* cpu = nullptr,
                        std::uint16_t packet = 0) {
  Operation operation;
  operation.is = is;
  operation.events = events;
  operation.source = packet;
  return memory_source(operation, cpu);
}

// The nearest cache with an access and no miss was hit; else the farthest one missed.
TEST(SpeMemorySource, CachesByEvents) {
  constexpr std::uint64_t k1 = kL1dAccess, k1Miss = kL1dRefill, k2 = kL2dAccess, k2Miss = kL2dMiss,
                          k3 = kLlcAccess, k3Miss = kLlcMiss;
  const struct {
    std::uint64_t events, load, store;
  } cases[] = {
      {0, kNoLevel, kNoLevel},
      {k1, kL1 | kHitLevel, kL1 | kHitLevel},
      {k1 | k1Miss, kL1 | kMissLevel, kL1 | kMissLevel},
      {k1Miss, kL1 | kMissLevel, kL1 | kMissLevel},
      {k2, kL2 | kHitLevel, kL2 | kHitLevel},
      {k2 | k2Miss, kL2 | kMissLevel, kL2 | kMissLevel},
      {k3, kL3 | kHitLevel, kL3 | kHitLevel},
      {k3 | k3Miss, kL3 | kMissLevel, kL3 | kMissLevel},
      {k1 | k2, kL1 | kHitLevel, kL2 | kHitLevel},
      {k1 | k2 | k3, kL1 | kHitLevel, kL3 | kHitLevel},
      {k1 | k1Miss | k2, kL2 | kHitLevel, kL2 | kHitLevel},
      {k1 | k1Miss | k2 | k2Miss, kL2 | kMissLevel, kL2 | kMissLevel},
      {k1 | k1Miss | k2 | k2Miss | k3, kL3 | kHitLevel, kL3 | kHitLevel},
      {k1 | k1Miss | k2 | k2Miss | k3 | k3Miss, kL3 | kMissLevel, kL3 | kMissLevel},
      {kRecentlyFetched, kLfb | kHitLevel, kNoLevel},
      {kRecentlyFetched | k1, kL1 | kHitLevel, kL1 | kHitLevel},
      {kRecentlyFetched | k1 | k1Miss, kLfb | kHitLevel, kL1 | kMissLevel},
      {kRecentlyFetched | k2, kLfb | kHitLevel, kL2 | kHitLevel},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(source_of(kIsMemory | kIsLoad, c.events), kLoadOp | kSnoopNa | c.load) << c.events;
    EXPECT_EQ(source_of(kIsMemory | kIsStore, c.events), kStoreOp | kSnoopNa | c.store) << c.events;
  }
}

TEST(SpeMemorySource, KindsOfOperations) {
  EXPECT_EQ(source_of(0, kL1dAccess), 0u);
  EXPECT_EQ(source_of(kIsBranch, kL1dAccess), 0u);
  EXPECT_EQ(source_of(kIsVector, kL1dAccess), kNa | kSnoopNa | kNoLevel);
  EXPECT_EQ(source_of(kIsMemory, kL1dAccess), kNa | kSnoopNa | kNoLevel);
  EXPECT_EQ(source_of(kIsMemory | kIsVector | kIsLoad, kL1dAccess),
            kLoadOp | kSnoopNa | kL1 | kHitLevel);
}

TEST(SpeMemorySource, TlbSnoopsAndRemotes) {
  constexpr std::uint64_t kWalker = PERF_MEM_S(TLB, WK), kTlbHit = PERF_MEM_S(TLB, HIT),
                          kTlbMiss = PERF_MEM_S(TLB, MISS);
  const Cpu plain{0, 0, 0}, snoops{0, 0, kSnooped};
  const struct {
    std::uint64_t events;
    const Cpu* cpu;
    std::uint64_t expected;
  } cases[] = {{0, nullptr, kSnoopNa},
               {0, &plain, kSnoopNa},
               {0, &snoops, kNoSnoop},
               {kSnooped, nullptr, kSnoopHit},
               {kSnooped, &snoops, kSnoopHit},
               {kSnooped | kModified, &snoops, kHitm},
               {kModified, &snoops, kNoSnoop},
               {kRemoteAccess, nullptr, kSnoopNa | kRemote},
               {kTlbAccess, nullptr, kSnoopNa | kWalker | kTlbHit},
               {kTlbWalk, nullptr, kSnoopNa | kWalker | kTlbMiss},
               {kTlbAccess | kTlbWalk, nullptr, kSnoopNa | kWalker | kTlbMiss}};
  for (const auto& c : cases)
    EXPECT_EQ(source_of(kIsMemory | kIsLoad, c.events, c.cpu), kLoadOp | kNoLevel | c.expected)
        << c.events;
}

// MIDR_EL1: implementer in bits 24 to 31, architecture 0xf in 16 to 19, part in 4 to 15.
TEST(SpeMemorySource, PacketsOfCores) {
  constexpr std::uint64_t kN1 = 0x413fd0c1, kAmpere = 0xc00fac40, kHisilicon = 0x480fd060;
  constexpr std::uint64_t kAnySocket = PERF_MEM_S(LVL, REM_CCE2) | PERF_MEM_S(LVLNUM, ANY_CACHE),
                          kCluster = PERF_MEM_S(LVL, REM_CCE1) | PERF_MEM_S(LVLNUM, L3);
  const struct {
    std::uint64_t midr;
    std::uint16_t packet;
    std::uint64_t load;
  } cases[] = {
      {kN1, 0, kL1 | kHitLevel | kNoSnoop},
      {kN1, 8, kL2 | kHitLevel | kNoSnoop},
      {kN1, 9, kL2 | kHitLevel | kPeer | kSnoopNa},
      {kN1, 0xa, kL3 | kHitLevel | kPeer | kSnoopNa},
      {kN1, 0xb, kL3 | kHitLevel | kSnoopHit},
      {kN1, 0xc, kL3 | kHitLevel | kPeer | kSnoopNa},
      {kN1, 0xd, kNoLevel | kRemote | kPeer | kSnoopNa},
      {kN1, 0xe, kRam | kHitLevel | kNoSnoop},
      {kAmpere, 0, kL2 | kHitLevel | kPeer | kSnoopNa},
      {kAmpere, 3, kL3 | kHitLevel | kSnoopHit},
      {kAmpere, 5, kNoLevel | kRemote | kPeer | kSnoopNa},
      {kAmpere, 7, kRam | kHitLevel | kNoSnoop},
      {kAmpere, 8, kL1 | kHitLevel | kNoSnoop},
      {kAmpere, 9, kL2 | kHitLevel | kNoSnoop},
      {kHisilicon, 1, kL2 | kHitLevel | kHitm | kPeer},
      {kHisilicon, 5, kCluster | kHitLevel | kHitm | kPeer},
      {kHisilicon, 6, kAnySocket | kRemote | kPeer | kSnoopNa},
      {kHisilicon, 18, kL1 | kHitLevel | kNoSnoop},
      // The events of an unknown source decide: L3 was hit.
      {kN1, 1, kL3 | kHitLevel | kSnoopNa},
      {kAmpere, 1, kL3 | kHitLevel | kSnoopNa},
      {kHisilicon, 12, kL3 | kHitLevel | kSnoopNa},
      {0x413fd0d1, 8, kL3 | kHitLevel | kSnoopNa},  // another part
      {0x423fd0c1, 8, kL3 | kHitLevel | kSnoopNa},  // another implementer
      {0x4130d0c1, 8, kL3 | kHitLevel | kSnoopNa},  // an older architecture
      {0, 8, kL3 | kHitLevel | kSnoopNa},
      {0xffffff00413fd0c1, 8, kL2 | kHitLevel | kNoSnoop},  // bits above are of nothing
  };
  for (const auto& c : cases) {
    const Cpu cpu{0, c.midr, 0};
    EXPECT_EQ(source_of(kIsMemory | kIsLoad, kLlcAccess, &cpu, c.packet), kLoadOp | c.load)
        << std::hex << c.midr << ' ' << c.packet;
  }
}

// The packet of a store says nothing, which is what the source says then.
TEST(SpeMemorySource, PacketsOfStores) {
  const struct {
    std::uint64_t midr;
    std::uint16_t packet;
    std::uint64_t expected;
  } cases[] = {
      {0x413fd0c1, 8, kNoLevel | kSnoopNa},        {0x413fd0c1, 1, kNoLevel | kSnoopNa},
      {0x480fd060, 1, kNoLevel | kSnoopNa},        {0xc00fac40, 8, kNoLevel | kSnoopNa},
      {0xc00fac40, 1, kL3 | kHitLevel | kSnoopNa}, {0x423fd0c1, 8, kL3 | kHitLevel | kSnoopNa}};
  for (const auto& c : cases) {
    const Cpu cpu{0, c.midr, 0};
    EXPECT_EQ(source_of(kIsMemory | kIsStore, kLlcAccess, &cpu, c.packet), kStoreOp | c.expected)
        << std::hex << c.midr << ' ' << c.packet;
  }
}

}  // namespace
}  // namespace evname::spe
