#pragma once
// The modifiers of libpfm4's events, by layout of codes, and of the kernel's interface.

#include <cstdint>
#include <span>
#include <string_view>

#include "base/enum_table.hpp"
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

/// Returns a name of at most eight letters, in lower case, as a number; 0 for longer ones.
constexpr std::uint64_t modifier_key(std::string_view name) {
  std::uint64_t out = 0;
  if (name.size() > 8) return 0;
  for (const char letter : name) {
    if (letter == 0) return 0;
    out = out << 8 | static_cast<unsigned char>(to_lower(letter));
  }
  return out;
}

/// The texts are arrays, since pointers would be relocated at each program start.
struct Modifier {
  char id[9];      ///< its name in arch/pfm4, another for each modifier of a layout
  char name[9];    ///< as users write it
  bool is_number;  ///< takes a number, not only 0 and 1
  char meaning[54];
  std::uint64_t key = modifier_key(name);
};

/// The bits of Traits::modifiers are the positions here.
inline constexpr Modifier kIntelModifiers[] = {
    {"k", "k", false, "count in the kernel"},
    {"u", "u", false, "count in user programs"},
    {"e", "e", false, "count how often the event begins, may need c >= 1"},
    {"i", "i", false, "count cycles with fewer events than c"},
    {"c", "c", true, "count cycles with at least so many events [0-255]"},
    {"t", "t", false, "count events of any thread of the core"},
    {"ldlat", "ldlat", true, "least latency of loads in cycles [3-65535]"},
    {"intx", "intx", false, "count in transactions only"},
    {"intxcp", "intxcp", false, "do not count in transactions that abort"},
    {"fe_thres", "fe_thres", true, "least frontend bubble in cycles [1-4095]"},
};
inline constexpr Modifier kNehalemUncoreModifiers[] = {
    {"e", "e", false, "count how often the event begins"},
    {"i", "i", false, "count cycles with fewer events than c"},
    {"c", "c", true, "count cycles with at least so many events [0-255]"},
    {"o", "o", false, "count the occupancy of the queue"},
};
inline constexpr Modifier kUncoreModifiers[] = {
    {"e", "e", false, "count how often the event begins"},
    {"i", "i", false, "count cycles with fewer events than t"},
    {"t8", "t", true, "threshold [0-255]"},
    {"t5", "t", true, "threshold [0-31]"},
    {"tf", "tf", true, "thread [0-1]"},
    {"cf", "cf", true, "core, bit 4: not of a thread [0-15]"},
    {"nf", "nf", true, "bits of nodes [1-255]"},
    {"ff", "ff", true, "frequency in units of 100 MHz [0-255]"},
    {"addr", "addr", true, "physical address [40 bits]"},
    {"nf1", "nf", true, "bits of nodes [1-255]"},
    {"isoc", "isoc", false, "match isochronous requests"},
    {"nc", "nc", false, "match requests that are not coherent"},
    {"cf1", "cf", true, "core, bit 5: not of a thread [0-63]"},
    {"tf1", "tf", true, "thread [0-3]"},
    {"cf2", "cf", true, "source [0-63]"},
    {"loc", "loc", false, "match local targets"},
    {"rem", "rem", false, "match remote targets"},
    {"lmem", "lmem", false, "match local cacheable memory"},
    {"rmem", "rmem", false, "match remote cacheable memory"},
    {"dnid", "dnid", true, "node of the destination [0-15]"},
    {"rcsnid", "rcsnid", true, "RCS node of the destination [0-15]"},
    {"t6", "t", true, "threshold [0-63]"},
    {"occ_i", "occ_i", false, "invert the occupancy event"},
    {"occ_e", "occ_e", false, "count how often the occupancy event begins"},
};
inline constexpr Modifier kNetburstModifiers[] = {
    {"u", "u", false, "count in user programs"},
    {"k", "k", false, "count in the kernel"},
    {"cmpl", "cmpl", false, "count cycles with at most thr events, not more"},
    {"e", "e", false, "count how often the event begins"},
    {"thr", "thr", true, "threshold [0-15]"},
};
inline constexpr Modifier kAmdModifiers[] = {
    {"k", "k", false, "count in the kernel"},
    {"u", "u", false, "count in user programs"},
    {"e", "e", false, "count how often the event begins"},
    {"i", "i", false, "count cycles with fewer events than c"},
    {"c", "c", true, "count cycles with at least so many events [0-255]"},
    {"h", "h", false, "count in the hypervisor"},
    {"g", "g", false, "count in guests"},
};
inline constexpr Modifier kArmModifiers[] = {
    {"k", "k", false, "count in the kernel"},
    {"u", "u", false, "count in user programs"},
    {"hv", "hv", false, "count in the hypervisor"},
};
inline constexpr Modifier kTorrentModifiers[] = {
    {"type", "type", true, "width and prescale of the counters [0-3]"},
    {"sel", "sel", true, "sampling period and increment [0-3]"},
    {"lo_cmp", "lo_cmp", true, "low threshold [0-31]"},
    {"hi_cmp", "hi_cmp", true, "high threshold [0-31]"},
};
inline constexpr Modifier kMipsModifiers[] = {
    {"k", "k", false, "count in the kernel"},
    {"u", "u", false, "count in user programs"},
    {"s", "s", false, "count in supervisor mode"},
    {"e", "e", false, "count at exception level"},
};

constexpr std::span<const Modifier> modifiers_of(Layout layout) {
  switch (layout) {
    case Layout::intel:
      return kIntelModifiers;
    case Layout::nehalem_uncore:
      return kNehalemUncoreModifiers;
    case Layout::uncore:
      return kUncoreModifiers;
    case Layout::netburst:
      return kNetburstModifiers;
    case Layout::amd:
      return kAmdModifiers;
    case Layout::arm:
    case Layout::arm_uncore:
      return kArmModifiers;
    case Layout::torrent:
      return kTorrentModifiers;
    case Layout::mips:
      return kMipsModifiers;
    case Layout::plain:
    case Layout::generic:
    case Layout::raw:
      break;
  }
  return {};
}

/// The modifiers of perf_event_open(). PFM_OS_PERF_EVENT has only the ones that select what to
/// count.
enum class OsModifier : std::uint8_t {
  u,
  k,
  h,
  period,
  freq,
  precise,
  excl,
  mg,
  mh,
  cpu,
  pinned,
  hw_smpl
};
inline constexpr auto kOsModifiers = enum_values<OsModifier, Modifier>({
    {OsModifier::u, {"u", "u", false, "count in user programs"}},
    {OsModifier::k, {"k", "k", false, "count in the kernel"}},
    {OsModifier::h, {"h", "h", false, "count in the hypervisor"}},
    {OsModifier::period, {"period", "period", true, "events between samples"}},
    {OsModifier::freq, {"freq", "freq", true, "samples a second"}},
    {OsModifier::precise,
     {"precise", "precise", true, "how precise the address of samples must be [0-3]"}},
    {OsModifier::excl, {"excl", "excl", false, "nothing else on the PMU"}},
    {OsModifier::mg, {"mg", "mg", false, "count in guests"}},
    {OsModifier::mh, {"mh", "mh", false, "count on the host"}},
    {OsModifier::cpu, {"cpu", "cpu", true, "the CPU to count on"}},
    {OsModifier::pinned, {"pinned", "pinned", false, "always on a counter"}},
    {OsModifier::hw_smpl,
     {"hw_smpl", "hw_smpl", false, "samples by hardware, without a precise address"}},
});
constexpr bool is_of_plain_interface(OsModifier modifier) {
  return modifier <= OsModifier::h || modifier == OsModifier::mg || modifier == OsModifier::mh;
}

}  // namespace evname::pfm4
