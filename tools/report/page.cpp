#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "evname/json.hpp"
#include "report/page.hpp"

namespace evname::tools {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::string_view kNamedBy[] = {"recording", "kernel", "tables", "code"};

void text(Writer& json, std::string_view value) {
  std::string quoted;
  append_json_string(quoted, value);
  json.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
}
void member(Writer& json, const char* key, std::string_view value) {
  json.Key(key);
  text(json, value);
}
void member(Writer& json, const char* key, std::uint64_t value) {
  json.Key(key);
  json.Uint64(value);
}

void write_file(Writer& json, const PerfData& file) {
  const perfdata::Features& features = file.features();
  const CpuInfo& cpu = file.machine().cpu();
  json.StartObject();
  member(json, "file", file.facts().path);
  member(json, "host", features.hostname);
  member(json, "command", fmt::format("{}", fmt::join(features.command_line, " ")));
  member(json, "CPU", features.cpu_desc.empty() ? cpu.cpuid : features.cpu_desc);
  member(json, "model", cpu.model.empty() ? "unknown" : cpu.model);
  member(json, "model note", cpu.note);
  member(json, "kernel", features.os_release);
  member(json, "perf", features.version);
  json.EndObject();
}

void write_event(Writer& json, const ReportEvent& event, const ReportRow* row) {
  json.StartObject();
  member(json, "name", event.event.full_name());
  member(json, "recorded", event.event.recorded_name);
  member(json, "pmu", event.event.pmu);
  member(json, "code", fmt::format("{:#x}", event.event.code.config[0]));
  member(json, "named_by", kNamedBy[static_cast<std::size_t>(event.event.named_by)]);
  member(json, "samples", event.samples);
  member(json, "period", event.period);
  for (const char* key : {"first", "last"}) {
    json.Key(key);
    if (row && row->first <= row->last)
      json.Uint64(key[0] == 'f' ? row->first : row->last);
    else
      json.Null();
  }
  member(json, "lost", row ? row->lost : 0);
  member(json, "throttled", row ? row->throttled : 0);
  json.EndObject();
}

void write_bins(Writer& json, const char* key, const Histogram& histogram, std::size_t used,
                std::vector<std::uint64_t> Histogram::Series::*bins) {
  json.Key(key);
  json.StartArray();
  for (const Histogram::Series& series : histogram.events) {
    json.StartArray();
    for (std::size_t i = 0; i < used; ++i) json.Uint64((series.*bins)[i]);
    json.EndArray();
  }
  json.EndArray();
}

std::size_t used_bins(const Histogram& histogram) {
  std::size_t used = 1;
  for (const Histogram::Series& series : histogram.events)
    for (std::size_t i = used; i < series.samples.size(); ++i)
      if (series.samples[i] > 0) used = i + 1;
  return used;
}

std::string data_of(const Report& report, const std::vector<PerfData>& files,
                    const std::vector<std::string>& warnings) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  const Histogram& histogram = report.histogram();
  const std::size_t used = used_bins(histogram);
  const std::vector<ReportRow> rows = report.rows();
  json.StartObject();
  json.Key("files");
  json.StartArray();
  for (const PerfData& file : files) write_file(json, file);
  json.EndArray();
  member(json, "first", histogram.first);
  member(json, "width", histogram.width);
  member(json, "bins", Histogram::kBins);
  member(json, "used", used);
  json.Key("events");
  json.StartArray();
  for (const ReportEvent& event : report.events()) {
    const ReportRow* of_event = nullptr;
    for (const ReportRow& row : rows)
      if (row.keys[0] == event.event.full_name()) of_event = &row;
    write_event(json, event, of_event);
  }
  json.EndArray();
  write_bins(json, "samples", histogram, used, &Histogram::Series::samples);
  write_bins(json, "periods", histogram, used, &Histogram::Series::periods);
  json.Key("warnings");
  json.StartArray();
  for (const std::string& warning : warnings) text(json, warning);
  json.EndArray();
  json.EndObject();
  return buffer.GetString();
}

}  // namespace

// "<" stands in strings only, where the escape means the same; so no name ends the script.
std::string report_page(const Report& report, const std::vector<PerfData>& files,
                        const std::vector<std::string>& warnings) {
  constexpr std::string_view kPlace = "__EVNAME_DATA__";
  const auto place = kReportPage.find(kPlace);
  std::string page(kReportPage.substr(0, place));
  for (const char letter : data_of(report, files, warnings))
    letter == '<' ? page += "\\u003c" : page += letter;
  return page += kReportPage.substr(place + kPlace.size());
}

}  // namespace evname::tools
