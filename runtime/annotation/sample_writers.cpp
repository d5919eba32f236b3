#include "annotation/sample_writers.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "annotation/sample_parts.hpp"
#include "recording/perf_data_state.hpp"

namespace evname::annotation {

// Lines as perf script prints them: process_event and perf_sample__fprintf_start of
// tools/perf/builtin-script.c.

namespace {

// "      5/6       ": pid and tid together are one field.
void write_thread(const Sample& sample, FieldContext& context, Output& out) {
  const perfdata::SampleCore& core = detail::state_of(sample).view.core;
  out.text(context.thread.of({core.pid, core.tid}, static_cast<std::uint32_t>(core.tid),
                             [&] { return fmt::format("{:7}/{:<7} ", core.pid, core.tid); }));
}

class TextWriter final : public SampleWriter {
 public:
  explicit TextWriter(const WriterSetup& setup) : context_(setup.context), out_(setup.out) {
    const auto wants = [&](Field field) {
      return std::find(setup.fields.begin(), setup.fields.end(), field) != setup.fields.end();
    };
    const bool thread = wants(Field::pid) && wants(Field::tid);
    for (const FieldRow& row : field_rows()) {
      if (!wants(row.field) || !row.text || (row.field == Field::tid && thread)) continue;
      cells_.push_back(row.field == Field::pid && thread ? write_thread : row.text);
    }
  }

  bool sample(const Sample& sample) override {
    for (const auto& write : cells_) write(sample, context_, out_);
    return out_.end_line();
  }

 private:
  FieldContext& context_;
  Output& out_;
  std::vector<decltype(FieldRow::text)> cells_;
};

}  // namespace

std::unique_ptr<SampleWriter> make_text_writer(const WriterSetup& setup) {
  return std::make_unique<TextWriter>(setup);
}

// JSON Lines and CSV.

namespace {

constexpr std::string_view kConfigNames[] = {"config1", "config2", "config3"};

/// What stands for an event is the same for all its samples.
std::string event_text(const RecordedEvent& event, ValueWriter::Style style) {
  std::string text;
  const TextSink sink = [&](std::string_view piece) { return text += piece, true; };
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
    if (const std::uint64_t word = event.code.config[i + 1]; word != 0 || !value.json())
      member(kConfigNames[i], [&] { value.hex(word); });
  member("attr", [&] { value.number(event.attr); });
  out.flush();
  return text;
}

ValueWriter::Style style_of(const AnnotateOptions& options) {
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
        value_(setup.out, style_of(setup.options)) {
    const bool whole =
        std::find(setup.fields.begin(), setup.fields.end(), Field::event) != setup.fields.end();
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
        value_.cell([&] { rows_[i]->value(sample, context_, value_); });
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

// Folded stacks: "event;comm;root;…;leaf count", sorted, as flame graph tools take them.

namespace {

class FoldedWriter final : public SampleWriter {
 public:
  explicit FoldedWriter(const WriterSetup& setup)
      : context_(setup.context), out_(setup.out), periods_(setup.options.count_periods) {}

  bool sample(const Sample& sample) override {
    context_.namer->stack(sample, context_.stack);
    key_.clear();
    add(context_.names[sample.event().attr]);
    key_ += ';';
    add(sample.tid() ? sample.comm() : "-");
    const auto& view = detail::state_of(sample).view;
    for (auto at = context_.stack.rbegin(); at != context_.stack.rend(); ++at)
      key_ += text_of(context_.namer->at(view, *at));
    stacks_[key_] += periods_ ? sample.period() : 1;
    return true;
  }

  void end() override {
    std::vector<const Stacks::value_type*> sorted;
    sorted.reserve(stacks_.size());
    for (const auto& stack : stacks_) sorted.push_back(&stack);
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
    for (const auto* stack : sorted) {
      out_.text(stack->first);
      out_.put(' ');
      out_.decimal(stack->second);
      if (!out_.end_line()) return;
    }
  }

 private:
  using Stacks = std::unordered_map<std::string, std::uint64_t>;

  // ';' separates frames, the last space the count; functions' names may have spaces.
  void add(std::string_view name, bool is_function = false) {
    for (const char letter : name)
      key_ += letter == ';'                                       ? ':'
              : letter == '\n' || (letter == ' ' && !is_function) ? '_'
                                                                  : letter;
  }

  /// ";outer;…;inlined"
  const std::string& text_of(recording::NamedCode& code) {
    if (!code.texts.empty()) return code.texts[0];
    std::swap(key_, saved_);
    key_.clear();
    std::string label;
    for (auto frame = code.frames.rbegin(); frame != code.frames.rend(); ++frame) {
      label.clear();
      append_label(label, code, *frame);
      key_ += ';';
      add(label, true);
    }
    code.texts.push_back(key_);
    std::swap(key_, saved_);
    return code.texts[0];
  }

  FieldContext& context_;
  Output& out_;
  bool periods_;
  std::string key_, saved_;
  Stacks stacks_;
};

}  // namespace

std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup) {
  return std::make_unique<FoldedWriter>(setup);
}

}  // namespace evname::annotation
