#include "recordings/annotation/sample_writers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "recordings/annotation/sample_parts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

// Lines as perf script prints them: process_event and perf_sample__fprintf_start of
// tools/perf/builtin-script.c.

namespace {

// "      5/6       ": pid and tid together are one field.
void write_thread(const Sample& sample, FieldContext&, Output& out) {
  const perf_format::SampleRecord& record = detail::record_of(sample);
  const fmt::format_int tid(record.tid);
  out.decimal(record.pid, 7);
  out.put('/');
  out.left({tid.data(), tid.size()}, 7);
  out.put(' ');
}

class TextWriter final : public SampleWriter {
 public:
  explicit TextWriter(const WriterSetup& setup) : context_(setup.context), out_(setup.out) {
    const auto& events = detail::state_of(setup.file).file.events.list();
    for (std::size_t i = 0; i < events.size(); ++i)
      cells_.push_back(text_cells(events[i], setup.options.event_fields.empty()
                                                 ? setup.fields
                                                 : setup.options.event_fields[i]));
  }

  bool sample(const Sample& sample) override {
    const auto& cells = cells_[sample.event().attr];
    if (cells.empty()) return true;
    if (context_.ibs) context_.ibs->read(sample.event().attr, sample.raw());
    for (const auto& write : cells) write(sample, context_, out_);
    return out_.end_line();
  }

 private:
  FieldContext& context_;
  Output& out_;
  std::vector<std::vector<TextCell>> cells_;  ///< by attr
};

}  // namespace

namespace {

/// Writes the target of a branch: " => 401000 f+0x0 (/bin/app)".
void write_target(const Sample& sample, FieldContext& context, Output& out) {
  out.text(" => ");
  row_of(Field::addr).text(sample, context, out);
}

/// Fields that hide another one, which perf prints only alone: branches have one form, as have the
/// instructions between them.
struct HidingRow {
  Field hidden;
  std::initializer_list<Field> by;
};
const HidingRow kHiding[] = {
    {Field::brstacksym, {Field::brstack}},
    {Field::brstackoff, {Field::brstack, Field::brstacksym}},
    {Field::brstackinsnlen, {Field::brstackinsn}},
    {Field::brstackdisasm, {Field::brstackinsn, Field::brstackinsnlen}},
};

bool is_hidden(Field field, std::span<const Field> fields) {
  return std::any_of(std::begin(kHiding), std::end(kHiding), [&](const HidingRow& row) {
    return row.hidden == field && has_any(fields, row.by);
  });
}

/// Returns true for the fields of events that are branches: perf_sample__fprintf_bts.
bool is_of_branches(Field field) {
  return field <= Field::flags || field == Field::ip ||
         (field >= Field::insnlen && field <= Field::brstackdisasm) || field == Field::srccode;
}

}  // namespace

std::vector<TextCell> text_cells(const perf_format::Event& event, std::span<const Field> fields,
                                 Field last) {
  const auto wants = [&](Field field) { return has_any(fields, {field}); };
  const bool thread = wants(Field::pid) && wants(Field::tid), files = wants(Field::dso);
  const bool is_branch = perf_format::is_branch_trace(event.attr);
  std::vector<TextCell> cells;
  for (const FieldRow& row : field_rows()) {
    if (row.field > last) break;
    if (is_branch && row.field == Field::sym && wants(Field::addr)) cells.push_back(write_target);
    if (!wants(row.field) || !row.text || (row.field == Field::tid && thread) ||
        is_hidden(row.field, fields) || (is_branch && !is_of_branches(row.field)))
      continue;
    cells.push_back(row.field == Field::pid && thread      ? write_thread
                    : row.field == Field::brstack && files ? write_branches_in_files
                                                           : row.text);
  }
  return cells;
}

std::unique_ptr<SampleWriter> make_text_writer(const WriterSetup& setup) {
  return std::make_unique<TextWriter>(setup);
}

// JSON Lines and CSV.

namespace {

constexpr std::string_view kConfigNames[] = {"config1", "config2", "config3", "config4"};
constexpr std::size_t kConfigColumns = 3;  // that CSV always has

/// Returns the value of Field::event, which is the same for all samples of an event.
std::string event_text(const RecordedEvent& event, ValueWriter::Style style) {
  std::string text;
  const TextSink sink = [&](std::string_view piece) {
    text += piece;
    return true;
  };
  Output out(sink);
  ValueWriter value(out, style);
  const auto member = [&](std::string_view name, auto&& write) {
    if (out.size() > 0) out.put(',');
    if (value.json()) {
      out.json(name);
      out.put(':');
    }
    value.cell(write);
  };
  member("event", [&] { value.text(event.name); });
  member("pmu", [&] { value.text(event.pmu); });
  member("code", [&] { value.hex(event.code.config[0]); });
  for (std::size_t i = 0; i < std::size(kConfigNames); ++i)
    if (const std::uint64_t word = event.code.config[i + 1];
        value.json() ? word != 0 : i < kConfigColumns)
      member(kConfigNames[i], [&] { value.hex(word); });
  member("attr", [&] { value.number(event.attr); });
  out.flush();
  return text;
}

ValueWriter::Style style_of(const ScriptOptions& options) {
  if (options.format == Format::jsonl) return ValueWriter::Style::json;
  return options.guard_formulas ? ValueWriter::Style::csv_without_formulas
                                : ValueWriter::Style::csv;
}

class RowWriter final : public SampleWriter {
 public:
  explicit RowWriter(const WriterSetup& setup)
      : context_(setup.context),
        out_(setup.out),
        json_(setup.options.format == Format::jsonl),
        event_expands_(json_ || setup.fields.size() > 1),
        value_(setup.out, style_of(setup.options)) {
    const bool whole = has_any(setup.fields, {Field::event});
    for (Field field : setup.fields)
      if (!whole || (field != Field::pmu && field != Field::code)) rows_.push_back(&row_of(field));
    for (const RecordedEvent& event : setup.file.events())
      events_.push_back(event_text(event, style_of(setup.options)));
    for (const auto& event : detail::state_of(setup.file).file.events.list()) {
      std::vector<bool>& has = has_.emplace_back();
      for (const FieldRow* row : rows_) has.push_back(has_field(event, *row));
    }
  }

  void begin() override {
    if (json_) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i > 0) out_.put(',');
      if (expands(i))
        out_.text("event,pmu,code,config1,config2,config3,attr");
      else
        out_.text(rows_[i]->name);
    }
    out_.end_line();
  }

  bool sample(const Sample& sample) override {
    const std::size_t attr = sample.event().attr;
    if (context_.ibs) context_.ibs->read(attr, sample.raw());
    if (json_) out_.put('{');
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i > 0) out_.put(',');
      if (expands(i)) {
        out_.text(events_[attr]);
        continue;
      }
      if (json_) {
        out_.put('"');
        out_.text(rows_[i]->name);
        out_.text("\":");
      }
      if (has_[attr][i])
        value_.cell([&] { rows_[i]->value(sample, context_, value_); });
      else
        value_.absent();
    }
    if (json_) out_.put('}');
    return out_.end_line();
  }

 private:
  bool expands(std::size_t row) const {
    return event_expands_ && rows_[row]->field == Field::event;
  }

  FieldContext& context_;
  Output& out_;
  bool json_;
  bool event_expands_;  ///< csv: `event` alone is one column
  ValueWriter value_;
  std::vector<const FieldRow*> rows_;
  std::vector<std::string> events_;     ///< by attr
  std::vector<std::vector<bool>> has_;  ///< by attr, then row
};

}  // namespace

std::unique_ptr<SampleWriter> make_row_writer(const WriterSetup& setup) {
  return std::make_unique<RowWriter>(setup);
}

}  // namespace evname::annotation
