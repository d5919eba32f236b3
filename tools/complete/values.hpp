#pragma once
// What the value of an option or a positional argument can be.

#include "complete/answer.hpp"
#include "complete/place.hpp"

namespace evname::tools {

/// By the set of values the option has, else by the name of its value ("CPU", "EVENT", "FILE").
Answer values_of(const Place& place);

}  // namespace evname::tools
