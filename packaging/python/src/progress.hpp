#pragma once
// A function of Python that gets how far a call is, and cancels it by an exception.

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "handles.hpp"

namespace evname_python {

/// Has its place as long as a call of the C interface may use it.
class Progress {
 public:
  /// No function.
  Progress() = default;
  /// `function` may be None. It gets the bytes read and their total (0: unknown).
  explicit Progress(py::object function)
      : function_(function.is_none() ? py::object() : std::move(function)) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set(py::object function) { function_ = std::move(function); }
  /// For the C interface, with this object as its context; nullptr without a function.
  evname_progress callback() const { return function_ ? &tell : nullptr; }
  /// Raises what the function has raised.
  void rethrow();
  /// Whether this thread is in the function.
  bool is_here() const { return in_ == std::this_thread::get_id(); }

 private:
  static int tell(void* self, std::uint64_t done, std::uint64_t total) noexcept;

  py::object function_;
  std::exception_ptr thrown_;
  std::atomic<std::thread::id> in_ = {};  ///< the thread that is in the function
};

}  // namespace evname_python
