#pragma once
// perf_event_attr in words, as perf evlist -v has it.

#include <string>
#include <utility>
#include <vector>

#include "evname/attr.hpp"

namespace evname::tools {

/// Name and value of every field that isn't zero, in perf's order; `type` and `size` always.
/// Source of names and order: tools/perf/util/perf_event_attr_fprintf.c.
std::vector<std::pair<std::string, std::string>> attr_fields(const perfdata::Attr& attr);

}  // namespace evname::tools
