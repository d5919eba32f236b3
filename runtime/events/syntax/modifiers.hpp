#pragma once
// The letters after an event's name.

#include <string>
#include <string_view>

namespace evname::syntax {

/// Consists of modifier letters only (and so can't be the second half of a tracepoint's name).
bool looks_like_modifiers(std::string_view text);

/// Can these be the modifiers of an event (or of a group)?
bool are_modifiers(std::string_view text, bool of_group);

/// Why these can't be modifiers of an event (or of a group); empty if they can.
std::string modifier_problem(std::string_view text, bool of_group);

/// Do an event's and its group's p add up to more than perf allows?
bool too_precise(std::string_view own, std::string_view group);

/// An event's own modifiers with its group's added; letters that are there already stay single.
std::string join_modifiers(std::string_view own, std::string_view group);

}  // namespace evname::syntax
