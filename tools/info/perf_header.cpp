#include "info/perf_header.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <span>

#include "base/text.hpp"
#include "info/attr_text.hpp"
#include "output/standard.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::tools {
namespace {

using perf_format::Attr;
using perf_format::Feature;
using perf_format::Features;

// Source of the texts: print_* of tools/perf/util/header.c, and its perf_header__fprintf_info.

// PERF_TYPE_*, PERF_COUNT_HW_* and PERF_COUNT_SW_* of include/uapi/linux/perf_event.h.
constexpr std::string_view kTypes[] = {"HARDWARE", "SOFTWARE", "TRACEPOINT",
                                       "HW_CACHE", "RAW",      "BREAKPOINT"};
constexpr std::string_view kHardware[] = {"CPU_CYCLES",
                                          "INSTRUCTIONS",
                                          "CACHE_REFERENCES",
                                          "CACHE_MISSES",
                                          "BRANCH_INSTRUCTIONS",
                                          "BRANCH_MISSES",
                                          "BUS_CYCLES",
                                          "STALLED_CYCLES_FRONTEND",
                                          "STALLED_CYCLES_BACKEND",
                                          "REF_CPU_CYCLES"};
constexpr std::string_view kSoftware[] = {
    "CPU_CLOCK",        "TASK_CLOCK",      "PAGE_FAULTS",     "CONTEXT_SWITCHES",
    "CPU_MIGRATIONS",   "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS",
    "EMULATION_FAULTS", "DUMMY",           "BPF_OUTPUT",      "CGROUP_SWITCHES"};
constexpr std::string_view kCaches[] = {"L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE"};
constexpr std::string_view kCacheOperations[] = {"READ", "WRITE", "PREFETCH"};
constexpr std::string_view kCacheResults[] = {"ACCESS", "MISS"};

/// Returns the name with its prefix; "" if the number has none.
std::string constant_name(std::string_view prefix, std::span<const std::string_view> names,
                          std::uint64_t number) {
  return number < names.size() ? fmt::format("{}{}", prefix, names[number]) : std::string();
}

std::string cache_name(std::uint64_t config) {
  const std::string cache = constant_name("PERF_COUNT_HW_CACHE_", kCaches, config & 0xff);
  const std::string operation =
      constant_name("PERF_COUNT_HW_CACHE_OP_", kCacheOperations, config >> 8 & 0xff);
  const std::string result =
      constant_name("PERF_COUNT_HW_CACHE_RESULT_", kCacheResults, config >> 16 & 0xff);
  if (cache.empty() || operation.empty() || result.empty()) return {};
  return fmt::format("{} | {} | {}", result, operation, cache);
}

std::string tracepoint_name(const Features& features, std::uint64_t id) {
  for (const perf_format::TraceFormat& one : features.tracing.formats)
    if (one.id == id) return one.system + ":" + one.name;
  return {};
}

/// Returns the name of a PMU of the recorded machine; "" if it is unknown.
std::string pmu_name(const Features& features, std::uint64_t type) {
  for (const auto& [number, name] : features.pmu_mappings)
    if (number == type) return name;
  return {};
}

std::string type_text(const Features& features, std::uint32_t type) {
  std::string name = constant_name("PERF_TYPE_", kTypes, type);
  if (type == 4 || name.empty())
    if (std::string pmu = pmu_name(features, type); !pmu.empty()) name = std::move(pmu);
  return name.empty() ? fmt::format("{}", type) : fmt::format("{} ({})", type, name);
}

/// Returns the generic event of a code, with the PMU whose type is in the upper half, if any.
std::string generic_name(const Features& features, std::uint64_t config, std::string name) {
  const std::uint64_t type = config >> 32;
  const std::string pmu = type != 0 ? pmu_name(features, type) : std::string();
  if (pmu.empty()) return name;
  return name.empty() ? fmt::format("{}/config={:#x}/", pmu, config)
                      : fmt::format("{}/{}/", pmu, name);
}

std::string config_name(const Features& features, const Code& code) {
  const std::uint64_t config = code.config[0];
  switch (code.type) {
    case kTypeHardware:
      return generic_name(features, config,
                          constant_name("PERF_COUNT_HW_", kHardware, config & 0xffffffff));
    case kTypeSoftware:
      return constant_name("PERF_COUNT_SW_", kSoftware, config);
    case kTypeTracepoint:
      return tracepoint_name(features, config);
    case kTypeHwCache:
      return generic_name(features, config, cache_name(config));
    default:
      return {};
  }
}

/// Returns ", type = 0 (PERF_TYPE_HARDWARE), size = 136, …".
std::string attr_words(const Features& features, const Attr& attr) {
  std::string line;
  for (const AttrField& field : attr_fields(attr)) {
    if (field.key == "config" || field.label == "config3" || field.label == "config4" ||
        field.label == "flags not known")
      continue;
    const bool is_type = field.label == "type";
    line += fmt::format(", {} = {}", field.label,
                        is_type ? type_text(features, attr.code.type) : field.text);
    if (field.label != "size") continue;
    const std::string name = config_name(features, attr.code);
    line += fmt::format(", config = {}",
                        attr.code.config[0] == 0 ? "0" : fmt::format("{:#x}", attr.code.config[0]));
    if (!name.empty()) line += fmt::format(" ({})", name);
  }
  return line;
}

std::string event_header_line(const Features& features, const perf_format::EventDesc& event) {
  std::string line = fmt::format("event : name = {}, ", event.name);
  if (!event.ids.empty()) line += fmt::format(", id = {{ {} }}", joined(event.ids, ", "));
  return line + attr_words(features, event.attr);
}

void domain_header(const Features& f, Lines& out) {
  out.push_back(fmt::format("schedstat version\t: {}", f.schedstat_version));
  out.push_back(fmt::format("Maximum sched domains\t: {}", f.most_cpu_domains));
  for (const perf_format::CpuDomains& cpu : f.cpu_domains) {
    out.push_back(fmt::format("cpu\t\t: {}", cpu.cpu));
    out.push_back(fmt::format("nr_domains\t: {}", cpu.domains.size()));
    for (const auto& domain : cpu.domains) {
      out.push_back(fmt::format("Domain\t\t: {}", domain.number));
      if (f.schedstat_version >= 17)
        out.push_back(fmt::format("Domain name      : {}", domain.name));
      out.push_back(fmt::format("Domain cpu map   : {}", domain.cpu_mask));
      out.push_back(fmt::format("Domain cpu list  : {}", domain.cpus));
    }
  }
}

void event_header(const Features& f, Lines& out) {
  for (const perf_format::EventDesc& event : f.event_desc)
    out.push_back(event_header_line(f, event));
}

/// A feature that perf's header shows in another way than `info`, or only with -I.
struct HeaderRow {
  Feature feature;
  bool is_long;                                  ///< only with -I
  void (*lines)(const Features& f, Lines& out);  ///< nullptr: as `info` does
};
constexpr HeaderRow kHeaderRows[] = {
    {Feature::tracing_data, false, [](const Features&, Lines&) {}},
    {Feature::build_id, false, [](const Features&, Lines&) {}},
    {Feature::event_desc, false, event_header},
    {Feature::cpu_topology, true, nullptr},
    {Feature::numa_topology, true, nullptr},
    {Feature::auxtrace, false,
     [](const Features&, Lines& out) {
       out.push_back("contains AUX area data (e.g. instruction trace)");
     }},
    {Feature::cache, true, nullptr},
    {Feature::mem_topology, true, nullptr},
    {Feature::hybrid_topology, true, nullptr},
    {Feature::cpu_domain_info, true, domain_header},
};

Lines lines_of(const Recording& file, std::uint64_t number, bool all) {
  const Features& features = perf_data::features_of(file);
  const auto row = std::ranges::find_if(
      kHeaderRows, [&](const HeaderRow& one) { return one.feature == Feature{number}; });
  const bool is_known = row != std::end(kHeaderRows);
  Lines out;
  if (is_known && row->is_long && !all)
    out.push_back(
        fmt::format("{} info available, use -I to display", perf_format::feature_name(number)));
  else if (is_known && row->lines)
    row->lines(features, out);
  else
    add_feature_lines(file, Feature{number}, out);
  return out;
}

/// Returns the time of the file, as ctime() does; of a pipe, its last use.
std::string captured_text(const Recording& file) {
  const std::string path = file.facts().path;
  struct stat found {};
  const std::string data = path + "/data";
  const bool is_known =
      path == "-" ? ::fstat(STDIN_FILENO, &found) == 0 : ::stat(path.c_str(), &found) == 0;
  if (is_known && S_ISDIR(found.st_mode)) ::stat(data.c_str(), &found);
  char text[32] = "";
  if (is_known) ::ctime_r(&found.st_mtime, text);
  return std::string(trim(text));
}

std::string missing_line(const Features& features) {
  std::string text = "# missing features: ";
  constexpr auto kLast = static_cast<std::uint64_t>(Feature::cln_size);
  for (std::uint64_t number = 1; number <= kLast; ++number)
    if (!features.has(Feature{number}))
      text += fmt::format("{} ", perf_format::feature_name(number));
  return text;
}

}  // namespace

Lines feature_header(const Recording& file, bool all) {
  Lines out;
  for (const perf_format::FeaturePresence& one : perf_data::features_of(file).present)
    for (const std::string& line : lines_of(file, one.number, all)) out.push_back("# " + line);
  return out;
}

Lines header_lines(const Recording& file, bool all) {
  const FileFacts facts = file.facts();
  Lines out = {"# ========",
               "# captured on    : " + captured_text(file),
               "# header version : 1",
               fmt::format("# data offset    : {}", facts.data_offset),
               fmt::format("# data size      : {}", facts.data_size),
               fmt::format("# feat offset    : {}", facts.data_offset + facts.data_size)};
  if (facts.form != FileFacts::Form::pipe) {
    for (std::string& line : feature_header(file, all)) out.push_back(std::move(line));
    out.push_back(missing_line(perf_data::features_of(file)));
  }
  out.insert(out.end(), {"# ========", "#"});
  return out;
}

annotation::DumpOptions dump_options(const Recording& file) {
  annotation::DumpOptions options;
  options.attr_text = [file](std::size_t event) {
    return event < file.events().size() ? attr_words(perf_data::features_of(file), file.attr(event))
                                        : std::string();
  };
  options.feature_text = [file](std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(Feature::cln_size)) return std::string();
    const Feature feature{number};
    if (feature == Feature::tracing_data || feature == Feature::build_id)
      return fmt::format(", # {}", perf_format::feature_name(number));
    std::string text = ", ";
    for (const std::string& line : lines_of(file, number, true)) text += "# " + line + '\n';
    return text;
  };
  return options;
}

void print_header(const Lines& lines) {
  for (const std::string& line : lines) print_out("{}\n", line);
}

}  // namespace evname::tools
