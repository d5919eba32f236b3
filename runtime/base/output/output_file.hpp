#pragma once
// Writes files that appear whole or not at all.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// The files that an output file may replace.
enum class Replaces : std::uint8_t {
  nothing,  ///< its name must be free
  others,   ///< any file except its inputs
  all,      ///< also its inputs, since it has all their contents
};

/// Fails if there is a file at `path` that an output must not replace: the standard input of this
/// process, one of `inputs` (also under another name) or, unless `force`, a recording, a program or
/// a library. A directory stands for all files in it.
Result<void> check_replaceable(const std::string& path, std::span<const std::string> inputs,
                               bool force);

/// A file that is written. Until commit(), a regular file has no name or, if the file system or a
/// missing /proc don't allow that, a temporary one beside its place. An existing file keeps its
/// owner and mode; if necessary, the complete content is copied into it. Symbolic links are
/// followed; a file that is read-only is not replaced. Pipes, devices and descriptors ("-" is
/// standard output, /dev/fd/3) are written to directly. A file that is not committed leaves nothing
/// behind. Until it is removed, SIGHUP, SIGINT and SIGTERM are blocked in the thread that created
/// it; its calls return an error once a signal has come.
class OutputFile {
 public:
  /// Takes from the file's group and others each right to read or write that one of `made_from`
  /// denies them. `made_from` are paths of files, or of directories with a file `data`; "-" is
  /// standard input.
  static Result<OutputFile> create(const std::string& path,
                                   std::span<const std::string> made_from = {},
                                   Replaces replaces = Replaces::others);
  /// Adds inputs that became known only while the file was written. Fails if commit() would replace
  /// one of them.
  Result<void> is_also_made_from(std::span<const std::string> more);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Calls `progress` with the number of bytes written so far: at the beginning, and after each MiB
  /// or so that is written or passed to go_on(). If it returns false, these fail with cancelled.
  void tell(std::function<bool(std::uint64_t)> progress);
  /// Fails if the output shall end; `bytes` are read and not written.
  Result<void> go_on(std::uint64_t bytes);

  Result<void> write(std::string_view bytes);
  /// Returns true if replace() works: the file is a new one.
  bool can_replace() const;
  /// Replaces the first bytes of the file.
  Result<void> replace(std::string_view bytes);
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

}  // namespace base
}  // namespace evname
