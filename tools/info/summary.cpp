#include "info/summary.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "evname/attr.hpp"
#include "evname/report.hpp"
#include "output/standard.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kEvents = 15;    ///< lines of events
constexpr std::size_t kLongest = 300;  ///< bytes of a text
constexpr std::size_t kNamed = 5;      ///< names in a line

/// Prints a line with its label, "" for a line that goes on; none for an empty text.
void print_fact(std::string_view label, std::string_view text) {
  if (!text.empty())
    print_out("{:<9}{} {}\n", label, label.empty() ? " " : ":", shortened(text, kLongest));
}

/// Joins the texts that are not empty.
std::string listed(std::initializer_list<std::string> texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts)
    if (!text.empty()) out.push_back(text);
  return joined(out, ", ");
}

/// "busybox, libc.so.6, …"
std::string first_of(std::vector<std::string> names) {
  const bool has_more = names.size() > kNamed;
  names.resize(std::min(names.size(), kNamed));
  return joined(names, ", ") + (has_more ? ", …" : "");
}

bool has_attr(const Recording& file, bool (*fits)(const perf_format::Attr& attr)) {
  return std::ranges::any_of(
      file.events(), [&](const RecordedEvent& event) { return fits(file.attr(event.attr)); });
}

/// Returns the duration with its bounds. The recorded ones count before the samples' own.
std::string duration_text(const perf_format::Features& features, const SampleSums& all) {
  auto [first, last] = features.sample_time.value_or(std::array{all.first, all.last});
  if (first > last || !all.is_timed()) return {};
  return fmt::format("{} s ({} to {})", microseconds_text(last - first), microseconds_text(first),
                     microseconds_text(last));
}

void print_events(const std::vector<Report::Row>& rows, const std::vector<Report::Event>& events) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 == kEvents && rows.size() > kEvents) {
      print_out("{:>10}  (more events: {})\n", "", rows.size() - i);
      return;
    }
    const RecordedEvent& event = events[rows[i].event].event;
    const bool is_renamed = !event.recorded_name.empty() && event.recorded_name != rows[i].keys[0];
    print_out("{:>10}  {}{}\n", rows[i].samples, shortened(rows[i].keys[0], kLongest),
              is_renamed
                  ? shortened(fmt::format(" (recorded as {})", event.recorded_name), kLongest)
                  : "");
  }
}

/// Returns the recorded files with build ids that are not at their paths here.
std::vector<std::string> files_not_here(const perf_format::Features& features) {
  std::vector<std::string> names;
  struct stat found;
  for (const perf_format::BuildId& one : features.build_ids)
    if (one.file.starts_with('/') && ::stat(one.file.c_str(), &found) != 0)
      names.emplace_back(last_part(one.file));
  return names;
}

/// Returns a sentence for each gap of the recording.
std::vector<std::string> gaps_of(const Recording& file, const SampleSums& all) {
  const perf_format::Features& features = perf_data::features_of(file);
  std::vector<std::string> out;
  const auto add = [&](bool is_missing, std::string text) {
    if (is_missing) out.push_back(std::move(text));
  };
  add(all.samples == 0, "samples");
  add(all.lost > 0, counted(all.lost, "sample that was lost", "samples that were lost"));
  add(all.throttled > 0,
      "samples while the kernel throttled events: " + counted(all.throttled, "time", "times"));
  add(all.samples > 0 && !all.is_timed(), "times of samples");
  const auto has_stacks = [](const perf_format::Attr& attr) {
    return attr.samples(perf_format::kSampleCallchain) ||
           attr.samples(perf_format::kSampleStackUser);
  };
  add(all.samples > 0 && !has_attr(file, has_stacks), "callchains (record -g)");
  const auto has_ids = [](const perf_format::Attr& attr) {
    return attr.has(perf_format::kBuildIds);
  };
  add(all.samples > 0 && features.build_ids.empty() && !has_attr(file, has_ids),
      "build ids: files are found by their paths alone");
  std::vector<std::string> raw;
  for (const RecordedEvent& event : file.events())
    if (event.named_by == NamedBy::code) raw.push_back(event.recorded_name);
  add(!raw.empty(), "names of events: " + first_of(raw));
  const auto away = files_not_here(features);
  add(!away.empty(), fmt::format("{} with build ids, here: {} (--symfs, --debuginfod)",
                                 counted(away.size(), "file", "files"), first_of(away)));
  for (const std::string& why : file.refused_by_perf(false))
    out.push_back("what perf 7.3 needs to read it: " + why);
  return out;
}

void print_machine(const Recording& file) {
  const perf_format::Features& features = perf_data::features_of(file);
  const CpuInfo& cpu = file.machine().cpu();
  print_fact("CPU", listed({features.cpu_desc,
                            features.cpus_online > 0
                                ? counted(features.cpus_online, "CPU is online", "CPUs are online")
                                : "",
                            cpu.cpuid}));
  print_fact("model", cpu.model.empty() ? "unknown" : cpu.model);
  print_fact("kernel", listed({features.os_release, features.arch}));
  print_fact("host", features.hostname);
  print_fact("perf", features.version);
}

}  // namespace

SampleTally print_summary(const Recording& file) {
  Report report({.keys = {SortKey::event}});
  SampleTally tally = report.add(file).value_or(SampleTally());  // it has no filter that fails
  SampleSums all;
  for (const Report::Event& event : report.events()) all += event;
  print_fact("command", trim(joined(file.facts().command_line, " ")));
  print_fact("duration", duration_text(perf_data::features_of(file), all));
  print_fact("samples", fmt::format("{} of {}", all.samples,
                                    counted(report.events().size(), "event", "events")));
  print_events(report.rows(), report.events());
  print_machine(file);
  const auto gaps = gaps_of(file, all);
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(gaps.size(), kMost); ++i)
    print_fact(i == 0 ? "missing" : "", gaps[i]);
  print_out("evname info -v {} prints all that the recording says\n", as_typed(file.facts().path));
  return tally;
}

}  // namespace evname::tools
