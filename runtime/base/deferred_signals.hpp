#pragma once
// Signals that wait until there is nothing left to clean up.

#include <csignal>

namespace evname {
inline namespace base {

/// As long as it exists, SIGHUP, SIGINT and SIGTERM wait for the thread that made it, unless they
/// are ignored anyway. Whoever makes files that are to be removed again asks for them meanwhile.
class DeferredSignals {
 public:
  DeferredSignals();
  ~DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

  /// Whether one of them has come, which will do its work at the end of this.
  bool pending() const;

 private:
  sigset_t deferred_, before_;
};

}  // namespace base
}  // namespace evname
