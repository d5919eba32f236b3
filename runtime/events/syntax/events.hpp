#pragma once
// Parses lists in the syntax of perf's -e to a tree: groups of events with their terms and
// modifiers. It needs no machine: the resolver finds the PMU of a name.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/tables.hpp"
#include "evname/error.hpp"

namespace evname::syntax {

enum class Kind : std::uint8_t {
  name,        ///< NAME: an event of some PMU
  pmu,         ///< PMU/terms/, or an event NAME with terms
  raw,         ///< rHEX
  numeric,     ///< TYPE:CONFIG
  tracepoint,  ///< SYS:EVENT
  breakpoint,  ///< mem:ADDR/LEN:RWX
};

/// One event of a list.
struct Spec {
  Kind kind = Kind::name;
  std::string_view name;        ///< event, PMU or tracepoint system
  std::string_view event;       ///< tracepoint only
  std::uint32_t name_hash = 0;  ///< name_hash() of `name`, where it is known; else 0
  std::uint64_t type = 0;       ///< numeric only
  std::uint64_t config = 0;     ///< raw and numeric; breakpoint: address
  std::uint64_t length = 0;     ///< breakpoint; 0: not given
  std::uint32_t access = 0;     ///< breakpoint: HW_BREAKPOINT_R 1, W 2, X 4; 0: not given
  std::vector<tables::Term> terms;
  std::string_view own_modifiers;
  std::string modifiers;   ///< its own, then its group's
  std::string_view text;   ///< as given, without modifiers and outer spaces
  std::size_t offset = 0;  ///< of `text`
};

struct Group {
  std::string_view name;  ///< before the brace; mostly empty
  bool braces = false;
  std::vector<Spec> specs;  ///< at least one
  std::string_view modifiers;
};

/// Parses a whole list. The tree has views of `text`. Errors: invalid_argument; `offset` and
/// `where`
/// ("event text, column N") are the place.
Result<std::vector<Group>> parse_events(std::string_view text);

/// Parses one plain name, with or without modifiers, as parse_events() does, but allocates nothing.
/// Returns false for every other text, and for names that may be a code or a word of the kernel.
bool plain_event(std::string_view text, Spec& spec);

/// Parses a term list alone, as in sysfs events/NAME.
Result<std::vector<tables::Term>> parse_terms(std::string_view text);

/// Moves the modifiers of each event behind its slashes: "cpu_core/cycles/u" for
/// "cpu_core/cycles:u/", which perf before 7 prints on hybrid CPUs but no perf reads. nullopt if no
/// event has them inside.
std::optional<std::string> with_modifiers_outside(std::string_view events);

/// How an event is spelled.
enum class EventForm : std::uint8_t {
  name,        ///< NAME: an event of any PMU
  terms,       ///< PMU/terms/, or NAME/terms/
  raw,         ///< rHEX
  numeric,     ///< TYPE:CONFIG
  hardware,    ///< cycles
  software,    ///< page-faults
  tool,        ///< duration_time, which perf measures itself
  cache,       ///< L1-dcache-loads
  tracepoint,  ///< SYSTEM:EVENT
  breakpoint,  ///< mem:ADDRESS/LENGTH:ACCESS
};

/// One event of a list.
struct EventText {
  EventForm form = EventForm::name;  ///< how it is spelled
  std::string text;                  ///< as given, without modifiers and surrounding spaces
  std::string modifiers;             ///< its own letters, then its group's
  std::size_t offset = 0;            ///< where `text` starts in the list, in bytes
  /// Index of the group in braces that contains it, from 0; nullopt: none.
  std::optional<std::size_t> group;
};

/// Splits a list of events in the syntax of perf's -e: "cycles,{cpu/event=0x3c/,faults}:u".
/// Errors: invalid_argument, with Error::offset, if the list is malformed.
[[nodiscard]] Result<std::vector<EventText>> split_events(std::string_view list);

}  // namespace evname::syntax
