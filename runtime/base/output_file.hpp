#pragma once
// Files and directories that appear whole or not at all.

#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/deferred_signals.hpp"
#include "base/file_access.hpp"
#include "base/output_target.hpp"
#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// A regular file is written without a name, or where the file system or a missing /proc don't
/// allow that, under one of its own beside its place, which it takes on commit(). A file that is
/// there already keeps its owner and mode, if need be by writing to it after all, once the new
/// content is complete. Pipes, devices and descriptors ("-" is standard output) are written to as
/// they are. What is not committed leaves nothing behind, nor does SIGTERM: see DeferredSignals.
class OutputFile {
 public:
  /// The file is not more open than `access` allows at any time.
  static Result<OutputFile> create(const std::string& path, const FileAccess& access = {});
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  Result<void> write(std::string_view bytes);
  /// Bytes of a file that is mapped at `bytes`: copied by the kernel where it can. `source` -1: no
  /// descriptor.
  Result<void> copy(int source, std::uint64_t offset, Bytes bytes);
  /// All of another file.
  Result<void> copy_file(const std::string& path);
  /// Waits until a pipe can be read, or one of the signals that are deferred has come: an error.
  Result<void> wait_for(int source) const;
  /// Puts it in its place, and waits until it is on the disk.
  Result<void> commit();

 private:
  using Kind = OutputTarget::Kind;

  OutputFile(std::string path, OutputTarget target, FileAccess access);
  bool is_new() const { return target_.kind == Kind::replaced || target_.kind == Kind::absent; }
  Result<void> open_new();
  Result<bool> take_over_access();
  Result<void> name_it();
  Result<void> put_in_place();
  Result<void> write_over();
  Result<void> sync(int file) const;
  Result<void> interrupted() const;
  Result<void> copy_range(int source, off_t& from, off_t end);
  Result<void> copy_rest(int source, off_t from);

  std::string path_;  ///< as it was given
  OutputTarget target_;
  FileAccess access_;
  std::string temporary_;  ///< "": it has no name yet
  int fd_ = -1;
  std::unique_ptr<DeferredSignals> signals_;  ///< while there is something to remove
};

/// A directory that is filled under a name of its own beside its place, and moved there.
class OutputDirectory {
 public:
  /// As open as `like`, less the umask. Errors: io, if there is something already.
  static Result<OutputDirectory> create(const std::string& path, const std::string& like);
  ~OutputDirectory();
  OutputDirectory(OutputDirectory&&) noexcept = default;
  OutputDirectory& operator=(OutputDirectory&&) = delete;

  /// Where its files are put until commit().
  const std::string& place() const { return temporary_; }
  Result<void> commit();

 private:
  OutputDirectory(std::string path, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}

  std::string path_;
  std::string temporary_;  ///< "": it is in its place
  std::unique_ptr<DeferredSignals> signals_ = std::make_unique<DeferredSignals>();
};

/// Makes a directory as open as `like`, less the umask.
Result<void> make_directory(const std::string& path, const std::string& like);

}  // namespace base
}  // namespace evname
