#pragma once
// Records that are kept in memory, as recordings.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "evname/recorder.hpp"
#include "evname/recording.hpp"
#include "sampling/open_recording.hpp"
#include "sampling/recording_writer.hpp"

namespace evname::sampler {

/// Keeps records in a file in memory. Each such file is a recording of its own.
class KeptRecords {
 public:
  /// All outlive the object. `most`: bytes of records in a file. `traces`: records that describe
  /// the traces, if there are any.
  KeptRecords(sampling::OpenRecording& open, const Machine& machine, const RecordOptions& options,
              std::size_t most, std::string_view traces);

  /// Begins the first file with the existing processes.
  Result<void> begin();
  /// Adds a record, and the time of a sample. Allocates nothing.
  void add(Bytes record, std::optional<std::uint64_t> time);
  /// Adds a piece of a trace.
  void add_trace(const sampling::TraceSource& source, const sampling::RingContent& piece);
  /// Completes the file, opens it as a recording and begins another.
  Result<Recording> take();

  std::uint64_t left_out() const { return left_out_; }

 private:
  struct File {
    File() = default;
    File(File&& other) noexcept { *this = std::move(other); }
    File& operator=(File&& other) noexcept;
    ~File();

    int fd = -1;
    std::optional<sampling::RecordingWriter> writer;
    bool is_finished = false;
    std::size_t kept = 0;  ///< bytes of records
    std::uint64_t first = UINT64_MAX, last = 0;
    std::vector<std::uint64_t> trace_places = {};  ///< of AUXTRACE records
  };

  bool has_room_for(std::size_t size);
  Result<File> new_file();
  Result<void> flush();
  Result<void> finish();

  sampling::OpenRecording& open_;
  const Machine& machine_;
  const RecordOptions& options_;
  std::size_t most_;
  std::string_view traces_;
  File file_;
  std::string buffer_;                       ///< never grows
  std::atomic<std::uint64_t> left_out_ = 0;  ///< records; is read while another thread adds
};

}  // namespace evname::sampler
