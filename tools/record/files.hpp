#pragma once
// The files that `evname record` writes: one, or one after the other.

#include <deque>
#include <optional>
#include <string>

#include "record/options.hpp"

namespace evname::tools {

/// The file that is written during sampling. It can be read even if evname is killed. A regular
/// file of that name that is not empty becomes FILE.old, as with perf. Until begun(), the
/// destructor puts everything back as it was.
class RecordFiles {
 public:
  explicit RecordFiles(const RecordArguments& given);
  ~RecordFiles();
  RecordFiles(const RecordFiles&) = delete;
  RecordFiles& operator=(const RecordFiles&) = delete;

  /// The open file; -1 after reporting why there is none.
  int fd() const { return fd_; }
  /// Keeps the file: sampling has begun.
  void begun();
  /// Names the file by the time, and opens the next one. fd() stays the old one until keep_next().
  /// Returns -1 after reporting why there is none.
  int open_next();
  /// Closes the complete file. Returns false after reporting an error.
  bool keep_next();
  /// Names and closes the last file. Returns false after reporting why it can't be named, or that
  /// it is not complete.
  bool end();
  /// Returns true if the file is not where it should be, which has been reported.
  bool is_lost() const { return is_lost_; }
  /// The name of the last complete file.
  const std::string& last_name() const { return last_name_; }

 private:
  bool move_aside(bool force);
  bool name_by_time();
  bool close_whole();

  std::string path_, last_name_;
  std::string old_,
      older_;             ///< FILE.old; and the temporary name of an older FILE.old until begun()
  std::size_t most_ = 0;  ///< 0: all are kept
  bool has_times_ = false;
  bool is_regular_ = true, is_aside_ = false, has_begun_ = false, is_lost_ = false;
  bool was_empty_ = false;  ///< the file was there
  std::deque<std::string> kept_;
  int fd_ = -1, next_ = -1;
};

}  // namespace evname::tools
