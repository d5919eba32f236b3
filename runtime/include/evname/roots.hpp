#pragma once
#include <string>

namespace evname {

/// Where the live machine is looked up. Tests and captured trees give other directories.
struct Roots {
  std::string sysfs = "/sys";
  std::string procfs = "/proc";
};

}  // namespace evname
