#pragma once
// Chooses the models of the tables, for a build with only some CPUs.

#include <span>
#include <string>
#include <vector>

#include "events/trees/tree.hpp"
#include "evname/error.hpp"

namespace evname::gen {

/// Keeps the models whose "ARCH/MODEL" matches one of the globs, and removes other models and
/// architectures without models. The sys tables of an architecture stay if any of its models stays.
/// Without globs, keeps everything. Errors: not_found, with similar models, for the first glob that
/// matches nothing; the groups are then unchanged.
Result<void> choose_models(std::span<const std::string> globs,
                           std::vector<std::vector<trees::ArchDir>>* groups);

}  // namespace evname::gen
