#pragma once
// Finds files as running processes see them: a container has other mounts.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "evname/symbols.hpp"

namespace evname::symbols {

/// A process's view of files.
struct ProcessView {
  /// "/proc/PID/root" if the process has another root directory or other mounts; empty: it sees the
  /// same files, has ended, or is not accessible.
  std::string_view root = {};
  std::int32_t pid = -1;   ///< in its own PID namespace
  bool is_denied = false;  ///< it runs, but this user may not look at it
};

/// The views of recorded processes, each looked up once. A process counts only if it is the
/// recorded one: it started on this machine before the recording was complete, and after the last
/// boot. Any number of threads may use an object.
class ProcessFiles {
 public:
  /// Returns the view of the first process of `pids` that sees other files; else this process's
  /// view. `here_until` is a Mapping's.
  ProcessView view(std::span<const std::int32_t> pids, std::uint64_t here_until);

 private:
  /// The identity of a view: the mount namespace, and the root directory.
  using Identity = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  ProcessView look(std::int32_t pid, std::uint64_t here_until);

  std::mutex mutex_;
  std::map<std::pair<std::int32_t, std::uint64_t>, ProcessView> views_;  ///< by pid, here_until
  std::map<Identity, std::string> roots_;  ///< one for all processes with the same view
};

}  // namespace evname::symbols
