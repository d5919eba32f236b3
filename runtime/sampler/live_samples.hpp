#pragma once
// Samples while they are taken, and what is kept of them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "evname/recorder.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/record_contents.hpp"
#include "sampler/ring_merge.hpp"
#include "sampling/open_events.hpp"
#include "sampling/recording_writer.hpp"

namespace evname::sampler {

/// Returns true if an event samples the kernel, whose functions shall have names then.
bool samples_kernel(const sampling::OpenRecording& open);

/// Keeps records in a file in memory. Each such file is a recording of its own.
class KeptRecords {
 public:
  /// All outlive the object. `most`: bytes of records in a file.
  KeptRecords(sampling::OpenRecording& open, const Machine& machine, const RecordOptions& options,
              std::size_t most);

  /// Begins the first file, with what is there already.
  Result<void> begin();
  /// Adds a record, and the time of a sample. Allocates nothing.
  void add(Bytes record, std::optional<std::uint64_t> time);
  /// Completes the file, opens it as a recording and begins another.
  Result<PerfData> take();

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
  };

  Result<File> new_file();
  Result<void> flush();
  Result<void> finish();

  sampling::OpenRecording& open_;
  const Machine& machine_;
  const RecordOptions& options_;
  std::size_t most_;
  File file_;
  std::string buffer_;          ///< has room for all that it ever has
  std::uint64_t left_out_ = 0;  ///< records
};

class LiveSamples final : public detail::SampleSource, private perfdata::session::RecordContents {
 public:
  /// `events` and `rings` outlive the object. `clock` is that of the samples' times, if it is one
  /// that can be read.
  LiveSamples(const perfdata::Events& events, std::span<sampling::Ring> rings,
              std::optional<int> clock);

  /// Reads a record that evname made.
  void read_made(std::string_view record);
  /// Adds what is read from now on to `kept`; nullptr: to none.
  void keep_in(KeptRecords* kept) { kept_ = kept; }

  bool next_sample() override;
  SampleTally tally() const override { return tally_of(true, {}); }
  const perfdata::session::RecordContents& contents() const override { return *this; }

  using RecordContents::lost;
  std::uint64_t damaged() const { return merge_.damaged(); }

 private:
  bool begin();
  bool take();

  RingMerge merge_;
  std::optional<int> clock_;
  KeptRecords* kept_ = nullptr;
  int opened_by_;       ///< the process, whose children have no buffers
  bool began_ = false;  ///< the buffers are being read
};

}  // namespace evname::sampler
