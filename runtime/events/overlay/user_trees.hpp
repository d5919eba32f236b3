#pragma once
// The event files of the user: where they are, and which of them comes first.

#include <string>
#include <vector>

#include "events/overlay/overlay.hpp"

namespace evname::overlay {

/// The trees of evname::UserEvents, in the order in which they are looked for. One that can't be
/// used is a warning.
std::vector<TreePtr> user_trees(std::vector<std::string>& warnings);

/// Those that have something for the CPU, the newest version last; of equal ones, the first of
/// `trees` last.
std::vector<TreePtr> newest_last(std::vector<TreePtr> trees, const Wanted& wanted);

}  // namespace evname::overlay
