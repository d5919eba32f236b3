#pragma once
// Keeps the tables that were compiled from a user's trees in a file, for the next process.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "events/tables/arrays.hpp"
#include "events/trees/diagnostics.hpp"

namespace evname::overlay {

/// The result of compiling trees.
struct CompiledTrees {
  std::vector<std::shared_ptr<const tables::OwnedTables>> tables;  ///< one for each tree
  std::vector<std::string> warnings;
};

/// A file in $EVNAME_CACHE (an absolute path), else in evname/ of $XDG_CACHE_HOME or ~/.cache, with
/// compiled tables and the texts that they were compiled from. It is used if the same build of
/// evname wrote it, from the same bytes that the files have now, and if nobody but this user can
/// have written it: the file and its directory are this user's, and others can write neither. No
/// failure is an error: tables that are not in the cache are compiled.
class TableCache {
 public:
  /// Makes a cache. `key` has everything that the tables depend on beside the contents of the
  /// files. `key` "": nothing is kept.
  TableCache(std::string key, std::vector<std::string> files);

  /// Returns the tables that store() wrote.
  std::optional<CompiledTrees> load() const;
  /// Reads the files. Returns nullptr if nothing is to be kept: compiling is faster, the files are
  /// too large, or one of them can't be read.
  std::shared_ptr<const trees::FileTexts> read_files() const;
  /// Writes the tables that were compiled from these texts. Returns true if they are kept.
  bool store(const CompiledTrees& compiled, const trees::FileTexts& texts) const;
  const std::string& path() const { return path_; }

 private:
  std::string key_;
  std::vector<std::string> files_;
  std::string directory_, name_;
  std::string path_;  ///< "" if nothing is kept
};

/// Reads the tables of a cache's file: bytes that anybody may have written, at an address that is a
/// multiple of 8, which `holder` keeps. Returns nullopt if they can't be used.
std::optional<CompiledTrees> read_compiled(Bytes bytes, const std::shared_ptr<const void>& holder);

/// Returns the bytes that read_compiled() reads.
std::string compiled_bytes(const CompiledTrees& compiled);

}  // namespace evname::overlay
