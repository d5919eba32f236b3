#include "sampling/machine_features.hpp"

#include <elf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/clock_ns.hpp"
#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/cpu/live_cpu.hpp"
#include "evname/attr.hpp"
#include "evname/version.h"
#include "sampling/recording_writer.hpp"
#include "sampling/ring.hpp"
#include "sampling/traces.hpp"

namespace evname::sampling {
namespace {

using perf_format::Feature;

constexpr std::size_t kTextUnit = 64;  // perf pads strings to it

void put_text(ByteWriter& out, std::string_view text) {
  out.u32(static_cast<std::uint32_t>((text.size() / kTextUnit + 1) * kTextUnit));
  out.text(text, kTextUnit);
}

ByteWriter section() { return ByteWriter(std::endian::native); }

std::string text_section(std::string_view text) {
  ByteWriter out = section();
  put_text(out, text);
  return out.bytes();
}

template <class Number>
std::string section_of(std::initializer_list<Number> numbers) {
  ByteWriter out = section();
  for (const Number number : numbers) sizeof number == 8 ? out.u64(number) : out.u32(number);
  return out.bytes();
}

/// Writes a list: its length, then each element by `put`.
template <class List, class Put>
void put_list(ByteWriter& out, const List& list, Put put) {
  out.u32(static_cast<std::uint32_t>(list.size()));
  for (const auto& item : list) put(item);
}

std::uint32_t number_in(const std::string& path) {
  return static_cast<std::uint32_t>(number_of_file(path).value_or(0));
}

/// Returns the value of the first line "KEY : value" of the first of the keys that there is.
std::string value_of(const std::string& path, std::span<const std::string_view> keys) {
  std::vector<std::string> found(keys.size());
  (void)read_lines(path, 1 << 24, [&](std::string_view line) {
    const auto colon = line.find(':');
    if (colon == line.npos) return;
    const auto key = std::ranges::find(keys, trim(line.substr(0, colon)));
    if (key == keys.end()) return;
    std::string& value = found[static_cast<std::size_t>(key - keys.begin())];
    if (value.empty()) value = trim(line.substr(colon + 1));
  });
  const auto first = std::ranges::find_if(found, [](const auto& text) { return !text.empty(); });
  return first == found.end() ? std::string() : *first;
}

std::uint64_t memory_of(const std::string& path, std::string_view key) {
  std::uint64_t out = 0;
  (void)read_lines(path, 1 << 20, [&](std::string_view line) {
    const auto at = line.find(key);
    if (at == line.npos) return;
    const std::string_view rest = trim(line.substr(at + key.size()));
    out = parse_decimal(rest.substr(0, rest.find(' '))).value_or(0);
  });
  return out;
}

/// Returns the spelling of a CPUID in recordings: numbers in decimal on x86 and powerpc.
std::string header_cpuid(const cpu::Identity& cpu) {
  if (cpu.arch == "powerpc") {
    const std::uint64_t version = parse_number(cpu.cpuid).value_or(0);
    return fmt::format("{},{}", version >> 16, version & 0xffff);
  }
  if (cpu.arch != "x86") return cpu.cpuid;
  const auto parts = split(cpu.cpuid, '-');  // "GenuineIntel-6-55-4"
  if (parts.size() < 4) return cpu.cpuid;
  return fmt::format("{},{},{},{}", parts[0], parts[1], parse_hex(parts[2]).value_or(0),
                     parse_hex(parts[3]).value_or(0));
}

constexpr std::size_t kMostFormatText = 16 << 20;

/// The content of a file with its size before it, as u64 or u32.
template <class Size>
void put_file(ByteWriter& out, const std::string& path) {
  const auto text = read_head(path, kMostFormatText);
  const std::string content = text ? *text : std::string();
  sizeof(Size) == 8 ? out.u64(content.size()) : out.u32(static_cast<std::uint32_t>(content.size()));
  out.raw(content);
}

/// The names of events by their systems.
using Systems = std::map<std::string, std::set<std::string>>;

Systems systems_of(std::span<const Encoding> events) {
  Systems out;
  for (const Encoding& event : events) {
    const auto colon = event.name.find(':');
    if (event.code.type != kTypeTracepoint || event.code.has_type == 0 || colon == event.name.npos)
      continue;
    out[std::string(event.name.substr(0, colon))].emplace(event.name.substr(colon + 1));
  }
  return out;
}

void put_system(ByteWriter& out, const std::string& directory,
                const std::set<std::string>& events) {
  out.u32(static_cast<std::uint32_t>(events.size()));
  for (const std::string& event : events)
    put_file<std::uint64_t>(out, directory + "/" + event + "/format");
}

/// Returns the feature TRACING_DATA for the tracepoints among the events, for readers on other
/// machines; "" if there are none. Source of the layout: util/trace-event-info.c of perf, version
/// 0.6.
std::string tracing_data_of(std::span<const Encoding> events, const Roots& roots) {
  Systems systems = systems_of(events);
  if (systems.empty()) return {};
  std::string root = roots.sysfs + "/kernel/tracing";
  if (!is_directory(root + "/events")) root = roots.sysfs + "/kernel/debug/tracing";
  ByteWriter out(std::endian::native);
  const auto put_line = [&](std::string_view text) {
    out.raw(text);
    out.zeros(1);
  };
  out.raw("\x17\x08\x44tracing");
  put_line("0.6");
  const char order[] = {std::endian::native == std::endian::big, sizeof(long)};
  out.raw(std::string_view(order, sizeof order));
  out.u32(static_cast<std::uint32_t>(memory_page()));
  put_line("header_page");
  put_file<std::uint64_t>(out, root + "/events/header_page");
  put_line("header_event");
  put_file<std::uint64_t>(out, root + "/events/header_event");
  put_system(out, root + "/events/ftrace", systems["ftrace"]);
  systems.erase("ftrace");
  out.u32(static_cast<std::uint32_t>(systems.size()));
  for (const auto& [system, names] : systems) {
    put_line(system);
    put_system(out, root + "/events/" + system, names);
  }
  out.u32(0);  // the kernel's symbols, which no reader uses
  put_file<std::uint32_t>(out, root + "/printk_formats");
  put_file<std::uint64_t>(out, root + "/saved_cmdlines");
  return out.bytes();
}

/// Collects the sections. Leaves out facts that the machine does not show.
class FeatureWriter {
 public:
  FeatureWriter(const Machine& machine, const RecordOptions& options, const RecordedFacts& facts)
      : machine_(machine), options_(options), facts_(facts), sysfs_(options.setup.roots.sysfs) {}

  FeatureSections collect();

 private:
  std::string cpu_file(unsigned cpu, std::string_view name) const {
    return fmt::format("{}/devices/system/cpu/cpu{}/{}", sysfs_, cpu, name);
  }
  void add_system();
  void add_cpu_names();
  void add_topology();
  void add_nodes();
  void add_memory_blocks();
  void add_machine();
  void add_caches();
  void add_events();
  void add_pmus();
  void add_caps();
  void add_times();

  const Machine& machine_;
  const RecordOptions& options_;
  const RecordedFacts& facts_;
  std::string sysfs_;
  FeatureSections out_;
};

void FeatureWriter::add_system() {
  utsname system{};
  uname(&system);
  out_[Feature::hostname] = text_section(system.nodename);
  out_[Feature::osrelease] = text_section(system.release);
  out_[Feature::arch] = text_section(system.machine);
  out_[Feature::version] = text_section(fmt::format("evname {}", EVNAME_VERSION));
  out_[Feature::total_mem] =
      section_of({memory_of(options_.setup.roots.procfs + "/meminfo", "MemTotal:")});
  ByteWriter words = section();
  put_list(words, options_.command_line, [&](const std::string& word) { put_text(words, word); });
  out_[Feature::cmdline] = words.bytes();
}

void FeatureWriter::add_cpu_names() {
  constexpr std::string_view kKeys[] = {"model name", "Processor", "cpu", "vendor_id", "uarch"};
  const std::string name = value_of(options_.setup.roots.procfs + "/cpuinfo", kKeys);
  if (!name.empty()) out_[Feature::cpudesc] = text_section(name);
  if (const auto cpu = cpu::live_identity(options_.setup.roots); cpu && !cpu->cpuid.empty())
    out_[Feature::cpuid] = text_section(header_cpuid(*cpu));
}

/// Texts of a file of each CPU, each once.
std::vector<std::string> distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts)
    if (!text.empty() && std::ranges::count(out, text) == 0) out.push_back(text);
  return out;
}

void FeatureWriter::add_topology() {
  const auto available = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_CONF));
  out_[Feature::nrcpus] =
      section_of({available, static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN))});
  const auto lists = [&](std::string_view name, std::string_view older) {
    std::vector<std::string> texts;
    for (unsigned cpu = 0; cpu < available; ++cpu) {
      std::string text = text_of_file(cpu_file(cpu, name));
      texts.push_back(text.empty() ? text_of_file(cpu_file(cpu, older)) : text);
    }
    return distinct(texts);
  };
  ByteWriter out = section();
  const auto put = [&](const std::string& text) { put_text(out, text); };
  const auto packages = lists("topology/package_cpus_list", "topology/core_siblings_list");
  if (packages.empty()) return;
  put_list(out, packages, put);
  put_list(out, lists("topology/core_cpus_list", "topology/thread_siblings_list"), put);
  for (unsigned cpu = 0; cpu < available; ++cpu) {
    out.u32(number_in(cpu_file(cpu, "topology/core_id")));
    out.u32(number_in(cpu_file(cpu, "topology/physical_package_id")));
  }
  const auto dies = lists("topology/die_cpus_list", "");
  if (!dies.empty()) {
    put_list(out, dies, put);
    for (unsigned cpu = 0; cpu < available; ++cpu)
      out.u32(number_in(cpu_file(cpu, "topology/die_id")));
  }
  out_[Feature::cpu_topology] = out.bytes();
}

/// Returns the numbers below `most` of the names "WORD7" in a directory, sorted.
std::vector<std::uint64_t> numbers_of(const std::string& directory, std::string_view word,
                                      std::size_t most = 1 << 16) {
  std::vector<std::uint64_t> out;
  for (const std::string& name : list_directory(directory, most))
    if (name.starts_with(word))
      if (const auto number = parse_decimal(std::string_view(name).substr(word.size()));
          number && *number < most)
        out.push_back(*number);
  sort_stably(out);
  return out;
}

void FeatureWriter::add_nodes() {
  const std::string directory = sysfs_ + "/devices/system/node";
  const std::vector<std::uint64_t> nodes = numbers_of(directory, "node");
  if (nodes.empty()) return;
  ByteWriter out = section();
  put_list(out, nodes, [&](std::uint64_t node) {
    const std::string at = fmt::format("{}/node{}/", directory, node);
    out.u32(static_cast<std::uint32_t>(node));
    out.u64(memory_of(at + "meminfo", "MemTotal:"));
    out.u64(memory_of(at + "meminfo", "MemFree:"));
    put_text(out, text_of_file(at + "cpulist"));
  });
  out_[Feature::numa_topology] = out.bytes();
}

/// Which blocks of physical memory each node has, as bits.
void FeatureWriter::add_memory_blocks() {
  constexpr std::uint64_t kLayout = 1, kMostBlocks = 1 << 24;
  const auto block = parse_hex(text_of_file(sysfs_ + "/devices/system/memory/block_size_bytes"));
  if (!block || *block == 0) return;
  const std::string directory = sysfs_ + "/devices/system/node";
  const std::vector<std::uint64_t> nodes = numbers_of(directory, "node");
  if (nodes.empty()) return;
  ByteWriter out = section();
  for (const std::uint64_t word : {kLayout, *block, std::uint64_t{nodes.size()}}) out.u64(word);
  for (const std::uint64_t node : nodes) {
    const auto blocks =
        numbers_of(fmt::format("{}/node{}", directory, node), "memory", kMostBlocks);
    const std::uint64_t size = blocks.empty() ? 0 : blocks.back() + 1;
    std::vector<std::uint64_t> bits((size + 63) / 64);
    for (const std::uint64_t index : blocks) bits[index / 64] |= std::uint64_t{1} << index % 64;
    out.u64(node);
    out.u64(size);
    out.u64(size);
    for (const std::uint64_t word : bits) out.u64(word);
  }
  out_[Feature::mem_topology] = out.bytes();
}

/// The kind of machine, as in the header of evname's own program.
void FeatureWriter::add_machine() {
  const auto head = read_head(options_.setup.roots.procfs + "/self/exe", sizeof(Elf64_Ehdr));
  Elf64_Ehdr program{};
  if (!head || head->size() < sizeof program) return;
  std::memcpy(&program, head->data(), sizeof program);
  if (std::memcmp(program.e_ident, ELFMAG, SELFMAG) != 0 || program.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  out_[Feature::e_machine] = section_of<std::uint32_t>({program.e_machine, program.e_flags});
}

void FeatureWriter::add_caches() {
  constexpr std::uint32_t kLayout = 1;
  using Cache = std::tuple<std::uint32_t, std::string, std::string, std::string>;
  const auto available = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF));
  std::set<Cache> seen;
  std::vector<std::pair<Cache, std::string>> list;
  for (unsigned cpu = 0; cpu < available; ++cpu)
    for (const std::string& index : list_directory(cpu_file(cpu, "cache"))) {
      if (!index.starts_with("index")) continue;
      const std::string at = cpu_file(cpu, "cache/") + index + "/";
      Cache cache{number_in(at + "level"), text_of_file(at + "type"), text_of_file(at + "size"),
                  text_of_file(at + "shared_cpu_list")};
      if (seen.insert(cache).second) list.emplace_back(std::move(cache), at);
    }
  if (list.empty()) return;
  sort_stably_by(list, [](const auto& row) { return std::get<0>(row.first); });
  ByteWriter out = section();
  out.u32(kLayout);
  put_list(out, list, [&](const std::pair<Cache, std::string>& row) {
    const auto& [level, type, size, cpus] = row.first;
    out.u32(level);
    out.u32(number_in(row.second + "coherency_line_size"));
    out.u32(number_in(row.second + "number_of_sets"));
    out.u32(number_in(row.second + "ways_of_associativity"));
    for (const std::string& text : {type, size, cpus}) put_text(out, text);
  });
  out_[Feature::cache] = out.bytes();
  out_[Feature::cln_size] = section_of({number_in(list.front().second + "coherency_line_size")});
}

void FeatureWriter::add_events() {
  ByteWriter out = section();
  out.u32(static_cast<std::uint32_t>(facts_.events.size()));
  out.u32(static_cast<std::uint32_t>(facts_.events.front().attr.size()));
  for (const RecordedEvent& event : facts_.events) {
    out.raw(event.attr);
    out.u32(static_cast<std::uint32_t>(event.ids.size()));
    put_text(out, event.name);
    for (const std::uint64_t id : event.ids) out.u64(id);
  }
  out_[Feature::event_desc] = out.bytes();
  std::map<std::size_t, std::uint32_t> members;
  for (const RecordedEvent& event : facts_.events) ++members[event.leader];
  std::erase_if(members, [](const auto& group) { return group.second < 2; });
  if (members.empty()) return;
  ByteWriter groups = section();
  put_list(groups, members, [&](const std::pair<const std::size_t, std::uint32_t>& group) {
    put_text(groups, "{anon_group}");
    groups.u32(static_cast<std::uint32_t>(group.first));
    groups.u32(group.second);
  });
  out_[Feature::group_desc] = groups.bytes();
}

void FeatureWriter::add_pmus() {
  std::vector<PmuInfo> pmus = machine_.pmus();
  std::erase_if(pmus, [](const PmuInfo& pmu) { return !pmu.type || !pmu.is_present; });
  ByteWriter out = section();
  put_list(out, pmus, [&](const PmuInfo& pmu) {
    out.u32(*pmu.type);
    put_text(out, pmu.name);
  });
  if (!pmus.empty()) out_[Feature::pmu_mappings] = out.bytes();
  std::erase_if(pmus, [](const PmuInfo& pmu) { return !pmu.is_core; });
  if (pmus.size() < 2) return;
  ByteWriter hybrid = section();
  put_list(hybrid, pmus, [&](const PmuInfo& pmu) {
    put_text(hybrid, pmu.name);
    put_text(hybrid, pmu.cpus);
  });
  out_[Feature::hybrid_topology] = hybrid.bytes();
}

void FeatureWriter::add_caps() {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  std::vector<std::pair<std::string, Pairs>> all;
  for (const PmuInfo& pmu : machine_.pmus()) {
    const std::string at = fmt::format("{}/bus/event_source/devices/{}/caps", sysfs_, pmu.name);
    Pairs caps;
    for (const std::string& name : list_directory(at))
      caps.emplace_back(name, text_of_file(at + "/" + name));
    if (!caps.empty()) all.emplace_back(pmu.name, std::move(caps));
  }
  const auto put = [](ByteWriter& out, const Pairs& caps) {
    put_list(out, caps, [&](const auto& cap) {
      put_text(out, cap.first);
      put_text(out, cap.second);
    });
  };
  const auto core = std::ranges::find(all, "cpu", &std::pair<std::string, Pairs>::first);
  if (core != all.end()) {
    ByteWriter out = section();
    put(out, core->second);
    out_[Feature::cpu_pmu_caps] = out.bytes();
    all.erase(core);
  }
  if (all.empty()) return;
  ByteWriter out = section();
  put_list(out, all, [&](const std::pair<std::string, Pairs>& pmu) {
    put(out, pmu.second);
    put_text(out, pmu.first);
  });
  out_[Feature::pmu_caps] = out.bytes();
}

void FeatureWriter::add_times() {
  if (facts_.last_time != 0)
    out_[Feature::sample_time] =
        section_of({facts_.first_time == UINT64_MAX ? 0 : facts_.first_time, facts_.last_time});
  if (!options_.clock) return;
  constexpr std::uint32_t kLayout = 1;
  timespec step{};
  clock_getres(*options_.clock, &step);
  out_[Feature::clockid] = section_of({static_cast<std::uint64_t>(step.tv_nsec)});
  ByteWriter clock = section();
  clock.u32(kLayout);
  clock.u32(static_cast<std::uint32_t>(*options_.clock));
  clock.u64(clock_ns(CLOCK_REALTIME));
  clock.u64(clock_ns(*options_.clock));
  out_[Feature::clock_data] = clock.bytes();
}

FeatureSections FeatureWriter::collect() {
  add_system();
  add_cpu_names();
  add_topology();
  add_nodes();
  add_memory_blocks();
  add_machine();
  add_caches();
  add_events();
  add_pmus();
  add_caps();
  add_times();
  if (auto formats = tracing_data_of(facts_.encodings, options_.setup.roots); !formats.empty())
    out_[Feature::tracing_data] = std::move(formats);
  if (!facts_.trace_places.empty()) out_[Feature::auxtrace] = trace_index(facts_.trace_places);
  if (options_.sampling.branches != 0 || options_.sampling.chains == CallChains::branch_records)
    out_[Feature::branch_stack] = {};
  if (options_.compression != 0) {
    constexpr std::uint32_t kLayout = 0, kZstd = 1, kRatio = 1;
    out_[Feature::compressed] =
        section_of<std::uint32_t>({kLayout, kZstd, static_cast<std::uint32_t>(options_.compression),
                                   kRatio, RecordingWriter::kLargestPiece});
  }
  return std::move(out_);
}

}  // namespace

FeatureSections features_of(const Machine& machine, const RecordOptions& options,
                            const RecordedFacts& facts) {
  return FeatureWriter(machine, options, facts).collect();
}

}  // namespace evname::sampling
