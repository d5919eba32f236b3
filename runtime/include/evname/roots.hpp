#pragma once
// The directories that describe the live machine.

#include <string>

namespace evname {

/// The directories that describe the live machine. Set others for a captured tree.
struct Roots {
  std::string sysfs = "/sys";    ///< contains bus/event_source/devices
  std::string procfs = "/proc";  ///< contains cpuinfo
  /// Look for the "drm_*" PMUs of GPUs, which takes reading what procfs tells of all open files.
  bool gpus = false;
};

}  // namespace evname
