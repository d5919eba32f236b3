#pragma once
// Where the live machine is looked up.

#include <string>

namespace evname {

/// Where the live machine is looked up. Tests and captured trees give other directories.
struct Roots {
  std::string sysfs = "/sys";    ///< holds bus/event_source/devices
  std::string procfs = "/proc";  ///< holds cpuinfo
};

}  // namespace evname
