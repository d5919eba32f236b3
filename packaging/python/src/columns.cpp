#include "columns.hpp"

#include <algorithm>
#include <iterator>

#include "sample_rows.hpp"

namespace evname_python {
namespace {

using S = evname_sample;
using E = evname_recorded_event;

template <auto Member>
constexpr std::uint64_t number(const evname_sample& sample) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(sample.*Member));
}

// Processes, threads and CPUs are numbers with a sign, as everybody has them; so are all of 32
// bits.
template <class T>
constexpr Kind kind_of = sizeof(T) == 4 ? Kind::int64 : Kind::uint64;

constexpr FieldSpec field_specs[] = {
    {"comm", Kind::text, EVNAME_SAMPLE_TID, nullptr, nullptr},
#define EVNAME_ALWAYS(name, NAME, type, what) {#name, Kind::uint64, 0, number<&S::name>, nullptr},
#define EVNAME_NUMBER(name, NAME, type, what) \
  {#name, kind_of<type>, EVNAME_SAMPLE_##NAME, number<&S::name>, nullptr},
#define EVNAME_NO_LIST(...)
    EVNAME_SAMPLE_ROWS(EVNAME_ALWAYS, EVNAME_NUMBER, EVNAME_NO_LIST){"event", Kind::text, 0,
                                                                     nullptr, &E::name},
    {"modifiers", Kind::text, 0, nullptr, &E::modifiers},
    {"recorded_name", Kind::text, 0, nullptr, &E::recorded_name},
    {"pmu", Kind::text, 0, nullptr, &E::pmu},
    {"event_index", Kind::uint64, 0, number<&S::event>, nullptr},
};

const FieldSpec* find_field(const std::string& name) {
  const auto* found = std::find_if(std::begin(field_specs), std::end(field_specs),
                                   [&](const FieldSpec& field) { return name == field.name; });
  if (found == std::end(field_specs))
    throw py::value_error("there is no field '" + name + "': evname.FIELDS lists them");
  return found;
}

void mark(Column& column, bool there) {
  if (there && column.nulls == 0) return;
  column.valid.resize(column.size() - 1, 1);
  column.valid.push_back(there);
  column.nulls += !there;
}

}  // namespace

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const FieldSpec& field : field_specs) names.emplace_back(field.name);
  return names;
}

std::int32_t Dictionary::code_of(std::string value) {
  const auto [at, is_new] =
      codes.try_emplace(std::move(value), static_cast<std::int32_t>(values.size()));
  if (is_new) values.push_back(at->first);
  return at->second;
}

Batches::Batches(Recording recording, const std::vector<std::string>& fields, std::size_t size,
                 bool file_order, bool salvage, py::object progress)
    : size_(size) {
  if (size == 0) throw py::value_error("a batch has at least one sample");
  for (const std::string& name : fields) {
    const FieldSpec* field = find_field(name);
    if (std::find(fields_.begin(), fields_.end(), field) != fields_.end())
      throw py::value_error("the field '" + name + "' is named twice");
    fields_.push_back(field);
    EventText& text = event_texts_.emplace_back();
    if (field->text == nullptr) continue;
    text.dictionary = std::make_shared<Dictionary>();
    evname_recorded_event event;
    for (std::size_t i = 0; evname_recorded_event_at(recording.get(), i, &event) == EVNAME_OK; ++i)
      text.codes.push_back(text.dictionary->code_of(valid_text(event.*field->text)));
  }
  pass_ = std::make_shared<Pass>(std::move(recording), file_order, salvage, nullptr,
                                 std::move(progress));
}

std::shared_ptr<Batch> Batches::begin_batch() const {
  auto batch = std::make_shared<Batch>();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    Column& column = batch->columns.emplace_back();
    column.field = fields_[i];
    if (column.field->kind != Kind::text) continue;
    column.dictionary =
        event_texts_[i].dictionary ? event_texts_[i].dictionary : std::make_shared<Dictionary>();
  }
  return batch;
}

SharedBatch Batches::empty() const { return begin_batch(); }

std::int32_t Batches::comm_code(Column& column, const char* comm) {
  const auto [at, is_new] = comms_.try_emplace(comm, 0);
  if (is_new) at->second = column.dictionary->code_of(valid_text(comm));
  return at->second;
}

void Batches::add(Batch& batch, const evname_sample& sample) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    Column& column = batch.columns[i];
    const FieldSpec& field = *column.field;
    const bool there = field.needs == 0 || (sample.fields & field.needs) != 0;
    if (field.number != nullptr)
      column.numbers.push_back(there ? field.number(sample) : 0);
    else if (field.text != nullptr)
      column.codes.push_back(event_texts_[i].codes[sample.event]);
    else
      column.codes.push_back(there ? comm_code(column, sample.comm) : 0);
    mark(column, there);
  }
  ++batch.rows;
}

SharedBatch Batches::next() {
  const std::lock_guard guard(pass_->lock());
  const evname_sample* sample = pass_->next();
  if (sample == nullptr) return nullptr;
  comms_.clear();
  std::shared_ptr<Batch> batch = begin_batch();
  for (; sample != nullptr; sample = batch->rows < size_ ? pass_->next() : nullptr)
    add(*batch, *sample);
  return batch;
}

}  // namespace evname_python
