#include "info/features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstdlib>
#include <ctime>

#include "base/text.hpp"

namespace evname::tools {
namespace {

bool holds(const perfdata::MemoryNode& node, std::uint64_t block) {
  return block / 64 < node.bitmap.size() && (node.bitmap[block / 64] >> block % 64 & 1) != 0;
}

using perfdata::Features;
using Lines = std::vector<std::string>;

void add(Lines& out, std::string_view key, const std::string& value) {
  if (!value.empty()) out.push_back(fmt::format("{} : {}", key, value));
}

void machine(const Features& f, Lines& out) {
  add(out, "hostname", f.hostname);
  add(out, "os release", f.os_release);
  add(out, "perf version", f.version);
  add(out, "arch", f.arch);
  if (f.has(7)) {
    out.push_back(fmt::format("nrcpus online : {}", f.cpus_online));
    out.push_back(fmt::format("nrcpus avail : {}", f.cpus_available));
  }
  add(out, "cpudesc", f.cpu_desc);
  add(out, "cpuid", f.cpuid);
  if (f.has(10)) out.push_back(fmt::format("total memory : {} kB", f.total_memory));
  if (f.has(11)) out.push_back(fmt::format("cmdline : {} ", fmt::join(f.command_line, " ")));
}

void topology(const Features& f, Lines& out) {
  const perfdata::CpuTopology& cpus = f.topology;
  const bool dies = !cpus.dies.empty();
  for (const std::string& list : cpus.packages)
    out.push_back(fmt::format("sibling {} : {}", "sockets", list));
  for (const std::string& list : cpus.dies)
    out.push_back(fmt::format("sibling dies    : {}", list));
  for (const std::string& list : cpus.threads)
    out.push_back(fmt::format("sibling threads : {}", list));
  for (std::size_t i = 0; i < cpus.cpus.size(); ++i) {
    const auto& cpu = cpus.cpus[i];
    const std::string die = dies ? fmt::format(", Die ID {}", cpu.die) : "";
    out.push_back(fmt::format("CPU {}: Core ID {}{}, Socket ID {}", i, cpu.core, die, cpu.socket));
  }
  for (const perfdata::NumaNode& node : f.numa) {
    out.push_back(fmt::format("node{} meminfo  : total = {} kB, free = {} kB", node.node,
                              node.total, node.free));
    out.push_back(fmt::format("node{} cpu list : {}", node.node, node.cpus));
  }
  if (f.has(20)) out.push_back("CPU cache info:");
  for (const perfdata::CacheLevel& cache : f.caches)
    out.push_back(
        fmt::format("L{} {:<15} {:<8} [{}]", cache.level, cache.type, cache.size, cache.cpus));
}

void pmus(const Features& f, Lines& out) {
  if (!f.pmu_mappings.empty()) {
    Lines rows;
    for (const auto& [type, name] : f.pmu_mappings)
      rows.push_back(fmt::format("{} = {}", name, type));
    out.push_back(fmt::format("pmu mappings: {}", fmt::join(rows, ", ")));
  }
  for (const auto& [pmu, cpus] : f.hybrid)
    out.push_back(fmt::format("{} cpu list : {}", pmu, cpus));
  for (const perfdata::PmuCaps& caps : f.caps) {
    Lines rows;
    for (const auto& [name, value] : caps.values) rows.push_back(name + "=" + value);
    out.push_back(
        fmt::format("{} pmu capabilities: {}", caps.pmu,
                    rows.empty() ? "not available" : fmt::format("{}", fmt::join(rows, ", "))));
  }
}

// As perf script --header has them, but a line for each domain.
void scheduling(const Features& f, Lines& out) {
  if (!f.has(32)) return;
  out.push_back(fmt::format("schedstat version : {}", f.schedstat_version));
  out.push_back(fmt::format("maximum sched domains : {}", f.most_cpu_domains));
  for (const perfdata::CpuDomains& cpu : f.cpu_domains)
    for (const perfdata::CpuDomains::Domain& domain : cpu.domains)
      out.push_back(fmt::format("CPU {}: domain {}{}, cpu map {}, cpu list {}", cpu.cpu,
                                domain.number, domain.name.empty() ? "" : " " + domain.name,
                                domain.cpu_mask, domain.cpus));
}

constexpr long long kSecond = 1'000'000'000;

// clockid_t of Linux, as perf record -k spells them.
std::string_view clock_name(std::uint32_t clockid) {
  constexpr std::string_view kNames[] = {"realtime",          "monotonic",     "process_cputime_id",
                                         "thread_cputime_id", "monotonic_raw", "realtime_coarse",
                                         "monotonic_coarse",  "boottime"};
  if (clockid == 11) return "tai";
  return clockid < std::size(kNames) ? kNames[clockid] : "unknown";
}

double seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

void times(const Features& f, Lines& out) {
  if (f.sample_time) {
    const auto [first, last] = *f.sample_time;
    out.push_back(fmt::format("time of first sample : {}", microseconds_text(first)));
    out.push_back(fmt::format("time of last sample : {}", microseconds_text(last)));
    out.push_back(fmt::format("sample duration : {:10.3f} ms", seconds(last - first) * 1000));
  }
  if (f.has(23))
    out.push_back(fmt::format("clockid frequency: {} MHz",
                              f.clockid_resolution ? 1000 / f.clockid_resolution : 0));
  if (!f.clock) return;
  const auto zone_name = clock_name(f.clock->clockid);
  out.push_back(fmt::format("clockid: {} ({})", zone_name, f.clock->clockid));
  const auto [wall, ns] = std::div(static_cast<long long>(f.clock->wall_clock), kSecond);
  const std::time_t moment = static_cast<std::time_t>(wall);
  std::tm local{};
  ::localtime_r(&moment, &local);
  char text[64] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  out.push_back(fmt::format("reference time: {}.{:06} = {}.{:06} (TOD) = {}.{:09} ({})", text,
                            ns / 1000, wall, ns / 1000, f.clock->clock / kSecond,
                            f.clock->clock % kSecond, zone_name));
}

void memory(const Features& f, Lines& out) {
  if (f.memory.empty()) return;
  out.push_back(
      fmt::format("memory nodes (nr {}, block size {:#x}):", f.memory.size(), f.memory_block_size));
  for (const perfdata::MemoryNode& node : f.memory)
    out.push_back(fmt::format("   {} [{}]: {}", node.node, memory_size(node, f.memory_block_size),
                              block_ranges(node)));
}

void others(const Features& f, Lines& out) {
  for (const perfdata::BpfProgram& program : f.bpf_programs)
    out.push_back(fmt::format("bpf_prog_info of id {}: {}, tag {:016x}", program.id, program.name,
                              program.tag));
  for (const perfdata::BpfBtf& btf : f.bpf_btf)
    out.push_back(fmt::format("btf info of id {}", btf.id));
  if (f.compression)
    out.push_back(fmt::format("compressed : {}, level = {}, ratio = {}",
                              f.compression->type == 1 ? "Zstd" : "Unknown", f.compression->level,
                              f.compression->ratio));
  if (f.has(15)) out.push_back("contains samples with branch stack");
  if (f.has(18)) out.push_back(fmt::format("contains AUX area data: {} pieces", f.auxtrace.size()));
  if (f.has(19)) out.push_back("contains stat data");
  if (f.dir_format > 0) out.push_back(fmt::format("directory data version : {}", f.dir_format));
  if (f.has(1))
    out.push_back(fmt::format("tracing data : version {}, {} formats", f.tracing.version,
                              f.tracing.formats.size()));
  if (f.has(2)) out.push_back(fmt::format("build ids : {}", f.build_ids.size()));
  if (f.e_machine) {
    out.push_back(fmt::format("e_machine : {}", (*f.e_machine)[0]));
    out.push_back(fmt::format("  e_flags : {}", (*f.e_machine)[1]));
  }
  if (f.cacheline_size > 0) out.push_back(fmt::format("cacheline size: {}", f.cacheline_size));
}

void groups(const PerfData& file, Lines& out) {
  const Features& f = file.features();
  for (const perfdata::GroupDesc& group : f.groups) {
    Lines names;
    for (std::size_t i = group.leader; i < file.events().size() && names.size() < group.members;
         ++i)
      names.push_back(file.events()[i].recorded_name);
    const bool named = group.name != "{anon_group}";
    out.push_back(fmt::format("group: {}{{{}}}", named ? group.name : "", fmt::join(names, ",")));
  }
}

// What can't be shown otherwise.
void rest(const Features& f, Lines& out) {
  for (const perfdata::FeaturePresence& one : f.present) {
    const std::string_view name = perfdata::feature_name(one.number);
    const bool opaque = name.empty() || one.number >= 128;
    if (one.broken || opaque)
      out.push_back(fmt::format("feature {} ({}) : {} bytes at {:#x}{}", one.number,
                                name.empty() ? "unknown" : name, one.size, one.offset,
                                one.broken ? ", broken" : ""));
  }
  Lines missing;
  for (std::uint64_t number = 1; number < 32; ++number)
    if (!f.has(number)) missing.emplace_back(perfdata::feature_name(number));
  if (!missing.empty())
    out.push_back(fmt::format("missing features: {} ", fmt::join(missing, " ")));
}

}  // namespace

std::vector<std::string> feature_lines(const PerfData& file) {
  const Features& features = file.features();
  Lines out;
  for (auto* part : {machine, topology, scheduling, pmus, times, memory, others})
    part(features, out);
  groups(file, out);
  rest(features, out);
  return out;
}

std::string memory_size(const perfdata::MemoryNode& node, std::uint64_t block_size) {
  std::uint64_t blocks = 0;
  for (const std::uint64_t word : node.bitmap)
    blocks += static_cast<std::uint64_t>(std::popcount(word));
  constexpr char kUnits[] = {'B', 'K', 'M', 'G', 'T'};
  std::uint64_t size = blocks * block_size;
  std::size_t unit = 0;
  for (; size / 1024 > 1 && unit < 4; size /= 1024) ++unit;
  return fmt::format("{}{}", size, kUnits[unit]);
}

std::string block_ranges(const perfdata::MemoryNode& node) {
  std::string text;
  const std::uint64_t end = node.bitmap.size() * 64;
  for (std::uint64_t from = 0; from < end; ++from) {
    if (!holds(node, from)) continue;
    std::uint64_t to = from;
    while (holds(node, to + 1)) ++to;
    text += text.empty() ? "" : ",";
    text += from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
    from = to;
  }
  return text;
}

}  // namespace evname::tools
