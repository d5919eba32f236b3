// Lines as perf script prints them: process_event and perf_sample__fprintf_start of
// tools/perf/builtin-script.c.

#include <algorithm>

#include "annotate/writers.hpp"

namespace evname {
namespace {

class TextWriter final : public SampleWriter {
 public:
  explicit TextWriter(const WriterSetup& setup) : context_(setup.context), out_(setup.out) {
    const auto& wanted = setup.fields;
    const auto wants = [&](Field field) {
      return std::find(wanted.begin(), wanted.end(), field) != wanted.end();
    };
    thread_ = wants(Field::pid) && wants(Field::tid);
    for (const auto& event : setup.file.state().file.events.list()) {
      auto& cells = by_event_.emplace_back();
      for (const FieldRow& row : field_rows()) {
        if (!wants(row.field) || !row.text || (row.field == Field::tid && thread_)) continue;
        cells.push_back({&row, has_field(event.attr, row)});
      }
    }
  }

  bool sample(const Sample& sample) override {
    for (const Cell& cell : by_event_[sample.event().attr]) {
      if (thread_ && cell.row->field == Field::pid)
        write_thread(sample);
      else if (cell.there)
        cell.row->text(sample, context_, out_);
      else
        out_.text(cell.row->absent);
    }
    return out_.end_line();
  }

 private:
  struct Cell {
    const FieldRow* row;
    bool there;
  };

  void write_thread(const Sample& sample) {
    out_.decimal(sample.pid().value_or(-1), 5);
    out_.put('/');
    const fmt::format_int tid(sample.tid().value_or(-1));
    out_.left({tid.data(), tid.size()}, 5);
    out_.put(' ');
  }

  FieldContext& context_;
  Output& out_;
  bool thread_ = false;  ///< "pid/tid" as one
  std::vector<std::vector<Cell>> by_event_;
};

}  // namespace

std::unique_ptr<SampleWriter> make_text_writer(const WriterSetup& setup) {
  return std::make_unique<TextWriter>(setup);
}

}  // namespace evname
