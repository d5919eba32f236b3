// evname info shows a recording's header, machine and events.

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "info/attr_text.hpp"
#include "info/features.hpp"
#include "info/summary.hpp"
#include "input/recording.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct InfoArguments {
  std::string file;
  bool json = false;
  bool records = false;
  bool verbose = false;
};

using Form = FileFacts::Form;
constexpr auto kForms =
    enum_values<Form>({{Form::file, "file"}, {Form::pipe, "pipe"}, {Form::directory, "directory"}});

std::string event_line(const Recording& file, const RecordedEvent& event) {
  std::string line = fmt::format("event : name = {}, ", event.recorded_name);
  if (event.name != event.recorded_name) line += fmt::format("event = {}, ", event.name);
  if (!event.ids.empty()) line += fmt::format("id = {{ {} }}, ", joined(event.ids, ", "));
  bool first = true;
  for (const AttrField& field : attr_fields(file.attr(event.attr)))
    line +=
        fmt::format("{}{} = {}", std::exchange(first, false) ? "" : ", ", field.label, field.text);
  return line;
}

void print_text(const Recording& file, bool all_records) {
  const FileFacts facts = file.facts();
  const CpuInfo& cpu = file.machine().cpu();
  print_out("form : {}, {} endian\n", kForms[facts.form].value,
            facts.big_endian ? "big" : "little");
  if (facts.form != Form::pipe)
    print_out("data offset    : {}\ndata size      : {}\n", facts.data_offset, facts.data_size);
  for (const std::string& stream : facts.streams) print_out("data file : {}\n", stream);
  print_out("model : {}\n", cpu.model.empty() ? "unknown" : cpu.model);
  for (const std::string& line : feature_lines(file)) print_out("{}\n", line);
  for (const std::string& why : file.refused_by_perf(all_records))
    print_out("perf 7.3 refuses the file : {}\n", why);
  for (const RecordedEvent& event : file.events()) print_out("{}\n", event_line(file, event));
}

void add_field(JsonLine& line, const AttrField& field) {
  switch (field.kind) {
    case AttrField::Kind::number:
      line.number_text(field.key, field.text);
      break;
    case AttrField::Kind::flag:
      line.boolean(field.key, true);
      break;
    case AttrField::Kind::text:
      line.text(field.key, field.text);
  }
}

void print_json(const Recording& file, bool all_records) {
  const FileFacts facts = file.facts();
  const CpuInfo& cpu = file.machine().cpu();
  JsonLine()
      .text("file", facts.path)
      .text("form", kForms[facts.form].value)
      .boolean("big_endian", facts.big_endian)
      .number("header_size", facts.header_size)
      .number("attr_size", facts.attr_size)
      .number("data_offset", facts.data_offset)
      .number("data_size", facts.data_size)
      .texts("data_files", facts.streams)
      .text("cpuid", cpu.cpuid)
      .text("model", cpu.model)
      .texts("refused_by_perf", file.refused_by_perf(all_records));
  for (const RecordedEvent& event : file.events()) {
    JsonLine line;
    line.number("attr", event.attr)
        .text("event", event.name)
        .text("recorded_name", event.recorded_name)
        .text("modifiers", event.modifiers)
        .text("pmu", event.pmu)
        .hex("code", event.code.config[0])
        .boolean("exact", event.exact);
    for (const AttrField& field : attr_fields(file.attr(event.attr))) add_field(line, field);
    line.numbers("ids", event.ids);
  }
  for (const auto& presence : perf_data::features_of(file).present)
    print_out("{}\n", feature_json(perf_data::features_of(file), presence));
}

/// Returns the name of a domain; "" if the recording does not have it.
std::string_view domain_name(const perf_format::Features& features, std::uint32_t cpu,
                             std::uint16_t number) {
  for (const perf_format::CpuDomains& one : features.cpu_domains)
    for (const auto& domain : one.domains)
      if (one.cpu == cpu && domain.number == number) return domain.name;
  return {};
}

void print_scheduler(const perf_format::Features& features,
                     const perf_format::SchedulerStatistics& one, bool json) {
  const std::string_view name = one.domain ? domain_name(features, one.cpu, *one.domain) : "";
  if (json) {
    JsonLine line;
    line.number("scheduler_cpu", one.cpu);
    if (one.domain)
      line.number("domain", *one.domain);
    else
      line.null("domain");
    if (one.domain)
      line.text("domain_name", name);
    else
      line.null("domain_name");
    line.number("version", one.version).number("records", one.records);
    line.number("jiffies", one.to - one.from);
    for (const auto& [key, count] : one.counts) line.number(key, count);
    return;
  }
  const std::string place =
      one.domain ? fmt::format(", domain {}{}{}", *one.domain, name.empty() ? "" : " ", name) : "";
  std::string text;
  for (const auto& [key, count] : one.counts)
    if (count != 0) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, count);
  if (one.counts.empty()) text = fmt::format("nothing that is known of version {}", one.version);
  if (text.empty()) text = "nothing";
  print_out("scheduler : CPU {}{}, {} jiffies: {}\n", one.cpu, place, one.to - one.from, text);
}

void print_survey(const Recording& file, const perf_data::RecordSurvey& survey, bool json) {
  for (const perf_format::BuildId& one : survey.build_ids) {
    const std::string id = hex_text(one.id);
    if (json)
      JsonLine().text("build_id", id).text("file", one.file);
    else
      print_out("build id : {} {}\n", id, one.file);
  }
  for (const perf_format::BpfMetadata& program : survey.bpf_metadata)
    for (const auto& [name, value] : program.values)
      if (json)
        JsonLine().text("bpf_program", program.program).text("name", name).text("value", value);
      else
        print_out("bpf metadata : {}: {} = {}\n", program.program, name, value);
  for (const auto& one : survey.scheduler) print_scheduler(perf_data::features_of(file), one, json);
}

int count_records(const Recording& file, bool json) {
  const perf_data::RecordSurvey survey = perf_data::survey(file);
  const SampleTally& tally = survey.tally;
  if (!json) print_out("\n");
  print_survey(file, survey, json);
  for (const auto& [type, count] : tally.records) {
    const std::string_view name = record_name(type);
    if (json)
      JsonLine().text("record", name).number("type", type).number("count", count);
    else
      print_out("{:>16} records: {:>10}\n", name, count);
  }
  return finish_pass(file, tally);
}

int info(const InfoArguments& options) {
  const auto file = open_perf_file(options.file);
  if (!file) return kUnusable;
  if (options.json)
    print_json(*file, options.records);
  else if (options.verbose)
    print_text(*file, options.records);
  else if (const auto tally = print_summary(*file); !options.records)
    return finish_pass(*file, tally);
  if (options.records) return count_records(*file, options.json);
  return file->warnings().empty() ? kDone : kPartial;
}

}  // namespace

void add_info(Command& command) {
  auto& options = command.runs(info);
  add_recording(command, options.file, "perf.data; - reads standard input");
  command.flag("--records", options.records,
               "Also read the records: build ids of mapped files, metadata of BPF programs,\n"
               "counts of the scheduler, the number of records of each type, what perf refuses");
  command.flag("-v,--verbose", options.verbose,
               "All features in perf's words, and the attr of each event, instead of a summary");
  command.flag("--json", options.json,
               "A line for the file, each event, each feature and each type of record");
}

}  // namespace evname::tools
