#pragma once
// Splitting lists of events, and the events that the kernel itself defines. Neither needs a
// machine. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

/// How an event is spelled.
enum class EventForm : std::uint8_t {
  name,        ///< NAME: an event of any PMU
  terms,       ///< PMU/terms/, or NAME/terms/
  raw,         ///< rHEX
  numeric,     ///< TYPE:CONFIG
  hardware,    ///< cycles
  software,    ///< page-faults
  tool,        ///< duration_time: perf measures it itself
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
EVNAME_API Result<std::vector<EventText>> split_events(std::string_view list);

/// An event of the perf_event ABI, which resolves on every machine.
struct GenericEvent {
  std::string name;          ///< "cycles"
  std::string_view pmu;      ///< "hardware", "software" or "hw_cache"
  std::uint32_t type = 0;    ///< perf_event_attr.type
  std::uint64_t config = 0;  ///< perf_event_attr.config
};

/// All generic events, sorted by type, then config. If a code has several names, the one that perf
/// prints comes first.
EVNAME_API std::vector<GenericEvent> generic_events();

}  // namespace evname
