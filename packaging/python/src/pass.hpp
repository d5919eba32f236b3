#pragma once
// A recording, and passes over its samples, which iterators and columns take.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "progress.hpp"

namespace evname_python {

/// A recording. Copies share it.
struct Recording {
  std::shared_ptr<evname_recording> handle;
  const evname_recording* get() const { return handle.get(); }
};

using SharedSymbols = std::shared_ptr<evname_symbols>;

/// Finds functions. Copies share it.
struct Symbols {
  SharedSymbols handle;
};

/// A mapping, copied.
struct OwnMapping {
  std::string file;
  std::vector<std::uint8_t> build_id;
  std::uint64_t start, end, offset;
  std::int32_t pid;
  bool kernel;
};
/// A frame, copied.
struct OwnFrame {
  std::string function, source, dso, label;
  std::uint64_t offset, address, ip;
  std::uint32_t line, flags;
};
/// What a pass with symbols finds at the addresses of a sample.
struct Stack {
  std::vector<OwnFrame> frames;
  std::optional<OwnMapping> mapping;  ///< of the instruction
};

std::vector<OwnFrame> own_frames(const evname_frames* frames);

py::object mapping_object(const OwnMapping& mapping);
py::tuple frame_objects(const std::vector<OwnFrame>& frames);
py::object tally_object(const evname_tally& tally);

/// A pass over samples: by one thread at a time, which its lock holds, as the interpreter's is not
/// held.
class Pass {
 public:
  /// `symbols`: nullptr if no functions are asked for. `progress` may be None.
  Pass(Recording recording, bool file_order, bool salvage, SharedSymbols symbols = nullptr,
       py::object progress = py::none());
  /// Live samples, which never end; `recording` has their events.
  Pass(Recording recording, evname_samples* samples, SharedSymbols symbols);

  const Recording& recording() const { return recording_; }
  /// The lock to hold around next(), and for as long as the sample is used. It is taken without the
  /// interpreter's lock, as the progress function waits for that one; it must not use the pass.
  std::mutex& lock();
  /// The next sample, valid until the next call; nullptr at the end. Needs no interpreter. A
  /// failure is kept.
  const evname_sample* next();
  /// The same of the next record of any type.
  const evname_record* next_record();
  /// The functions of the sample; nothing without symbols. Needs no interpreter. A failure is kept.
  Stack stack();
  /// EVNAME_OK, or what ended the pass.
  int status() const { return status_; }
  /// Whether the end was reached, or a failure.
  bool ended() const { return ended_; }

  py::list warnings();
  evname_tally tally();
  /// At the end: raises what ended the pass, or issues its warnings, once.
  void finish();

 private:
  /// Takes the result of a function that moves to the next one. Returns false if there is none.
  bool moved(int result);

  /// Takes the lock, as long as it is waited for without the interpreter's.
  std::unique_lock<std::mutex> hold();

  Recording recording_;
  SharedSymbols symbols_;
  Progress progress_;
  std::unique_ptr<evname_frames, decltype(&evname_frames_free)> frames_;
  std::unique_ptr<evname_samples, decltype(&evname_samples_free)> samples_;
  evname_sample sample_;
  evname_record record_;
  std::mutex lock_;
  int status_ = EVNAME_OK;
  bool ended_ = false, told_ = false, is_live_ = false;
};

/// Returns an iterator of Sample.
py::object samples_object(std::shared_ptr<Pass> pass);

}  // namespace evname_python
