#pragma once
// Copies the records of a recording with some of its samples, stream by stream.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "recordings/stream/recording_file.hpp"

namespace evname::rewriting {

/// A set of SAMPLE records by their place. It takes a bit for each eight bytes of the recording.
class ChosenSamples {
 public:
  /// `file` outlives it. `damage`: how the records were read.
  explicit ChosenSamples(const stream::File& file,
                         perf_format::Damage damage = perf_format::Damage::stop)
      : file_(&file), damage_(damage), plain_(file.streams.size()) {}

  /// Adds a record that a RecordCursor or StreamReader handed out.
  void keep(const perf_format::Record& record);
  bool keeps(const perf_format::Record& record) const;
  perf_format::Damage damage() const { return damage_; }

 private:
  struct Place {
    std::size_t stream;  ///< the number of streams means: unpacked
    std::size_t word;    ///< eight bytes each: no two records begin in one
  };
  Place place_of(const perf_format::Record& record) const;

  const stream::File* file_;
  perf_format::Damage damage_;
  std::vector<std::vector<bool>> plain_;
  std::vector<bool> unpacked_;
};

/// The old and the new offset of an AUXTRACE record in its file.
using MovedTrace = std::pair<std::uint64_t, std::uint64_t>;

/// The outcome of for_chosen().
struct ChosenStream {
  std::uint64_t size = 0;  ///< bytes
  std::vector<MovedTrace> traces;
  std::vector<std::string> warnings;
};

/// Other changes of a stream.
struct StreamEdits {
  std::string insert = {};      ///< records
  std::uint64_t insert_at = 0;  ///< inserted before the first record at or after this offset
  std::function<bool(const perf_format::Record&)> drops = {};  ///< other records that are left out
};

/// Hands the records of a stream to write() in pieces: unpacked, and only with the chosen samples.
/// Errors: as from write().
Result<ChosenStream> for_chosen(const stream::File& file, const stream::Stream& stream,
                                const ChosenSamples& chosen, const StreamEdits& edits,
                                const std::function<Result<void>(Bytes)>& write);

/// Returns unsupported if samples can't be identified: in a pipe that is read as it comes, and
/// packed in several streams.
Result<void> check_choosable(const stream::File& file);

}  // namespace evname::rewriting
