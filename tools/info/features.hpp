#pragma once
// Shows the features of a recording to people and as JSON.

#include <string>
#include <vector>

#include "evname/recording.hpp"
#include "perf_format/feature_types.hpp"

namespace evname::tools {

/// Returns lines in the words of perf report --header-only.
std::vector<std::string> feature_lines(const Recording& file);

/// Returns {"feature":"NRCPUS","number":7,"offset":…,"bytes":…,"broken":false,"value":…}. The value
/// is null if the feature has no content or can't be decoded.
std::string feature_json(const perf_format::Features& features,
                         const perf_format::FeaturePresence& presence);

}  // namespace evname::tools
