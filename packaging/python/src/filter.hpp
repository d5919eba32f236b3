#pragma once
// The keyword arguments that select samples.

#include <cstdint>
#include <string>
#include <vector>

#include "progress.hpp"

namespace evname_python {

/// The selection of samples, made from keyword arguments: event, cpus, pids, tids, comms, sym, dso,
/// time, min_latency, file_order, salvage and jobs; and `progress`, a function that is called with
/// the bytes read and their total (0: unknown), and cancels the call by an exception.
class Filter {
 public:
  /// Raises TypeError for other arguments.
  explicit Filter(py::kwargs given);
  Filter(const Filter&) = delete;
  /// Returns it for the C interface; valid as long as the object.
  evname_filter get();
  /// Calls a function of the C interface without the interpreter's lock, and raises its error, or
  /// the exception of the progress function.
  template <class Call>
  void call(Call&& fn) {
    evname_error error;
    int status;
    {
      py::gil_scoped_release released;
      status = fn(&error);
    }
    progress_.rethrow();
    check(status, error);
  }

 private:
  std::string event_, sym_, dso_, time_;
  std::vector<std::uint32_t> cpus_;
  std::vector<std::int32_t> pids_, tids_;
  std::vector<std::string> comms_;
  std::uint64_t min_latency_ = 0;
  bool file_order_ = false, salvage_ = false;
  std::uint32_t jobs_ = 0;
  std::vector<const char*> names_;

  Progress progress_;
};

}  // namespace evname_python
