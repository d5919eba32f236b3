#pragma once
// Samples as columns: plain arrays that others read in place.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pass.hpp"

namespace evname_python {

enum class Kind : std::uint8_t { int64, uint64, text };

/// A field of samples that can be a column.
struct FieldSpec {
  const char* name;
  Kind kind;
  std::uint64_t needs;  ///< the bit of enum evname_sample_fields; 0: every sample has it
  std::uint64_t (*number)(const evname_sample&);
  const char* evname_recorded_event::*text;  ///< of the sample's event; nullptr: the thread's name
};

/// The values that a text column's codes stand for; each once, well-formed UTF-8.
struct Dictionary {
  std::vector<std::string> values;
  std::unordered_map<std::string, std::int32_t> codes;
  std::int32_t code_of(std::string value);
};

/// The values of one field of the samples of a batch.
struct Column {
  const FieldSpec* field = nullptr;
  std::vector<std::uint64_t> numbers;  ///< of int64 and uint64
  std::vector<std::int32_t> codes;     ///< of text: indexes into the dictionary
  std::shared_ptr<Dictionary> dictionary;
  std::vector<std::uint8_t> valid;  ///< 1 per value that there is; empty: all there are
  std::size_t nulls = 0;

  std::size_t size() const { return field->kind == Kind::text ? codes.size() : numbers.size(); }
  const void* values() const {
    return field->kind == Kind::text ? static_cast<const void*>(codes.data()) : numbers.data();
  }
  std::size_t item_size() const { return field->kind == Kind::text ? 4 : 8; }
};

/// Columns of the same samples. Never changed once it is filled.
struct Batch {
  std::vector<Column> columns;
  std::size_t rows = 0;
};
using SharedBatch = std::shared_ptr<const Batch>;

/// A pass over samples that gives batches.
class Batches {
 public:
  Batches(Recording recording, const std::vector<std::string>& fields, std::size_t size,
          bool file_order, bool salvage, py::object progress);

  const std::shared_ptr<Pass>& pass() const { return pass_; }
  /// A batch without rows: what the columns are.
  SharedBatch empty() const;
  /// Up to `size` samples; nullptr at the end. Needs no interpreter.
  SharedBatch next();

 private:
  struct EventText {
    std::shared_ptr<Dictionary> dictionary;
    std::vector<std::int32_t> codes;  // of each event
  };

  std::shared_ptr<Batch> begin_batch() const;
  void add(Batch& batch, const evname_sample& sample);
  std::int32_t comm_code(Column& column, const char* comm);

  std::shared_ptr<Pass> pass_;
  std::vector<const FieldSpec*> fields_;
  std::vector<EventText> event_texts_;  // parallel to fields_
  std::unordered_map<const char*, std::int32_t>
      comms_;  // of this batch, by where the pass keeps the name
  std::size_t size_;
};

/// The names of all fields.
std::vector<std::string> field_names();

// The Arrow C data and stream interfaces, as capsules.
py::capsule arrow_schema(const Batch& batch);
py::tuple arrow_array(const SharedBatch& batch);
py::capsule arrow_stream(std::shared_ptr<Batches> batches);

}  // namespace evname_python
