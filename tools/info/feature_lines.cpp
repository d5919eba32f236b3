#include "info/feature_lines.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <ctime>

#include "base/text.hpp"

namespace evname::tools {
namespace {

using perf_format::Features;

bool holds(const perf_format::MemoryNode& node, std::uint64_t block) {
  return block / 64 < node.bitmap.size() && (node.bitmap[block / 64] >> block % 64 & 1) != 0;
}

/// Returns the memory of the node's blocks: "2G".
std::string memory_size(const perf_format::MemoryNode& node, std::uint64_t block_size) {
  std::uint64_t blocks = 0;
  for (const std::uint64_t word : node.bitmap)
    blocks += static_cast<std::uint64_t>(std::popcount(word));
  constexpr char kUnits[] = {'B', 'K', 'M', 'G', 'T'};
  std::uint64_t size = blocks * block_size;
  std::size_t unit = 0;
  for (; size / 1024 > 1 && unit < 4; size /= 1024) ++unit;
  return fmt::format("{}{}", size, kUnits[unit]);
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

}  // namespace

/// Returns the existing blocks: "8-23,40".
std::string block_ranges(const perf_format::MemoryNode& node) {
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

void topology_lines(const Features& f, Lines& out) {
  const perf_format::CpuTopology& cpus = f.topology;
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
  if (cpus.cpus.empty())
    out.push_back(fmt::format("Core ID{} and Socket ID information is not available",
                              dies ? ", Die ID" : ""));
}

void numa_lines(const Features& f, Lines& out) {
  for (const perf_format::NumaNode& node : f.numa) {
    out.push_back(fmt::format("node{} meminfo  : total = {} kB, free = {} kB", node.node,
                              node.total, node.free));
    out.push_back(fmt::format("node{} cpu list : {}", node.node, node.cpus));
  }
}

void cache_lines(const Features& f, Lines& out) {
  out.push_back("CPU cache info:");
  for (const perf_format::CacheLevel& cache : f.caches)
    out.push_back(
        fmt::format(" L{} {:<15} {:>8} [{}]", cache.level, cache.type, cache.size, cache.cpus));
}

// perf script --header prints these, too; here each domain has a line.
void domain_lines(const Features& f, Lines& out) {
  out.push_back(fmt::format("schedstat version : {}", f.schedstat_version));
  out.push_back(fmt::format("maximum sched domains : {}", f.most_cpu_domains));
  for (const perf_format::CpuDomains& cpu : f.cpu_domains)
    for (const perf_format::CpuDomains::Domain& domain : cpu.domains)
      out.push_back(fmt::format("CPU {}: domain {}{}, cpu map {}, cpu list {}", cpu.cpu,
                                domain.number, domain.name.empty() ? "" : " " + domain.name,
                                domain.cpu_mask, domain.cpus));
}

void mapping_lines(const Features& f, Lines& out) {
  Lines rows;
  for (const auto& [type, name] : f.pmu_mappings)
    rows.push_back(fmt::format("{} = {}", name, type));
  out.push_back(
      fmt::format("pmu mappings: {}", rows.empty() ? "not available" : joined(rows, ", ")));
}

void caps_lines(const Features& f, Lines& out) {
  for (const perf_format::PmuCaps& caps : f.caps) {
    Lines rows;
    for (const auto& [name, value] : caps.values) rows.push_back(name + "=" + value);
    out.push_back(fmt::format("{} pmu capabilities: {}", caps.pmu,
                              rows.empty() ? "not available" : joined(rows, ", ")));
  }
}

void sample_time_lines(const Features& f, Lines& out) {
  if (f.sample_time) {
    const auto [first, last] = *f.sample_time;
    out.push_back(fmt::format("time of first sample : {}", microseconds_text(first)));
    out.push_back(fmt::format("time of last sample : {}", microseconds_text(last)));
    out.push_back(fmt::format("sample duration : {:10.3f} ms", seconds(last - first) * 1000));
  }
}

void clock_lines(const Features& f, Lines& out) {
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

void memory_lines(const Features& f, Lines& out) {
  if (f.memory.empty()) return;
  out.push_back(
      fmt::format("memory nodes (nr {}, block size {:#x}):", f.memory.size(), f.memory_block_size));
  for (const perf_format::MemoryNode& node : f.memory)
    out.push_back(fmt::format(" {:3} [{}]: {}", node.node, memory_size(node, f.memory_block_size),
                              block_ranges(node)));
}

void program_lines(const Features& f, Lines& out) {
  if (f.bpf_programs.empty()) out.push_back("bpf_prog_info empty");
  for (const perf_format::BpfProgram& program : f.bpf_programs) {
    const bool is_one = program.functions.size() == 1;
    if (!is_one) out.push_back(fmt::format("bpf_prog_info {}:", program.id));
    const std::string name = program.name.empty() ? "" : "_" + program.name;
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      const perf_format::BpfFunction& one = program.functions[i];
      out.push_back(fmt::format("{} {}: bpf_prog_{:016x}{} addr {:#x} size {}",
                                is_one ? "bpf_prog_info" : "\tsub_prog", is_one ? program.id : i,
                                one.tag, is_one ? name : "_F", one.start, one.size));
    }
  }
}

void compression_lines(const Features& f, Lines& out) {
  if (f.compression)
    out.push_back(fmt::format("compressed : {}, level = {}, ratio = {}",
                              f.compression->type == 1 ? "Zstd" : "Unknown", f.compression->level,
                              f.compression->ratio));
}

}  // namespace evname::tools
