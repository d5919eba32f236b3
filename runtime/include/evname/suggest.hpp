#pragma once
// "Did you mean …?"

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "evname/export.h"

namespace evname {

/// The first of the names that are most like `word`; nullopt if even that differs in more than a
/// third of the letters of `word`, or in more than 3. Thread-safe.
EVNAME_API std::optional<std::string> nearest_name(std::string_view word,
                                                   std::span<const std::string> names);

}  // namespace evname
