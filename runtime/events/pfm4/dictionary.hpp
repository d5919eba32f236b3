#pragma once
// The names of libpfm4 as constexpr tables: PMUs, their events and unit masks, with the data for
// encoding each. gen/pfm4.cpp makes them from arch/pfm4; arch/README.md describes the files.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/letters.hpp"

namespace evname::pfm4 {

/// An offset into Dictionary::strings. Each text ends with a zero byte; 0 is the empty one.
using Text = std::uint32_t;

/// The layout of an event's code (encode_name.hpp), which decides its modifiers.
enum class Layout : std::uint8_t {
  intel,           ///< perfevtsel of Intel's cores, and its first uncores
  nehalem_uncore,  ///< the same with an occupancy bit and without privilege levels
  uncore,          ///< boxes of Intel's servers: a control register, filters, an address to match
  netburst,        ///< ESCR and CCCR of the Pentium 4
  amd,             ///< perfevtsel of AMD's cores, its L3 and northbridge
  arm,             ///< event number and three bits of privilege levels
  arm_uncore,      ///< event number
  torrent,         ///< event number with fields of IBM's Torrent chip
  mips,            ///< control register, and which counters can count the event
  plain,           ///< event number
  generic,         ///< PERF_TYPE_HARDWARE and its like
  raw,             ///< rNNN
};

enum class PmuType : std::uint8_t { unknown, core, uncore, generic };

/// Bits of Pmu::archs, in the order of kArchs.
enum ArchBit : std::uint8_t {
  kX86 = 1,
  kArm = 2,
  kArm64 = 4,
  kPowerpc = 8,
  kS390 = 16,
  kMips = 32
};

/// Privilege levels as libpfm4's PFM_PLM bits.
enum Level : std::uint8_t { kKernel = 1, kUser = 8, kHypervisor = 16 };

/// Bits of Pmu::flags.
enum PmuFlag : std::uint16_t {
  kRawMasks = 1 << 0,        ///< takes a unit mask as a hexadecimal number
  kArchDefault = 1 << 1,     ///< is the architecture's default PMU
  kNoSampling = 1 << 2,      ///< cannot sample
  kSpeculation = 1 << 3,     ///< knows which events count speculatively
  kDeprecated = 1 << 4,      ///< is found by its name alone
  kEdgeCmask = 1 << 5,       ///< e requires c >= 1
  kExtendedPebs = 1 << 6,    ///< any event may be sampled by hardware
  kOccupancy = 1 << 7,       ///< events with bit 7 have occupancy fields
  kCbo = 1 << 8,             ///< is a C-box
  kCha = 1 << 9,             ///< is a CHA
  kNoOsModifiers = 1 << 10,  ///< takes none of the kernel's modifiers
  kNeedsSysfs = 1 << 11,     ///< exists only if sysfs has its perf name
  kLive = 1 << 12,           ///< its events depend on the machine: live_sets()
};

/// Bits of Traits::flags, of an event or a unit mask.
enum TraitFlag : std::uint32_t {
  kNoCombination = 1u << 0,    ///< no other mask of its group with it
  kPrecise = 1u << 1,          ///< PEBS
  kDefault = 1u << 2,          ///< taken if no mask of its group is given
  kOneGroup = 1u << 3,         ///< event: masks of one group only
  kOffcore = 1u << 4,          ///< event: masks go into a second register
  kNoLaterGroup = 1u << 5,     ///< no masks of groups with a higher number
  kFixed = 1u << 6,            ///< a fixed counter
  kNoAutoEncode = 1u << 7,     ///< needs more than itself
  kOverride = 1u << 8,         ///< the low byte replaces the event's
  kLoadLatency = 1u << 9,      ///< takes ldlat
  kNoGroupDefault = 1u << 10,  ///< its group may stay empty
  kFrontend = 1u << 11,        ///< event: masks go into the frontend register
  kThreshold = 1u << 12,       ///< takes fe_thres
  kOnlyWithGroup0 = 1u << 13,  ///< no masks of groups other than its own and the first
  kNeedsGroup = 1u << 14,      ///< group / 256 must have a mask
  kFilterMask = 1u << 15,      ///< event: the filter is the upper half of the config word
  kForceFilter = 1u << 16,     ///< event: has a filter word even if that is zero
  kSpeculative = 1u << 17,     ///< event: counts speculatively
  kNoModifiers = 1u << 18,     ///< takes no modifiers
  kMayBeOmitted = 1u << 19,    ///< its group may stay empty if all masks of it say so
  kIbsFetch = 1u << 20,        ///< event: IBS fetch
  kIbsOp = 1u << 21,           ///< event: IBS op
};

/// The properties that events or unit masks share; Dictionary::traits has each combination once.
struct Traits {
  std::uint64_t filters[2] =
      {};                   ///< lower half: bits that are set, upper half: bits that are cleared
  std::uint32_t flags = 0;  ///< TraitFlag
  std::uint32_t modifiers = 0;  ///< event: accepted modifiers; mask: fixed modifiers
  std::uint32_t required =
      0;                    ///< modifiers that must be given; of `generic` events, the type of attr
  Text alias = 0;           ///< the expansion of an alias; "" if it is not one
  std::uint16_t group = 0;  ///< event: the number of groups; mask: the group it is in
  std::uint16_t only = 0;   ///< the id of the one PMU that has it; 0: all
  std::uint8_t from = 0;  ///< the first revision that has it (Pmu::revision); of live PMUs its set
  std::uint8_t till = 0xff;  ///< and the last
  std::uint8_t unused[2] = {};
};

struct Mask {
  std::uint64_t code = 0;
  Text name : 24 = 0;
  Text group : 8 = 0;  ///< lower half of Traits::group
  std::uint16_t traits = 0;
  std::uint16_t hash = 0;  ///< upper half of its name's
};

/// Bits of Event::flags.
enum EventFlag : std::uint16_t {
  kHasPreciseMask = 1 << 0,  ///< every PMU of the table has such a mask
  kHasOthersMask = 1 << 1,   ///< not every PMU of the table has all masks
};

struct Event {
  std::uint64_t code = 0;
  Text name = 0;
  std::uint32_t first_mask = 0;
  std::uint16_t mask_count = 0;
  std::uint16_t traits = 0;
  std::uint16_t hash = 0;  ///< upper half of its name's
  std::uint16_t flags = 0;
};

/// A table of events, which several PMUs may have.
struct EventTable {
  std::uint32_t first = 0;  ///< index into events
  std::uint32_t count = 0;
  std::uint32_t first_slot = 0;  ///< index into slots
  std::uint32_t last_slot = 0;   ///< the number of its slots, a power of two, less one
};

/// The number of the first PMU that libpfm4 does not have (arch/pfm4/own_pmus.csv).
inline constexpr std::uint16_t kFirstOwnId = 700;

/// The kinds of a CPU's number.
enum class Maker : std::uint8_t { none, intel, amd, arm, power };

/// The number of a CPU: of x86 the family in the upper half and the model in the lower one, of Arm
/// the implementer and the part, of POWER the version.
struct CpuNumber {
  Maker maker = Maker::none;
  std::uint8_t stepping = 0;  ///< of x86
  std::uint32_t number = 0;
};

/// A range of CPUs that have a PMU.
struct CpuRange {
  std::uint32_t first = 0, last = 0;  ///< numbers
  std::uint16_t steppings = 0xffff;   ///< bits
  Maker maker = Maker::none;
  std::uint8_t unused = 0;
};

struct Pmu {
  Text name = 0;
  Text label = 0;  ///< such as "Intel Skylake X"
  Text perf = 0;   ///< names in sysfs, separated by commas; "" if it has none
  std::uint16_t first_cpu = 0, cpu_count = 0;  ///< in Dictionary::cpus; none: all of archs have it
  std::uint16_t id = 0;                        ///< its number in libpfm4's enumeration
  std::uint16_t table = 0;                     ///< index into tables
  std::uint16_t count = 0;  ///< number of its events of the table, regardless of `only`
  std::uint16_t flags = 0;  ///< PmuFlag
  Layout layout = Layout::plain;
  PmuType type = PmuType::unknown;
  std::uint8_t archs = 0;     ///< ArchBit
  std::uint8_t levels = 0;    ///< Level
  std::uint8_t counters = 0;  ///< generic ones
  std::uint8_t fixed = 0;
  std::uint8_t words = 0;     ///< maximum number in an encoding
  std::uint8_t revision = 0;  ///< of AMD's cores
};

/// A preset of PAPI.
struct Preset {
  Text name = 0;
  Text meaning = 0;
  Text events =
      0;  ///< as in arch/pfm4/presets.csv: choices by '|', each of events joined by '+' and '-'
};

struct Dictionary {
  std::span<const Pmu> pmus;  ///< in libpfm4's order, which is the order of looking for a name
  std::span<const CpuRange> cpus;
  std::span<const EventTable> tables;
  std::span<const Event> events;
  /// The events of each table by name_hash(): an open-addressing hash table of indexes plus one, 0
  /// for none. Events of one name are in order.
  std::span<const std::uint16_t> slots;
  std::span<const std::uint16_t> pmu_slots;  ///< the same of the PMUs
  std::span<const Mask> masks;
  std::span<const Traits> traits;
  std::span<const Preset> presets;
  const char* strings = "";

  const char* text(Text offset) const { return strings + offset; }
  std::span<const Event> events_of(const Pmu& pmu) const {
    return pmu.count == 0 ? std::span<const Event>()
                          : events.subspan(tables[pmu.table].first, pmu.count);
  }
  std::span<const Mask> masks_of(const Event& event) const {
    return masks.subspan(event.first_mask, event.mask_count);
  }
  const Traits& traits_of(const Event& event) const { return traits[event.traits]; }
  const Traits& traits_of(const Mask& mask) const { return traits[mask.traits]; }
};

/// The generated tables. They are hidden, so that their addresses need no relocation, unlike
/// addresses in a constant of type Dictionary.
#define EVNAME_PFM4_TABLE [[gnu::visibility("hidden")]] extern const
struct TableSizes {
  std::uint32_t pmus, cpus, tables, events, slots, pmu_slots, masks, traits, presets;
};
EVNAME_PFM4_TABLE TableSizes kTableSizes;
EVNAME_PFM4_TABLE Pmu kPmus[];
EVNAME_PFM4_TABLE CpuRange kCpus[];
EVNAME_PFM4_TABLE EventTable kTables[];
EVNAME_PFM4_TABLE Event kEvents[];
EVNAME_PFM4_TABLE std::uint16_t kSlots[], kPmuSlots[];
EVNAME_PFM4_TABLE Mask kMasks[];
EVNAME_PFM4_TABLE Traits kTraits[];
EVNAME_PFM4_TABLE Preset kPresets[];
EVNAME_PFM4_TABLE char kStrings[];
#undef EVNAME_PFM4_TABLE

/// Returns the tables of the build; without PMUs if they were left out (-Dpfm4=false).
inline Dictionary dictionary() {
  const TableSizes& n = kTableSizes;
  return {{kPmus, n.pmus},       {kCpus, n.cpus},
          {kTables, n.tables},   {kEvents, n.events},
          {kSlots, n.slots},     {kPmuSlots, n.pmu_slots},
          {kMasks, n.masks},     {kTraits, n.traits},
          {kPresets, n.presets}, kStrings};
}

/// Returns a bit for each set of events that a live PMU has on this machine. libpfm.so.4 asks the
/// machine; elsewhere Intel's architectural PMU has all events of a version.
std::uint32_t live_sets(const Pmu& pmu);

/// Returns true if the PMU has an event or unit mask of its table.
inline bool has(const Pmu& pmu, const Traits& traits) {
  if ((pmu.flags & kLive) != 0 && traits.from != 0)
    return (live_sets(pmu) >> (traits.from & 31) & 1) != 0;
  return (traits.only == 0 || traits.only == pmu.id) && pmu.revision >= traits.from &&
         pmu.revision <= traits.till;
}

/// Returns the PMU of that name, without regard to case; nullptr: there is none.
const Pmu* find_pmu(std::string_view name);

/// Returns the preset of that name, without regard to case; nullptr: there is none.
const Preset* find_preset(std::string_view name);

/// Returns true if a CPU has the PMU.
inline bool is_of_cpu(const Pmu& pmu, CpuNumber cpu) {
  for (const CpuRange& range : dictionary().cpus.subspan(pmu.first_cpu, pmu.cpu_count))
    if (range.maker == cpu.maker && cpu.number >= range.first && cpu.number <= range.last &&
        (range.steppings >> (cpu.stepping & 15) & 1) != 0)
      return true;
  return false;
}

/// Returns the number of a CPU that perf's CPUID string names: "GenuineIntel-6-55-4",
/// "0x00000000410fd0c0".
CpuNumber cpu_number(std::string_view cpuid);

/// Returns the index of the first event of that name, without regard to case; -1: there is none.
/// `hash` is the name's.
int find_event(const Pmu& pmu, std::string_view name, std::uint32_t hash);
inline int find_event(const Pmu& pmu, std::string_view name) {
  return find_event(pmu, name, name_hash(name));
}

/// Returns the index of the first event that the PMU has from an index on; -1: there is none.
/// "first" is 0, "next" the index after the last one.
int next_event(const Pmu& pmu, unsigned from);

}  // namespace evname::pfm4
