#pragma once
// Names the events of a recording: computes perf's names of attrs, reads recorded texts, and
// chooses a name.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/recording.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::perf_data {

/// Returns the name that evsel__name of tools/perf/util/evsel.c gives to an event without a
/// recorded one, without modifiers: "cycles", "L1-dcache-load-misses", "mem:0x1000:rw", "raw
/// 0x1a8", "unknown event PMU=12 config=0x1".
std::string attr_name(const perf_format::Attr& attr);

/// Returns the letters of attr's exclude_* and precise_ip: "u", "ppH", "kuh", "HG"; none for types
/// without any.
std::string attr_modifiers(const perf_format::Attr& attr);

struct RecordedName {
  std::string_view name;       ///< without modifiers and decoration; empty: a spelled-out code
  std::string_view modifiers;  ///< "u", "ppp"; empty for none
};

/// Reads the name of an event of a raw or dynamic PMU type: "armv8_pmuv3/inst_retired/u" is
/// inst_retired with u, "my label" is itself; "r1a8:u", "cpu/event=0x3c/pp", "4:0x1a8", "raw 0x1a8"
/// are codes. `config` shows if a name that looks like a raw code ("read") is one.
RecordedName read_pmu_event_name(std::string_view text, std::uint64_t config);

/// Reads the name of an event of a generic type: the name is the text without ":modifiers" and
/// sampling terms: "page-faults/period=5/" is page-faults and "cpu_core/cycles:ppp/" is cycles with
/// ppp. `colons`: the number of colons in the name itself (1: tracepoints).
RecordedName read_generic_event_name(std::string_view text, std::size_t colons);

/// Returns a RecordedEvent for each event of the file, in its order. Takes the first name of these:
/// the name that the user or perf gave; perf's name of a generic event; the machine's name of
/// exactly that code; the recorded text or the machine's name with the fields that the user set
/// ("cpu/mem-loads,ldlat=30/"); the code spelled out ("cpu/event=0x3c,umask=0x1/").
std::vector<RecordedEvent> name_recorded_events(const stream::File& file, const Machine& machine);

/// Returns the machine's description of the event of this name on this PMU; "" if it has none.
std::string description_of(const Machine& machine, const RecordedEvent& event);

/// Returns the full name with the PMU before it: "cpu_core/cycles/P".
std::string name_with_pmu(const RecordedEvent& event);

/// Makes names distinct: if another PMU of the recording or of the machine has an event of the
/// name, the PMU is added ("cpu_core/cycles/"); if events of one PMU differ in their code,
/// modifiers or period, they get the names that were recorded ("cycles/period=1000/") or, if these
/// are the same, their codes ("cpu/event=0xa9,umask=0x1,name=stalls/").
void tell_apart(std::vector<RecordedEvent>& events, const perf_format::Events& attrs,
                const Machine& machine);

/// Makes names different: the second "cycles" is "cycles#2".
class DistinctNames {
 public:
  bool has(const std::string& name) const { return taken_.contains(name); }
  std::string of(std::string_view name);

 private:
  HashMap<std::string, unsigned> numbers_;
  std::set<std::string> taken_;
};

}  // namespace evname::perf_data
