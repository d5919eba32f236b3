#pragma once
// Copies recordings with other names of their events, with some of their samples, or with another
// feature.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output/output_file.hpp"
#include "evname/rewrite.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::rewriting {

/// The place of a record in a recording.
struct RecordPlace {
  std::size_t stream;  ///< the number of streams means: unpacked
  std::size_t word;    ///< eight bytes each: no two records begin in one
  auto key() const { return std::pair(stream, word); }
  bool operator==(const RecordPlace&) const = default;
};
/// Returns the place of a record that a RecordCursor or StreamReader of the file handed out.
RecordPlace place_of(const perf_format::Record& record, const stream::File& file);

/// A set of SAMPLE records by their place. It takes a bit for each eight bytes of the recording.
class ChosenSamples {
 public:
  /// `file` outlives it. `damage`: how the records were read.
  explicit ChosenSamples(const stream::File& file,
                         perf_format::Damage damage = perf_format::Damage::stop)
      : file_(&file), damage_(damage), plain_(file.streams.size()) {}

  /// Adds a record that a RecordCursor or StreamReader handed out.
  void keep(const perf_format::Record& record);
  /// Adds all.
  void keep_all() { keeps_all_ = true; }
  bool keeps(const perf_format::Record& record) const;
  perf_format::Damage damage() const { return damage_; }

 private:
  const stream::File* file_;
  perf_format::Damage damage_;
  bool keeps_all_ = false;
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
  /// Returns the bytes that a SAMPLE record gets, valid until the next call; empty: its own.
  std::function<Bytes(const perf_format::Record&)> replaces = {};
};

/// A feature that a file gets in place of its own.
struct NewFeature {
  perf_format::Feature number = {};
  std::string content = {};
};

/// Returns the feature with other names of all events, in the order of the file.
NewFeature event_desc(const stream::File& file, std::span<const std::string> names);

/// Hands the records of a stream to write() in pieces: unpacked, and only with the chosen samples.
/// Errors: as from write().
Result<ChosenStream> for_chosen(const stream::File& file, const stream::Stream& stream,
                                const ChosenSamples& chosen, const StreamEdits& edits,
                                const std::function<Result<void>(Bytes)>& write);

/// Returns unsupported if samples can't be identified: in a pipe that is read as it comes, and
/// packed in several streams.
Result<void> check_choosable(const stream::File& file);

/// The file keeps all bytes up to the end of its data section, except the header. The feature is
/// replaced, or added at the end. If the feature table has to grow, the bytes after it move. A
/// truncated recording gets the size of its data section, and a table with this one feature.
Result<void> write_changed_file(const stream::File& file, const NewFeature& feature,
                                OutputFile& out);

/// Does the same with some of the samples. Packed records are unpacked. `is_needed` false: only a
/// truncated recording gets the feature.
Result<ChosenStream> write_chosen_file(const stream::File& file, const NewFeature& feature,
                                       bool is_needed, const ChosenSamples& chosen,
                                       const StreamEdits& edits, OutputFile& out);
/// `names`: of all events. `edits`: only StreamEdits::replaces.
Result<ChosenStream> write_chosen_pipe(const stream::File& file, std::span<const std::string> names,
                                       const NewFeature& feature, const ChosenSamples& chosen,
                                       StreamEdits edits, OutputFile& out);
/// A stream alone, which is a file of a directory.
Result<ChosenStream> write_chosen_stream(const stream::File& file, const stream::Stream& stream,
                                         const ChosenSamples& chosen, const StreamEdits& edits,
                                         OutputFile& out);

/// A file, byte by byte.
Result<void> write_as_is(const stream::File& file, OutputFile& out);

/// A pipe gets EVENT_UPDATE records after its events; they replace the ones that it had for these
/// events.
Result<void> write_named_pipe(const stream::File& file, std::span<const std::string> names,
                              OutputFile& out);

/// The changes.
struct Changes {
  std::span<const Renamed> renamed = {};
  const ChosenSamples* chosen = nullptr;  ///< nullptr: all samples
  /// As PassOptions::progress, of the copying alone.
  std::function<bool(std::uint64_t, std::uint64_t)> progress = {};
  NewFeature feature = {};  ///< empty: none; a pipe needs `chosen`, too
  StreamEdits edits = {};   ///< only StreamEdits::replaces; needs `chosen`
};

/// Returns the bytes of a recording; 0: unknown, as it still comes through a pipe.
std::uint64_t bytes_of(const stream::File& file);

/// Writes a recording as inject() does; `replace` says which files it may replace. Returns warnings
/// about records that could not be read, and so were left out.
Result<std::vector<std::string>> copy_recording(const Recording& data, const Changes& changes,
                                                const std::string& path, Replaces replaces);

/// Does what split() does. A pass over the recording chooses the samples of as many parts as have
/// ChosenSamples of at most these bits, and of at least one.
Result<SplitResult> split_in_passes(const Recording& file, SplitKey key, const SampleFilter& filter,
                                    const std::string& directory, const ExtractOptions& options,
                                    std::uint64_t most_bits = std::uint64_t{1} << 30);

}  // namespace evname::rewriting
