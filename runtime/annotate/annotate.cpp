#include "evname/annotate.hpp"

#include <algorithm>

#include "annotate/writers.hpp"
#include "base/text.hpp"

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

const FieldRow* find_row(std::string_view name) {
  for (const FieldRow& row : field_rows())
    if (row.name == name) return &row;
  return nullptr;
}

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
  for (const RecordedEvent& event : file.events()) {
    const bool symbolic = options.names == NameStyle::symbolic;
    context.names.push_back(symbolic ? event.full_name() : event.recorded_name);
    context.name_width = std::max(context.name_width, context.names.back().size());
    if (wants(Field::desc)) context.descs.push_back(describe(file.machine(), event));
  }
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

Result<void> check_fields(const PerfData& file, std::span<const Field> fields) {
  const auto& events = file.state().file.events.list();
  for (const Field field : fields) {
    const FieldRow& row = row_of(field);
    const bool sampled = std::any_of(events.begin(), events.end(),
                                     [&](const auto& event) { return has_field(event.attr, row); });
    if (!sampled && !events.empty())
      return fail(Errc::not_found, fmt::format("no event of the recording samples '{}'", row.name),
                  file.state().file.path);
  }
  return {};
}

}  // namespace

std::span<const FieldInfo> all_fields() {
  static const std::vector<FieldInfo> kAll = [] {
    std::vector<FieldInfo> all;
    for (const FieldRow& row : field_rows()) all.push_back({row.field, row.name, row.what});
    return all;
  }();
  return kAll;
}

std::span<const Field> default_fields() { return kDefaults; }

Result<std::vector<Field>> parse_fields(std::string_view text, std::span<const Field> base) {
  const bool changes = text.starts_with('+') || text.starts_with('-');
  std::vector<Field> fields;
  if (changes) fields.assign(base.begin(), base.end());
  for (std::string_view word : split(text, ',')) {
    const char sign = word.starts_with('+') || word.starts_with('-') ? word[0] : ' ';
    if (sign != ' ') word.remove_prefix(1);
    const FieldRow* row = find_row(word);
    if (!row || (sign != ' ' && !changes)) {
      std::string names;
      for (const FieldRow& known : field_rows())
        names += (names.empty() ? "" : ", ") + std::string(known.name);
      return fail(Errc::invalid_argument, fmt::format("no field '{}'", word), "", names);
    }
    const auto at = std::find(fields.begin(), fields.end(), row->field);
    if (sign == '-' && at != fields.end()) fields.erase(at);
    if (sign != '-' && at == fields.end()) fields.push_back(row->field);
  }
  return fields;
}

Result<SampleTally> annotate(const PerfData& file, const AnnotateOptions& options,
                             const TextSink& sink) {
  const WriterRow& writer = kWriters[static_cast<std::size_t>(options.format)];
  std::vector<Field> fields = options.fields;
  if (fields.empty()) fields.assign(writer.defaults.begin(), writer.defaults.end());
  if (auto good = check_fields(file, options.fields); !good) return tl::unexpected(good.error());
  FieldContext context = make_context(file, options, fields);
  Output out(sink);
  const auto lines = writer.make({file, options, std::move(fields), context, out});
  PassOptions pass = options.pass;
  pass.maps = options.format == Format::text && context.callchains;
  const std::vector<bool> events = options.filter.events(file);
  std::uint64_t left = options.limit;
  lines->begin();
  SampleTally tally;
  if (left > 0)
    tally = file.for_each_sample(
        [&](const Sample& sample) {
          if (!events[sample.event().attr] || !options.filter.accepts(sample)) return true;
          return lines->sample(sample) && --left > 0;
        },
        pass);
  lines->end();
  out.flush();
  return tally;
}

}  // namespace evname
