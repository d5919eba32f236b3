#pragma once
// Choosing the models that go into the tables, for a build that ships only some CPUs.

#include <span>
#include <string>
#include <vector>

#include "events/trees/tree.hpp"
#include "evname/error.hpp"

namespace evname::gen {

/// Keeps the models whose "ARCH/MODEL" one of the globs matches, and takes the others out of the
/// groups, architectures without any with them. The sys tables of an architecture stay if any of
/// its models does. No glob keeps everything. Errors: not_found, with models near to it, for the
/// first glob that matches nothing; the groups are as they were then.
Result<void> choose_models(std::span<const std::string> globs,
                           std::vector<std::vector<trees::ArchDir>>* groups);

}  // namespace evname::gen
