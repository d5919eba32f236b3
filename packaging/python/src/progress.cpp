#include "progress.hpp"

#include <utility>

namespace evname_python {

// A stream of Arrow may end without the interpreter's lock.
Progress::~Progress() {
  if (!function_ && !thrown_) return;
  const py::gil_scoped_acquire acquired;
  function_ = py::object();
  thrown_ = nullptr;
}

void Progress::rethrow() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

int Progress::tell(void* self, std::uint64_t done, std::uint64_t total) noexcept {
  Progress& progress = *static_cast<Progress*>(self);
  const py::gil_scoped_acquire acquired;
  if (progress.thrown_) return 1;
  progress.in_ = std::this_thread::get_id();
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    progress.function_(done, total);
  } catch (...) {
    progress.thrown_ = std::current_exception();
  }
  progress.in_ = std::thread::id();
  return progress.thrown_ != nullptr;
}

}  // namespace evname_python
