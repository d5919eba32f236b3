#pragma once
// The build ids in a recording's list (the feature BUILD_ID).

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evname/features.hpp"

namespace evname::session {

/// Finds the entries for mappings of the recorded machine as perf 7.3 does. Entries of guests are
/// left out.
class RecordedBuildIds {
 public:
  RecordedBuildIds() = default;
  /// `entries` outlive the object.
  explicit RecordedBuildIds(const std::vector<perf_format::BuildId>& entries);

  ///@{
  /// Return nullptr if there is no entry.
  const perf_format::BuildId* kernel() const { return kernel_; }
  /// A module is identified by its name, not its path: dsos__findnew_module_dso of
  /// tools/perf/util/dsos.c.
  const perf_format::BuildId* module(std::string_view file) const;
  const perf_format::BuildId* file(std::string_view path) const;
  ///@}

 private:
  const perf_format::BuildId* kernel_ = nullptr;
  std::unordered_map<std::string, const perf_format::BuildId*> modules_;  ///< by "[ext4]"
  std::unordered_map<std::string_view, const perf_format::BuildId*> files_;
};

}  // namespace evname::session
