#pragma once
// Finds the build ids of mapped files, for kernels before Linux 5.12, which do not record them with
// the mappings.

#include <set>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace evname::sampling {

/// Collects the paths of mappings, and reads the build ids at the end.
class BuildIds {
 public:
  /// Adds the file of a record, if it is a mapping without a build id.
  void see(Bytes record);
  /// Adds the kernel, "[kernel.kallsyms]_text", or a module.
  void add_kernel(std::string_view path, std::string_view id);
  /// Returns the feature BUILD_ID: a record for each file that has one. Empty: there is none.
  std::string section() const;

 private:
  std::set<std::string, std::less<>> paths_;
  std::string of_kernel_;  ///< its records
};

/// Returns the build id in the notes of an ELF file of this machine's byte order; "" if it has none
/// among its first 64 KiB.
std::string build_id_of_file(const std::string& path);

}  // namespace evname::sampling
