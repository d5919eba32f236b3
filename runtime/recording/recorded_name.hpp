#pragma once
// What the text that perf recorded as an event's name says.

#include <cstdint>
#include <string_view>

namespace evname {

struct RecordedName {
  std::string_view name;       ///< without modifiers and decoration; empty: a spelled-out code
  std::string_view modifiers;  ///< "u", "ppp"; empty for none
};

/// Of an event of a raw or dynamic PMU type: "armv8_pmuv3/inst_retired/u" is inst_retired with u,
/// "my label" is itself; "r1a8:u", "cpu/event=0x3c/pp", "4:0x1a8", "raw 0x1a8" are codes.
/// `config` tells names that only look like one ("read") from raw codes.
RecordedName read_pmu_event_name(std::string_view text, std::uint64_t config);

/// Of an event of a generic type: all but ":modifiers" and sampling terms is the name, so that
/// "page-faults/period=5/" is page-faults and "cpu_core/cycles:ppp/" is cycles with ppp.
/// `colons`: how many the name itself has (1: tracepoints).
RecordedName read_generic_event_name(std::string_view text, std::size_t colons);

}  // namespace evname
