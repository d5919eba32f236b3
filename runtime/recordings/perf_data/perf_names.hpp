#pragma once
// What perf calls events: the names it computes from an attr, and what the texts it recorded say.

#include <cstdint>
#include <string>
#include <string_view>

#include "evname/attr.hpp"

namespace evname::recording {

/// Of an event that no recorded name is known of.
/// "cycles", "L1-dcache-load-misses", "mem:0x1000:rw", "raw 0x1a8", "unknown event PMU=12
/// config=0x1": what evsel__name of tools/perf/util/evsel.c gives, without modifiers.
std::string attr_name(const perfdata::Attr& attr);

/// The letters of attr's exclude_* and precise_ip: "u", "ppH", "kuh", "HG"; none for types without
/// any.
std::string attr_modifiers(const perfdata::Attr& attr);

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

}  // namespace evname::recording
