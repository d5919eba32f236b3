#pragma once
// Lists of codes and of names, which the command compares and shows.

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

/// An event as libpfm4 spells it.
struct Pfm4Name {
  std::string name;  ///< "skx::MEM_LOAD_RETIRED:L3_MISS", which resolve() takes
  std::string pmu;   ///< the machine's PMU that counts it: "cpu"
  Code code = {};  ///< libpfm4's; if the maker's event of that name has another, resolve() returns
                   ///< the maker's
  bool is_alias = false;  ///< stands for another of these names
};

/// A preset of PAPI on one machine: the sum of some counts less the sum of others.
struct PapiPreset {
  std::string name;                ///< "PAPI_BR_UCN"
  std::string meaning;             ///< what it counts
  std::vector<std::string> added;  ///< events that resolve() takes; at least one
  std::vector<std::string> taken;  ///< events whose counts are subtracted
};

/// Returns every event of libpfm4 with each of its unit masks, in its order. Of a unit with several
/// numbered instances, only the first is listed. On PMUs that libpfm4 does not know, events have
/// the names of their tables in its spelling. Empty in a build without libpfm4's names.
std::vector<Pfm4Name> pfm4_names(const Machine& machine);

/// Returns the presets of PAPI that the machine has events for, in PAPI's order.
std::vector<PapiPreset> papi_presets(const Machine& machine);

}  // namespace evname::machine
