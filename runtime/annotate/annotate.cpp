#include "evname/annotate.hpp"

#include <algorithm>

#include "annotate/checks.hpp"
#include "annotate/writers.hpp"

namespace evname {
namespace {

constexpr Field kDefaults[] = {Field::comm, Field::pid, Field::tid, Field::time, Field::event};
constexpr Field kRowDefaults[] = {Field::comm, Field::pid,  Field::tid,
                                  Field::cpu,  Field::time, Field::event};

struct WriterRow {
  Format format;
  std::unique_ptr<SampleWriter> (*make)(const WriterSetup& setup);
  std::span<const Field> defaults;
};
constexpr WriterRow kWriters[] = {{Format::text, make_text_writer, kDefaults},
                                  {Format::csv, make_row_writer, kRowDefaults},
                                  {Format::jsonl, make_row_writer, kRowDefaults},
                                  {Format::folded, make_folded_writer, kDefaults}};

std::string describe(const Machine& machine, const RecordedEvent& event) {
  for (const EventInfo& info : machine.events(event.name))
    if (!info.desc.empty()) return info.desc;
  return {};
}

FieldContext make_context(const PerfData& file, const AnnotateOptions& options,
                          std::span<const Field> fields) {
  const auto wants = [&](Field field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  FieldContext context;
  std::size_t width = 0;
  for (const RecordedEvent& event : file.events()) {
    const bool symbolic = options.names == NameStyle::symbolic;
    context.names.push_back(symbolic ? event.full_name() : event.recorded_name);
    width = std::max(width, context.names.back().size());
    if (wants(Field::desc)) context.descs.push_back(describe(file.machine(), event));
  }
  for (const std::string& name : context.names)
    context.padded_names.push_back(std::string(width - name.size(), ' ') + name + ": ");
  for (const auto& event : file.state().file.events.list()) {
    const auto& formats = file.state().file.features.tracing.formats;
    const auto at = std::find_if(formats.begin(), formats.end(), [&](const auto& format) {
      return event.attr.type == kTypeTracepoint && format.id == event.attr.config;
    });
    context.traces.push_back(at == formats.end() ? nullptr : &*at);
  }
  context.big_endian = file.state().file.header.order == std::endian::big;
  context.arch = file.state().file.features.arch;
  context.callchains = wants(Field::ip);
  return context;
}

}  // namespace

std::span<const Field> default_fields() { return kDefaults; }

Result<SampleTally> annotate(const PerfData& file, const AnnotateOptions& options,
                             const TextSink& sink) {
  const WriterRow& writer = kWriters[static_cast<std::size_t>(options.format)];
  std::vector<Field> fields = options.fields;
  if (fields.empty()) fields.assign(writer.defaults.begin(), writer.defaults.end());
  const auto ready = check_fields(file, options.format, options.fields).and_then([&] {
    return check_filter(file, options.filter);
  });
  if (!ready) return tl::unexpected(ready.error());
  FieldContext context = make_context(file, options, fields);
  Output out(sink);
  const auto lines = writer.make({file, options, std::move(fields), context, out});
  PassOptions pass = options.pass;
  pass.maps = options.format == Format::text && context.callchains;
  const std::vector<bool> events = options.filter.events(file);
  const bool chosen = !options.filter.passes_all() || !options.filter.event.empty();
  std::uint64_t left = options.limit;
  lines->begin();
  SampleTally tally;
  if (left > 0)
    tally = file.for_each_sample(
        [&](const Sample& sample) {
          if (chosen && !(events[sample.event().attr] && options.filter.accepts(sample)))
            return true;
          return lines->sample(sample) && --left > 0;
        },
        pass);
  lines->end();
  out.flush();
  return tally;
}

}  // namespace evname
