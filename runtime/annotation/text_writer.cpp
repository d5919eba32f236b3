// Lines as perf script prints them: process_event and perf_sample__fprintf_start of
// tools/perf/builtin-script.c.

#include <algorithm>

#include "annotation/writers.hpp"

namespace evname {
namespace {

// "5/6    ": pid and tid together are one field.
void write_thread(const Sample& sample, FieldContext& context, Output& out) {
  const perfdata::SampleCore& core = detail::state_of(sample).view.core;
  out.text(context.thread.of({core.pid, core.tid}, static_cast<std::uint32_t>(core.tid),
                             [&] { return fmt::format("{:5}/{:<5} ", core.pid, core.tid); }));
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

}  // namespace evname
