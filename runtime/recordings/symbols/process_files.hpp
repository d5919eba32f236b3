#pragma once
// Where processes that live see files: those in a container have other mounts than this process.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "evname/symbols.hpp"

namespace evname::symbols {

/// How a process sees files.
struct ProcessView {
  /// "/proc/PID/root" if the process has another root directory or other mounts; empty: it sees
  /// the same files, does not live any more, or may not be looked at.
  std::string_view root = {};
  std::int32_t pid = -1;   ///< in its own PID namespace
  bool is_denied = false;  ///< it lives, and another user may not look at it
};

/// The views of recorded processes, each looked at once. A process counts only if it is the
/// recorded one: it started before the recording was complete, on this machine since that started.
/// Any number of threads may use an object.
class ProcessFiles {
 public:
  /// Returns the view of the first process of `pids` that sees other files; one like this process'
  /// if none does. `here_until` is a Mapping's.
  ProcessView view(std::span<const std::int32_t> pids, std::uint64_t here_until);

 private:
  /// What tells views apart: the mount namespace, and the root directory.
  using Identity = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  ProcessView look(std::int32_t pid, std::uint64_t here_until);

  std::mutex mutex_;
  std::map<std::pair<std::int32_t, std::uint64_t>, ProcessView> views_;  ///< by pid, here_until
  std::map<Identity, std::string> roots_;  ///< one process' for all that have the same view
};

}  // namespace evname::symbols
