#pragma once
// The keyword arguments that select samples.

#include <cstdint>
#include <string>
#include <vector>

#include "handles.hpp"

namespace evname_python {

/// The selection of samples, made from keyword arguments: event, cpus, pids, tids, comms, sym, dso,
/// time, min_latency, file_order, salvage and jobs.
class Filter {
 public:
  /// Raises TypeError for other arguments.
  explicit Filter(py::kwargs given);
  /// Returns it for the C interface; valid as long as the object.
  evname_filter get();

 private:
  std::string event_, sym_, dso_, time_;
  std::vector<std::uint32_t> cpus_;
  std::vector<std::int32_t> pids_, tids_;
  std::vector<std::string> comms_;
  std::uint64_t min_latency_ = 0;
  bool file_order_ = false, salvage_ = false;
  std::uint32_t jobs_ = 0;
  std::vector<const char*> names_;
};

}  // namespace evname_python
