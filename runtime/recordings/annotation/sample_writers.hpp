#pragma once
// The writers of samples, one per format.

#include <memory>
#include <vector>

#include "recordings/annotation/fields.hpp"

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
  const PerfData& file;
  const AnnotateOptions& options;
  std::vector<Field> fields;
  FieldContext& context;
  Output& out;
};

/// Writes a field of a line of text.
using TextCell = decltype(FieldRow::text);

/// Returns the cells of a line with these fields, up to `last`.
std::vector<TextCell> text_cells(std::span<const Field> fields,
                                 Field last = field_rows().back().field);

std::unique_ptr<SampleWriter> make_text_writer(const WriterSetup& setup);
std::unique_ptr<SampleWriter> make_row_writer(const WriterSetup& setup);  ///< csv and jsonl
std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup);

}  // namespace evname::annotation
