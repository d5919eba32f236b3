#include "input/open_files.hpp"

#include <algorithm>

#include "base/read_file.hpp"

namespace evname::tools {

const rlimit& original_file_limit() {
  static const rlimit kBefore = [] {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
  }();
  return kBefore;
}

void allow_many_files() {
  const auto most = number_of_file("/proc/sys/fs/nr_open");
  rlimit limit = original_file_limit();
  limit.rlim_max = std::max(limit.rlim_max, static_cast<rlim_t>(most.value_or(0)));
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  limit = original_file_limit();  // only CAP_SYS_RESOURCE raises the hard limit
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace evname::tools
