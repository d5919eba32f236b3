#pragma once
#include <optional>
#include <string>

#include "evname/encoding.hpp"
#include "stat/counter.hpp"

namespace evname::tools {

/// One event that `evname stat` counts.
struct Row {
  Encoding encoding;
  std::optional<Counter> counter;
  std::string problem;    ///< why there is no counter
  std::size_t query = 0;  ///< which of the event texts it is of
};

}  // namespace evname::tools
