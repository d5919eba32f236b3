#pragma once
// A recording, and passes over its samples, which iterators and columns take.

#include <mutex>
#include <vector>

#include "handles.hpp"

namespace evname_python {

/// A recording. Copies share it.
struct Recording {
  std::shared_ptr<evname_recording> handle;
  const evname_recording* get() const { return handle.get(); }
};

/// A pass over samples: by one thread at a time, which its lock holds, as the interpreter's is not
/// held.
class Pass {
 public:
  Pass(Recording recording, bool file_order, bool salvage);

  const Recording& recording() const { return recording_; }
  /// The lock to hold around next(), and for as long as the sample is used.
  std::mutex& lock() { return lock_; }
  /// The next sample, valid until the next call; nullptr at the end. Needs no interpreter. A
  /// failure is kept.
  const evname_sample* next();
  /// EVNAME_OK, or what ended the pass.
  int status() const { return status_; }
  /// Whether the end was reached, or a failure.
  bool ended() const { return ended_; }

  py::list warnings();
  evname_tally tally();
  /// At the end: raises what ended the pass, or issues its warnings, once.
  void finish();

 private:
  Recording recording_;
  std::unique_ptr<evname_samples, decltype(&evname_samples_free)> samples_;
  evname_sample sample_;
  std::mutex lock_;
  int status_ = EVNAME_OK;
  bool ended_ = false, told_ = false;
};

}  // namespace evname_python
