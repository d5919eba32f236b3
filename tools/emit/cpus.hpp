#pragma once
// Which rows of the mapfiles a table of codes is made of.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/models.hpp"
#include "evname/user_events.hpp"

namespace evname::tools {

/// One row of a mapfile. Rows are looked through in order; the first that matches a CPU counts.
struct CpuRow : CpuPattern {
  /// False: only there because it takes CPUs away from a later row that is wanted.
  bool wanted;
};

/// The rows of all models that a glob ("skylake*", "arm/*", "neoverse-*") fits, or that a CPUID
/// string or code name means. Errors: not_found for one that means none.
Result<std::vector<CpuRow>> cpu_rows(std::span<const std::string> globs,
                                     UserEvents user_events = UserEvents::leave_out);

}  // namespace evname::tools
