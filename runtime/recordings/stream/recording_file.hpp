#pragma once
// A recording: one file, a pipe's output, or a directory of files.

#include <memory>
#include <string>
#include <vector>

#include "base/read_file.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/file_header.hpp"
#include "perf_format/recorded_events.hpp"
#include "recordings/spe/trace.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::stream {

/// A recording without its records. Faults are repaired if possible, and are in `warnings`.
struct File {
  std::string path;    ///< as given; of bytes and descriptors, the name that messages have
  std::string source;  ///< the path that can be opened again; empty: there is none
  perf_format::Header header;
  perf_format::Events events;
  perf_format::Features features;
  std::vector<Stream> streams;  ///< more than one: a directory, to be merged by time
  std::vector<std::string> warnings;
  std::shared_ptr<const spe::Trace> trace;  ///< nullptr: none, or not requested
  std::string undecoded_traces;             ///< see FileFacts

  /// `path`: a file, a directory that `perf record --threads` made, or "-" for standard input.
  /// Reads a pipe up to the first sample; the first RecordCursor reads the rest as it comes. Other
  /// files that can't be mapped are copied to an unlinked one.
  static Result<File> open(const std::string& path,
                           const TraceOptions& traces = TraceOptions::none());
  /// Does the same for the bytes of a file or of a pipe's output.
  static Result<File> of_bytes(std::vector<std::uint8_t> bytes, std::string name,
                               const TraceOptions& traces);
  /// Does the same for an open file, which is mapped, or for a pipe, which is read as it comes. The
  /// descriptor stays the caller's.
  static Result<File> of_descriptor(int fd, std::string name, const TraceOptions& traces);

  /// Returns the bytes of the main file, or the bytes of a pipe read so far.
  Bytes bytes() const { return maps_.empty() ? Bytes(prologue_) : maps_[0].bytes(); }
  /// Returns the path of the file that bytes() is of; of a directory, the one inside. Empty if
  /// there is none to open.
  std::string main_path() const;

 private:
  static Result<File> parse(File file, Bytes bytes, std::shared_ptr<OneWay> more,
                            const TraceOptions& traces);
  static Result<File> of_pipe(const std::shared_ptr<OneWay>& pipe, const std::string& path,
                              const TraceOptions& traces);
  static Result<File> of_map(Result<MappedFile> map, const std::string& path,
                             const std::string& source, const TraceOptions& traces);

  std::vector<MappedFile> maps_;
  std::vector<std::uint8_t> prologue_;  ///< of a pipe: the bytes read so far
};

/// Returns true if records of a type count only before the first sample of a pipe that is read as
/// it comes.
bool is_of_prologue(std::uint32_t type);

/// Returns true for samples, and for records that contain samples or precede them.
bool begins_data(std::uint32_t type);

}  // namespace evname::stream
