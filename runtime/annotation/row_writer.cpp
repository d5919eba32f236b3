// JSON Lines and CSV.

#include <algorithm>

#include "annotation/writers.hpp"

namespace evname {
namespace {

constexpr std::string_view kConfigNames[] = {"config1", "config2", "config3"};

/// What stands for an event is the same for all its samples.
std::string event_text(const RecordedEvent& event, ValueWriter::Style style) {
  std::string text;
  const TextSink sink = [&](std::string_view piece) { return text += piece, true; };
  Output out(sink);
  ValueWriter value(out, style);
  const auto key = [&](std::string_view name) {
    if (value.json() && out.size() > 0) out.put(',');
    if (!value.json() && out.size() > 0) out.put(',');
    if (!value.json()) return;
    out.json(name);
    out.put(':');
  };
  key("event"), value.text(event.name);
  key("pmu"), value.text(event.pmu);
  key("code"), value.hex(event.code.config[0]);
  const auto& config = event.code.config;
  const std::uint64_t more[] = {config[1], config[2], config[3]};
  for (std::size_t i = 0; i < 3; ++i)
    if (more[i] != 0 || !value.json()) key(kConfigNames[i]), value.hex(more[i]);
  key("attr"), value.number(event.attr);
  out.flush();
  return text;
}

class RowWriter final : public SampleWriter {
 public:
  explicit RowWriter(const WriterSetup& setup)
      : context_(setup.context),
        out_(setup.out),
        json_(setup.options.format == Format::jsonl),
        value_(setup.out, json_ ? ValueWriter::Style::json : ValueWriter::Style::csv) {
    const bool whole =
        std::find(setup.fields.begin(), setup.fields.end(), Field::event) != setup.fields.end();
    for (Field field : setup.fields)
      if (!whole || (field != Field::pmu && field != Field::code)) rows_.push_back(&row_of(field));
    const auto style = json_ ? ValueWriter::Style::json : ValueWriter::Style::csv;
    for (const RecordedEvent& event : setup.file.events())
      events_.push_back(event_text(event, style));
    for (const auto& event : detail::state_of(setup.file).file.events.list()) {
      std::vector<bool>& has = has_.emplace_back();
      for (const FieldRow* row : rows_) has.push_back(has_field(event.attr, *row));
    }
  }

  void begin() override {
    if (json_) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i > 0) out_.put(',');
      if (rows_[i]->field == Field::event)
        out_.text("event,pmu,code,config1,config2,config3,attr");
      else
        out_.text(rows_[i]->name);
    }
    out_.end_line();
  }

  bool sample(const Sample& sample) override {
    const std::size_t attr = sample.event().attr;
    if (json_) out_.put('{');
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i > 0) out_.put(',');
      if (rows_[i]->field == Field::event) {
        out_.text(events_[attr]);
        continue;
      }
      if (json_) {
        out_.put('"');
        out_.text(rows_[i]->name);
        out_.text("\":");
      }
      if (has_[attr][i])
        rows_[i]->value(sample, context_, value_);
      else
        value_.absent();
    }
    if (json_) out_.put('}');
    return out_.end_line();
  }

 private:
  FieldContext& context_;
  Output& out_;
  bool json_;
  ValueWriter value_;
  std::vector<const FieldRow*> rows_;
  std::vector<std::string> events_;     ///< by attr
  std::vector<std::vector<bool>> has_;  ///< by attr, then row
};

}  // namespace

std::unique_ptr<SampleWriter> make_row_writer(const WriterSetup& setup) {
  return std::make_unique<RowWriter>(setup);
}

}  // namespace evname
