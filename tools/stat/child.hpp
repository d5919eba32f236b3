#pragma once
// A command that waits for its counters before it runs.

#include <sys/resource.h>
#include <sys/types.h>

#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

#include "evname/error.hpp"

namespace evname::tools {

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD during its lifetime; they are read by next().
class AwaitedSignals {
 public:
  /// `more` is also blocked, if it is a signal.
  explicit AwaitedSignals(int more = 0);
  ~AwaitedSignals();
  AwaitedSignals(const AwaitedSignals&) = delete;

  /// The next one, or 0 after so many ms. `sender` is 0 if a terminal sent it.
  int next(unsigned milliseconds, pid_t* sender = nullptr) const;
  /// A file that is readable while a signal waits; -1: not available. It stays open as long as this
  /// object.
  int file() const { return file_; }
  /// The original signal mask, for children.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t awaited_, before_;
  int file_ = -1;
};

class Child {
 public:
  /// Forks; the child waits until release().
  static Result<Child> prepare(const std::vector<std::string>& command,
                               const AwaitedSignals& signals);

  Child(Child&& other) noexcept;
  Child(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }

  /// Lets the child execute its command. Errors: the command can't be executed.
  Result<void> release();

  /// Returns true if it has ended; status() and usage() are then valid.
  bool ended();
  void send(int signal) const;
  /// The exit status, or 128 and the signal's number as shells count.
  int status() const;
  /// The signal that ended it; 0: none did.
  int killed_by() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  /// The usage of the child, and of the children that it waited for.
  const rusage& usage() const { return usage_; }

 private:
  Child() = default;
  bool reap(int flags);

  pid_t pid_ = -1;
  int status_ = 0;
  rusage usage_{};
  int go_ = -1;      ///< a byte written here starts the command
  int failed_ = -1;  ///< errno of execvp arrives here; closed by a successful one
};

}  // namespace evname::tools
