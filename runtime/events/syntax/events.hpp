#pragma once
// What `-e` of perf takes, as a tree: groups of events with their terms and modifiers.
// Nothing here knows a machine; which PMU a name belongs to is the resolver's business.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/term.hpp"
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

/// One event.
struct Spec {
  Kind kind = Kind::name;
  std::string_view name;        ///< event, PMU or tracepoint system
  std::string_view event;       ///< tracepoint only
  std::uint32_t name_hash = 0;  ///< tables::name_hash() of `name`, where it is known; else 0
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

/// The whole list. Errors: invalid_argument; `offset` and `where` ("event text,
/// column N") tell the place.
/// The tree consists of views of `text`.
Result<std::vector<Group>> parse_events(std::string_view text);

/// What parse_events() makes of a text that is one plain name, with or without modifiers, without
/// an allocation. False for every other text, and for what may be a code or a kernel's word.
bool plain_event(std::string_view text, Spec& spec);

/// A term list alone, as in sysfs events/NAME.
Result<std::vector<tables::Term>> parse_terms(std::string_view text);

}  // namespace evname::syntax
