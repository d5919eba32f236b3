#pragma once
// Event lists as text, and the names that the kernel itself defines: what can be told of events
// without a machine. Thread-safe.

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
  name,        ///< NAME: an event of some PMU
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
  std::string text;                  ///< as given, without modifiers and outer spaces
  std::string modifiers;             ///< its own letters, then its group's
  std::size_t offset = 0;            ///< of `text` in the list, in bytes
  /// Which group in braces it is of, counted from 0; nullopt: none.
  std::optional<std::size_t> group;
};

/// The events of a list as perf's -e takes it: "cycles,{cpu/event=0x3c/,faults}:u". Error:
/// invalid_argument for what is no such list, with Error::offset.
EVNAME_API Result<std::vector<EventText>> split_events(std::string_view list);

/// A name of the perf_event ABI: every machine takes it.
struct GenericEvent {
  std::string name;          ///< "cycles"
  std::string_view pmu;      ///< "hardware", "software" or "hw_cache"
  std::uint32_t type = 0;    ///< of perf_event_attr
  std::uint64_t config = 0;  ///< of perf_event_attr
};

/// All of them, by type, then config; of several names for a code the one that perf prints is
/// first.
EVNAME_API std::vector<GenericEvent> generic_events();

}  // namespace evname
