#pragma once
// The names perf computes for events that no recorded name is known of.

#include <string>

#include "perfdata/format/attr.hpp"

namespace evname::perfdata {

/// "cycles", "L1-dcache-load-misses", "mem:0x1000:rw", "raw 0x1a8", "unknown attr type: 12": what
/// evsel__name of tools/perf/util/evsel.c gives, without modifiers.
std::string attr_name(const Attr& attr);

/// The letters of attr's exclude_* and precise_ip: "u", "ppH", "HG"; none for types without any.
std::string attr_modifiers(const Attr& attr);

}  // namespace evname::perfdata
