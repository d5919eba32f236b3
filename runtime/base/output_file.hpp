#pragma once
// Files and directories that appear whole or not at all.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// What an output file may take the place of.
enum class Replaces : std::uint8_t {
  nothing,  ///< its name must be free
  others,   ///< any file that it is not made from
  all,      ///< those, too: it has everything that is in them
};

/// Fails if there is a file at `path` that an output must not take the place of: the standard input
/// of this process, or one of `inputs`, also under another name; or a recording, unless
/// `recordings`. Directories stand for all that is in them.
Result<void> check_replaceable(const std::string& path, std::span<const std::string> inputs,
                               bool recordings);

/// A file that is written. Until commit(), a regular file has no name or, if the file system or a
/// missing /proc don't allow that, a temporary one beside its place. A file that is there already
/// keeps its owner and mode, if need be because the complete content is copied into it. Symbolic
/// links are followed; a file that is read-only is not replaced. Pipes, devices and descriptors
/// ("-" is standard output, /dev/fd/3) are written to directly. A file that is not committed leaves
/// nothing behind: while there is something to remove, SIGHUP, SIGINT and SIGTERM wait for the
/// thread that created it, whose calls return an error once one has come.
class OutputFile {
 public:
  /// The file is readable and writable for no group and no others that one of `made_from` is closed
  /// to: paths of files, or of directories with a file `data`; "-" is standard input.
  static Result<OutputFile> create(const std::string& path,
                                   std::span<const std::string> made_from = {},
                                   Replaces replaces = Replaces::others);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  Result<void> write(std::string_view bytes);
  /// Writes bytes of a file that is mapped at `bytes`: the kernel copies them if it can. `source`
  /// -1: no descriptor.
  Result<void> copy(int source, std::uint64_t offset, Bytes bytes);
  /// Writes all of another file.
  Result<void> copy_file(const std::string& path);
  /// Waits until a pipe can be read or one of the signals has come.
  Result<void> wait_for(int source) const;
  /// Puts the file in its place, and waits until it is on the disk.
  Result<void> commit();

 private:
  class State;
  explicit OutputFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Writes a file at once, as OutputFile does.
Result<void> write_file(const std::string& path, std::string_view text,
                        std::span<const std::string> made_from = {});

/// A directory that is filled under a temporary name beside its place, and moved there.
class OutputDirectory {
 public:
  /// The directory is as open as `like`, less the umask. Errors: io, if there is something already.
  static Result<OutputDirectory> create(const std::string& path, const std::string& like);
  ~OutputDirectory();
  OutputDirectory(OutputDirectory&&) noexcept;
  OutputDirectory& operator=(OutputDirectory&&) = delete;

  /// The directory's path until commit().
  const std::string& place() const;
  Result<void> commit();

 private:
  struct State;
  explicit OutputDirectory(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Directories that are made for files, and removed again unless there is something to keep in
/// them. Until then the signals wait, as for OutputFile.
class MadeDirectories {
 public:
  MadeDirectories();
  ~MadeDirectories();
  MadeDirectories(const MadeDirectories&) = delete;
  MadeDirectories& operator=(const MadeDirectories&) = delete;

  /// Makes a directory, and those above it, unless they are there.
  Result<void> make(const std::string& path);
  void keep();

 private:
  struct State;
  std::unique_ptr<State> state_;  ///< nullptr: they stay
};

/// Makes a directory as open as `like`, less the umask.
Result<void> make_directory(const std::string& path, const std::string& like);

}  // namespace base
}  // namespace evname
