#pragma once
// Shows the features of a recording to people and as JSON.

#include <string>
#include <vector>

#include "evname/recording.hpp"
#include "perf_format/feature_types.hpp"

namespace evname::tools {

using Lines = std::vector<std::string>;

/// Returns lines in the words of perf report --header-only.
Lines feature_lines(const Recording& file);
/// Adds the lines of one feature, if it has any.
void add_feature_lines(const Recording& file, perf_format::Feature feature, Lines& out);

/// Returns {"feature":"NRCPUS","number":7,"offset":…,"bytes":…,"broken":false,"value":…}. The value
/// is null if the feature has no content or can't be decoded.
std::string feature_json(const perf_format::Features& features,
                         const perf_format::FeaturePresence& presence);

}  // namespace evname::tools
