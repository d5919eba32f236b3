#pragma once
// Makes directories, and sets of files, that appear whole or not at all.

#include <memory>
#include <string>

#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// A directory that is filled under a temporary name beside its place, and moved there.
class OutputDirectory {
 public:
  /// Gives the directory the mode of `like`, less the umask. Errors: io, also if the path exists.
  static Result<OutputDirectory> create(const std::string& path, const std::string& like);
  ~OutputDirectory();
  OutputDirectory(OutputDirectory&&) noexcept;
  OutputDirectory& operator=(OutputDirectory&&) = delete;

  /// Returns the directory's path until commit().
  const std::string& place() const;
  Result<void> commit();

 private:
  struct State;
  explicit OutputDirectory(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Returns true if a file would be made in a directory, or in one below it.
bool is_in_directory(const std::string& path, const std::string& directory);

/// The files and directories of an output with several files. The destructor removes them unless
/// they are kept. Until then signals wait, as for OutputFile.
class OutputFiles {
 public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// Makes a directory and its parents, unless they exist.
  Result<void> make_directory(const std::string& path);
  /// Adds a file that was written, or a directory with all that is in it.
  void add(const std::string& path);
  /// Returns an error (io) if one of the signals has come.
  Result<void> go_on() const;
  void keep();

 private:
  struct State;
  std::unique_ptr<State> state_;  ///< nullptr: they stay
};

/// Makes a directory with the mode of `like`, less the umask.
Result<void> make_directory(const std::string& path, const std::string& like);

}  // namespace base
}  // namespace evname
