#pragma once
#include <string>

#include "compiler/json.hpp"

namespace evname::gen {

struct Descriptions {
  std::string brief;
  std::string full;
};

/// BriefDescription and PublicDescription as they are shown: without their final full stop, and
/// with the remarks that Data_LA, Errata and PEBS stand for (the same texts as perf's). A missing
/// one stays empty.
Descriptions describe(const Object& object);

}  // namespace evname::gen
