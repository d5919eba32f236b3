#pragma once
// What perf_event_attr needs to count an event, and where that came from.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/export.h"

namespace evname {

/// How the model (the directory of event tables) of a machine was found.
enum class MatchedBy : std::uint8_t {
  none,          ///< No table fits; only names the kernel itself knows resolve.
  cpuid,         ///< A mapfile pattern matched the CPUID string.
  name,          ///< The caller named the model.
  caps,          ///< Fallback: the PMU's pmu_name capability names a model.
  architecture,  ///< Fallback: only the architecture's standard events are known.
};

/// Where the terms of an encoding came from.
enum class Source : std::uint8_t {
  table,   ///< Built-in event tables (compiled from JSON).
  sysfs,   ///< events/NAME of the machine's sysfs.
  kernel,  ///< Names of the perf_event ABI itself: cycles, page-faults, L1-dcache-loads.
  raw,     ///< Spelled out by the caller: r1a8, cpu/event=0x3c/.
};

/// The lower-case words used in JSON output and messages.
EVNAME_API const char* to_string(MatchedBy matched_by);
EVNAME_API const char* to_string(Source source);

/// The bits of perf_event_attr that modifiers stand for. Nothing else of evname sets them.
struct AttrBits {
  ///@{
  /// As in perf_event_attr.
  bool exclude_user = false;
  bool exclude_kernel = false;
  bool exclude_hv = false;
  bool exclude_host = false;
  bool exclude_guest = false;
  bool exclude_idle = false;
  bool pinned = false;
  bool exclusive = false;
  ///@}
  std::uint8_t precise_ip = 0;  ///< 0 to 3; for `P` 3, from which perf probes downwards

  /// Member by member.
  bool operator==(const AttrBits&) const = default;
};

/// One way to open an event. A name can stand for several (one for each PMU that has it).
struct Encoding {
  std::string name;  ///< Table or sysfs name in lower case, else the text as given.
  std::string pmu;   ///< "cpu", "uncore_imc_0"; "hardware", "hw_cache", … for the generic types.
  std::optional<std::uint32_t> type;  ///< attr.type; nullopt where only the live machine knows it.
  ///@{
  /// As perf_event_attr has them.
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t config3 = 0;
  ///@}
  std::uint32_t bp_type =
      0;  ///< Breakpoints: read 1, write 2, execute 4; config1: address, config2: length.
  std::uint64_t period = 0;  ///< Suggested sample period (events); 0: none given.

  std::string terms;      ///< As in perf's tables: "event=0xd1,period=100007,umask=0x20".
  std::string modifiers;  ///< Letters after the name, then its group's: "u", "pp"; may be empty.
  AttrBits bits;          ///< What the modifiers stand for; nothing is set without them, where
                          ///< perf leaves guests out: see attr_bits().
  /// Groups: index, within the answer of one resolve call, of the encoding that leads this one's
  /// group; its own index if it leads or is in no group. See Machine::regroup().
  std::size_t leader = 0;
  std::string model;  ///< Model the name was found in ("skylakex"); empty for none.
  MatchedBy matched_by = MatchedBy::none;  ///< How that model was found.
  Source source = Source::raw;             ///< Where the terms are from.
  std::string desc;                        ///< One sentence; may be empty.
  std::string unit;    ///< Unit of a scaled count ("Bytes"); empty: plain events.
  double scale = 1.0;  ///< Multiply a count by this to get `unit`.

  /// What the words hold that the text may not have meant, as perf would have it: a field given
  /// twice ("event=0x3c,event=0x1" is 0x3d). Sentences for people; mostly empty.
  std::vector<std::string> warnings;
};

/// What of perf_event_attr an event sets, without the texts of Encoding: for callers that resolve
/// at high rates. The period is a suggestion, as there.
struct EventAttr {
  std::string_view pmu;               ///< as Encoding::pmu; lives as long as the machine
  std::optional<std::uint32_t> type;  ///< attr.type; nullopt where only the live machine knows it
  ///@{
  /// As in Encoding.
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t config3 = 0;
  std::uint32_t bp_type = 0;
  std::uint64_t period = 0;
  AttrBits bits;
  bool modified = false;  ///< there were modifiers; else `bits` are perf's own choice
  std::size_t leader = 0;
  ///@}
};

/// What perf makes of an event's own modifiers and then of its group's: without its own, guests are
/// left out; any own letter starts from nothing excluded. `D` and `e` of a group are for the event
/// that `leads` it. Unknown letters change nothing, nor does the order of letters.
EVNAME_API AttrBits attr_bits(std::string_view modifiers, std::string_view group = {},
                              bool leads = true);

}  // namespace evname
