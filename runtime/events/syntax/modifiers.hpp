#pragma once
// Parses the letters after an event's name.

#include <string>
#include <string_view>

#include "evname/encoding.hpp"

namespace evname::syntax {

/// Returns true if the text consists of modifier letters only (and so can't be the second half of a
/// tracepoint's name).
bool looks_like_modifiers(std::string_view text);

/// Returns true if these can be the modifiers of an event (or of a group).
bool are_modifiers(std::string_view text, bool of_group);

/// Returns why these can't be modifiers of an event (or of a group); empty if they can.
std::string modifier_problem(std::string_view text, bool of_group);

/// Returns true if an event's and its group's p add up to more than perf allows.
bool too_precise(std::string_view own, std::string_view group);

/// Returns an event's name with its modifiers, as perf takes it: "cycles:u", "cpu/event=0x3c/u".
std::string with_modifiers(std::string_view name, std::string_view modifiers);

/// Returns an event's own modifiers with its group's added; letters that are there already stay
/// single.
std::string join_modifiers(std::string_view own, std::string_view group);

/// Returns the bits that perf sets for an event's own modifiers and then its group's. Without
/// modifiers nothing is excluded, not even guests. A group's `D` and `e` apply only to its leader
/// (`leads`). Unknown letters and the order of letters have no effect.
AttrBits attr_bits(std::string_view modifiers, std::string_view group = {}, bool leads = true);

}  // namespace evname::syntax
