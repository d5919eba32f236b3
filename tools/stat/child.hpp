#pragma once
// A command that waits for its counters before it runs.

#include <sys/types.h>

#include <string>
#include <vector>

#include "evname/error.hpp"

namespace evname::tools {

class Child {
 public:
  /// Forks; the child waits until release().
  static Result<Child> prepare(const std::vector<std::string>& command);

  Child(Child&& other) noexcept;
  Child(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }

  /// Lets the child execute its command. Errors: the command can't be executed.
  Result<void> release();

  /// Waits for the end; the exit status, or 128 and the signal's number as shells count.
  int wait();

 private:
  Child() = default;
  pid_t pid_ = -1;
  int go_ = -1;      ///< a byte written here starts the command
  int failed_ = -1;  ///< errno of execvp arrives here; closed by a successful one
};

}  // namespace evname::tools
