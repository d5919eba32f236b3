#include "base/deferred_signals.hpp"

namespace evname {
inline namespace base {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};

}  // namespace

DeferredSignals::DeferredSignals() {
  sigemptyset(&deferred_);
  for (const int signal : kSignals) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&deferred_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &deferred_, &before_);
}

DeferredSignals::~DeferredSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool DeferredSignals::pending() const {
  sigset_t arrived;
  if (sigpending(&arrived) != 0) return false;
  for (const int signal : kSignals)
    if (sigismember(&deferred_, signal) == 1 && sigismember(&arrived, signal) == 1) return true;
  return false;
}

}  // namespace base
}  // namespace evname
