#pragma once
// The build ids that a recording lists (the feature BUILD_ID), by what they are of.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evname/features.hpp"

namespace evname::perfdata::session {

/// Finds the entries for mappings of the recorded machine as perf 7.3 does. Entries of guests are
/// left out.
class RecordedBuildIds {
 public:
  RecordedBuildIds() = default;
  /// `entries` outlive the object.
  explicit RecordedBuildIds(const std::vector<BuildId>& entries);

  ///@{
  /// Return nullptr if there is no entry.
  const BuildId* kernel() const { return kernel_; }
  /// A module is known by its name, whatever its path: dsos__findnew_module_dso of
  /// tools/perf/util/dsos.c.
  const BuildId* module(std::string_view file) const;
  const BuildId* file(std::string_view path) const;
  ///@}

 private:
  const BuildId* kernel_ = nullptr;
  std::unordered_map<std::string, const BuildId*> modules_;  ///< by "[ext4]"
  std::unordered_map<std::string_view, const BuildId*> files_;
};

}  // namespace evname::perfdata::session
