#pragma once
// Suggestions for misspelled names.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "evname/export.h"

namespace evname {

/// Returns the first of the names that are most similar to `word`; nullopt if they all differ from
/// it by more than 3 edits or more than a third of its length. Thread-safe.
EVNAME_API std::optional<std::string> nearest_name(std::string_view word,
                                                   std::span<const std::string> names);

}  // namespace evname
