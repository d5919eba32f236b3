#pragma once
// The files that `evname record` writes: one, or one after the other.

#include <deque>
#include <optional>
#include <string>

#include "record/options.hpp"

namespace evname::tools {

/// The file that is written while the events are sampled: what there is of it can be read if
/// evname is killed. A recording of that name becomes FILE.old, as with perf.
class RecordFiles {
 public:
  explicit RecordFiles(const RecordArguments& given);
  ~RecordFiles();
  RecordFiles(const RecordFiles&) = delete;
  RecordFiles& operator=(const RecordFiles&) = delete;

  /// The open file; -1 after reporting why there is none.
  int fd() const { return error_ == 0 ? fd_ : -1; }
  /// Names the file by the time, and opens the next one. fd() is still the one before it, until
  /// keep_next(). Returns -1 after reporting why there is none.
  int open_next();
  /// Closes the file that is complete.
  void keep_next();
  /// Names the last file. Returns false after reporting why it can't be named.
  bool end();
  /// Takes the file away again: nothing was recorded.
  void discard();
  /// What the last complete file is called.
  const std::string& last_name() const { return last_name_; }

 private:
  bool name_by_time();

  std::string path_, last_name_;
  std::size_t most_ = 0;  ///< 0: all are kept
  bool has_times_ = false;
  std::deque<std::string> kept_;
  int fd_ = -1, next_ = -1, error_ = 0;
};

}  // namespace evname::tools
