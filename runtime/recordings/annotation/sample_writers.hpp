#pragma once
// The writers of samples, one per format, and the writer of other records.

#include <cstdint>
#include <memory>
#include <vector>

#include "recordings/annotation/fields.hpp"
#include "recordings/annotation/script_options.hpp"
#include "recordings/annotation/stat_lines.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

class SampleWriter {
 public:
  virtual ~SampleWriter() = default;
  virtual void begin() {}
  /// Writes a sample. Returns false if the sink wants no more.
  virtual bool sample(const Sample& sample) = 0;
  virtual void end() {}
  /// Adds the samples that another writer of the same format has kept until the end.
  virtual void take(SampleWriter& /*other*/) {}
};

struct WriterSetup {
  const Recording& file;
  const ScriptOptions& options;
  std::vector<Field> fields;
  FieldContext& context;
  Output& out;
};

/// Writes a field of a line of text.
using TextCell = decltype(FieldRow::text);

/// Returns the cells of a line of an event with these fields, up to `last`.
std::vector<TextCell> text_cells(const perf_format::Event& event, std::span<const Field> fields,
                                 Field last = field_rows().back().field);

std::unique_ptr<SampleWriter> make_text_writer(const WriterSetup& setup);
std::unique_ptr<SampleWriter> make_row_writer(const WriterSetup& setup);  ///< csv and jsonl
std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup);

/// Writes records other than samples as perf script does: --show-mmap-events and the like.
class RecordLines {
 public:
  /// All of them outlive the object. `fields` are for events without fields of their own.
  RecordLines(const Recording& file, const ScriptOptions& options, std::span<const Field> fields,
              FieldContext& context, Output& out);

  /// Returns true if records of the type have lines.
  bool wants(std::uint32_t type) const;
  /// Writes the line of the record that the cursor is at, if it has one. Returns false if the sink
  /// wants no more.
  bool write(session::RecordCursor& cursor);

 private:
  bool place(session::RecordCursor& cursor);

  const detail::RecordingState& state_;
  const ScriptOptions& options_;
  FieldContext& context_;
  Output& out_;
  std::vector<std::vector<TextCell>> cells_;  ///< of the beginning of a line, by attr
  StatLines counts_;
  perf_format::SampleRecord line_;  ///< the fields at the beginning of a line
};

}  // namespace evname::annotation
