#pragma once
// Writes records other than samples as perf script does: --show-mmap-events and the like.

#include <cstdint>
#include <vector>

#include "recordings/annotation/sample_writers.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::annotation {

class RecordLines {
 public:
  /// All of them outlive the object. `fields` are for events without fields of their own.
  RecordLines(const PerfData& file, const AnnotateOptions& options, std::span<const Field> fields,
              FieldContext& context, Output& out);

  /// Returns true if records of the type have lines.
  bool wants(std::uint32_t type) const;
  /// Writes the line of the record that the cursor is at, if it has one. Returns false if the sink
  /// wants no more.
  bool write(session::RecordCursor& cursor);

 private:
  bool place(session::RecordCursor& cursor);

  const detail::PerfDataState& state_;
  const AnnotateOptions& options_;
  FieldContext& context_;
  Output& out_;
  std::vector<std::vector<TextCell>> cells_;  ///< of the beginning of a line, by attr
  perf_format::SampleRecord line_;            ///< the fields at the beginning of a line
};

}  // namespace evname::annotation
