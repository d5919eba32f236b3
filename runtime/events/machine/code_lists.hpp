#pragma once
// Lists of codes, which the command compares and shows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/machine.hpp"

namespace evname::machine {

/// An event of the tables on one PMU. The views are valid as long as the machine exists.
struct EventCode {
  std::string_view pmu;      ///< PmuInfo::name
  std::string_view name;     ///< lower case
  std::string_view desc;     ///< one sentence; may be empty
  std::optional<Code> code;  ///< nullopt: a parameter of the event has to be set first
  bool is_core = false;      ///< PmuInfo::is_core
  bool deprecated = false;   ///< replaced by another event
};

/// Returns every event of the model's tables with its code, once per PMU that has it: PMUs in the
/// order of Machine::pmus(), the events of each in the order of the tables.
std::vector<EventCode> event_codes(const Machine& machine);

/// An event whose code is close to a given code: the `event` field is the same, other fields
/// differ.
struct NearCode {
  std::string name;   ///< lower case
  std::string terms;  ///< its own code: "event=0xc2,umask=0x2"
};

/// Returns the events of a PMU that have the same `event` field as an unnamed code. Events that
/// differ in the fewest bits come first, deprecated events last. Empty if there are none, or if the
/// PMU has no such field.
std::vector<NearCode> near_codes(const Machine& machine, std::string_view pmu, const Code& code,
                                 std::size_t limit = SIZE_MAX);

}  // namespace evname::machine
