#pragma once
// Finds the build ids of mapped files. The kernel records most of them with the mappings since
// Linux 5.12; the others, such as the vdso's, are read here.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/file_identity.hpp"

namespace evname::sampling {

/// Collects the paths of mappings, and reads the build ids at the end.
class BuildIds {
 public:
  /// Adds the file of a record, if it is a mapping of a process.
  void see(Bytes record);
  /// Adds the kernel, "[kernel.kallsyms]_text", or a module.
  void add_kernel(std::string_view path, std::string_view id);
  /// Returns the feature BUILD_ID: a record for each file with a build id; empty if there are none.
  std::string section() const;

 private:
  std::set<std::pair<std::string, std::string>> known_;  ///< paths and ids
  /// Files whose records have no id, by path. The number is 0 if the inode is unknown; nullopt if
  /// several files had the path.
  std::map<std::string, std::optional<FileInode>, std::less<>> unknown_;
  bool has_vdso_ = false;
  std::string of_kernel_;  ///< its records
};

/// Returns the build id in the notes of an ELF file of this machine's byte order; "" if it has none
/// among its first 64 KiB, or if the file has another inode than `inode`, whose number is 0 if any
/// will do.
std::string build_id_of_file(const std::string& path, const FileInode& inode = {});

/// Returns the build id of the vdso of this process; "" if there is none.
std::string build_id_of_vdso();

}  // namespace evname::sampling
