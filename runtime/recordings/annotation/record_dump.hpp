#pragma once
// Dumps records as `perf script -D` and `perf report -D` do: their bytes and what is in them.

#include <cstdint>
#include <string>

#include "recordings/annotation/fields.hpp"
#include "recordings/annotation/script_options.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

/// Writes "0x…" with `%#x` of C: 0 has no prefix.
std::string number_text(std::uint64_t value);

/// Writes what is in a record after its name, as perf_event__fprintf does, without the last line
/// feed. Returns false if perf prints nothing for its type, or if it is too short.
bool write_record_text(const perf_format::Record& record, std::endian order, bool printable,
                       Output& out);

/// Writes the fields of a sample as dump_sample of tools/perf/util/session.c does.
void dump_sample(const Sample& sample, std::string_view arch, std::endian order, Output& out);
/// Writes "... FP chain: nr:2", and a line for each word.
void dump_chain(SampleWords chain, Output& out);

/// Writes the dump of one record after the other.
class RecordDump {
 public:
  /// All of them outlive the object.
  RecordDump(const Recording& file, const DumpOptions& options, FieldContext& context, Output& out);

  /// Writes the record that the cursor is at, or the file of another value of the same sample.
  void write(session::RecordCursor& cursor);

 private:
  std::string path_of(const perf_format::Record& record) const;
  void write_place(const perf_format::Record& whole);
  void write_bytes(const perf_format::Record& whole);
  void write_identity(session::RecordCursor& cursor);
  void write_content(session::RecordCursor& cursor);
  void write_other(session::RecordCursor& cursor);
  void write_named(session::RecordCursor& cursor);
  void write_loss(session::RecordCursor& cursor);
  void write_counter(session::RecordCursor& cursor);
  void write_sample(session::RecordCursor& cursor);
  void write_thread(session::RecordCursor& cursor);

  const detail::RecordingState& state_;
  const DumpOptions& options_;
  FieldContext& context_;
  Output& out_;
  const bool is_pipe_;  ///< offsets are after the header, as in perf
  const std::string path_;
  std::size_t events_;  ///< number of events that records have described so far
  perf_format::SampleRecord sample_;
};

}  // namespace evname::annotation
