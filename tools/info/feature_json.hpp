#pragma once
// Features as JSON.

#include <string>

#include "evname/features.hpp"

namespace evname::tools {

/// {"feature":"NRCPUS","number":7,"offset":…,"bytes":…,"broken":false,"value":…} on a line of its
/// own; null for what has no content or can't be decoded.
std::string feature_json(const perfdata::Features& features,
                         const perfdata::FeaturePresence& presence);

}  // namespace evname::tools
