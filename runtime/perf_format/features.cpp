#include "perf_format/features.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "perf_format/perf_rules.hpp"
#include "perf_format/recorded_events.hpp"
#include "perf_format/simpleperf.hpp"
#include "perf_format/trace_data.hpp"
#include "perf_format/typed_records.hpp"

namespace evname::perf_format {
namespace {

/// Reads as many items as the file claims, as long as there are bytes.
template <class T, class Read>
void read_items(Cursor& in, std::uint64_t count, std::vector<T>& list, Read read) {
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    T item = read();
    if (in.ok()) list.push_back(std::move(item));
  }
}
template <class T, class Read>
void read_list(Cursor& in, std::vector<T>& list, Read read) {
  const std::uint32_t count = in.u32();
  read_items(in, count, list, read);
}

std::string read_string(Cursor& in) { return std::string(in.text(in.u32())); }

template <std::string Features::*Member>
void decode_string(Cursor& in, Features& out) {
  out.*Member = read_string(in);
}
template <std::uint64_t Features::*Member>
void decode_number(Cursor& in, Features& out) {
  out.*Member = in.u64();
}

void decode_command_line(Cursor& in, Features& out) {
  read_list(in, out.command_line, [&] { return read_string(in); });
}

void decode_sample_time(Cursor& in, Features& out) {
  const std::uint64_t first = in.u64(), last = in.u64();
  if (in.ok()) out.sample_time = {first, last};
}

void decode_compression(Cursor& in, Features& out) {
  Compression c;
  for (std::uint32_t* word : {&c.version, &c.type, &c.level, &c.ratio, &c.mmap_size})
    *word = in.u32();
  if (in.ok()) out.compression = c;
}

void decode_clock(Cursor& in, Features& out) {
  ClockData clock;
  clock.version = in.u32();
  clock.clockid = in.u32();
  clock.wall_clock = in.u64();
  clock.clock = in.u64();
  if (in.ok()) out.clock = clock;
}

void read_pairs(Cursor& in, Pairs& pairs) {
  read_list(in, pairs, [&] {
    std::string name = read_string(in);
    return std::pair{std::move(name), read_string(in)};
  });
}

// An entry has the recorder's perf_event_attr, of attr_size bytes.
void decode_event_desc(Cursor& in, Features& out) {
  const std::uint32_t count = in.u32(), attr_size = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    EventDesc desc;
    desc.attr = decode_attr(in.bytes(attr_size), in.order());
    const std::uint32_t ids = in.u32();
    desc.name = read_string(in);
    const Bytes stored = in.array(ids, 8);
    for (std::size_t at = 0; at < stored.size(); at += 8)
      desc.ids.push_back(load<std::uint64_t>(stored.data() + at, in.order()));
    if (in.ok()) out.event_desc.push_back(std::move(desc));
  }
}

void decode_mappings(Cursor& in, Features& out) {
  read_list(in, out.pmu_mappings, [&] {
    const std::uint32_t type = in.u32();
    return std::pair{type, read_string(in)};
  });
}

void decode_groups(Cursor& in, Features& out) {
  read_list(in, out.groups, [&] {
    GroupDesc group{read_string(in), 0, 0};
    group.leader = in.u32();
    group.members = in.u32();
    return group;
  });
}

void decode_cpu_caps(Cursor& in, Features& out) {
  PmuCaps caps{"cpu", {}};
  read_pairs(in, caps.values);
  out.caps.push_back(std::move(caps));
}

void decode_pmu_caps(Cursor& in, Features& out) {
  read_list(in, out.caps, [&] {
    PmuCaps caps;
    read_pairs(in, caps.values);
    caps.pmu = read_string(in);
    return caps;
  });
}

void decode_hybrid(Cursor& in, Features& out) { read_pairs(in, out.hybrid); }

void read_strings(Cursor& in, std::vector<std::string>& list) {
  read_list(in, list, [&] { return read_string(in); });
}

// There are three revisions: the lists alone, then with core and socket of each CPU, then with
// dies. The number of bytes distinguishes them.
void decode_topology(Cursor& in, Features& out) {
  CpuTopology& topology = out.topology;
  read_strings(in, topology.packages);
  read_strings(in, topology.threads);
  const std::uint64_t cpus = out.cpus_available > 0 ? out.cpus_available : in.remaining() / 8;
  if (!in.ok() || in.remaining() < 8) return;
  read_items(in, cpus, topology.cpus, [&] {
    CpuTopology::Cpu cpu;
    cpu.core = static_cast<std::int32_t>(in.u32());
    cpu.socket = static_cast<std::int32_t>(in.u32());
    return cpu;
  });
  if (!in.ok() || in.remaining() < 8) return;
  read_strings(in, topology.dies);
  for (CpuTopology::Cpu& cpu : topology.cpus) cpu.die = static_cast<std::int32_t>(in.u32());
}

void decode_numa(Cursor& in, Features& out) {
  read_list(in, out.numa, [&] {
    NumaNode node;
    node.node = in.u32();
    node.total = in.u64();
    node.free = in.u64();
    node.cpus = read_string(in);
    return node;
  });
}

void decode_caches(Cursor& in, Features& out) {
  constexpr std::uint32_t kVersion = 1;
  if (in.u32() != kVersion) return in.skip(UINT64_MAX);
  read_list(in, out.caches, [&] {
    CacheLevel cache;
    for (std::uint32_t CacheLevel::*member :
         {&CacheLevel::level, &CacheLevel::line_size, &CacheLevel::sets, &CacheLevel::ways})
      cache.*member = in.u32();
    for (std::string CacheLevel::*member :
         {&CacheLevel::type, &CacheLevel::size, &CacheLevel::cpus})
      cache.*member = read_string(in);
    return cache;
  });
}

void decode_memory(Cursor& in, Features& out) {
  constexpr std::uint64_t kVersion = 1;
  if (in.u64() != kVersion) return in.skip(UINT64_MAX);
  out.memory_block_size = in.u64();
  const std::uint64_t count = in.u64();
  read_items(in, count, out.memory, [&] {
    MemoryNode node;
    node.node = in.u64();
    in.skip(8);  // the number of blocks, which the bitmap repeats
    node.bits = in.u64();
    read_items(in, node.bits / 64 + (node.bits % 64 != 0), node.bitmap, [&] { return in.u64(); });
    return node;
  });
}

void decode_cpus(Cursor& in, Features& out) {
  out.cpus_available = in.u32();
  out.cpus_online = in.u32();
}

// The feature has all CPUs that are online, but not their number.
void decode_cpu_domains(Cursor& in, Features& out) {
  constexpr std::uint32_t kNamed = 17;  // version of /proc/schedstat that names domains
  out.schedstat_version = in.u32();
  out.most_cpu_domains = in.u32();
  while (in.ok() && in.remaining() > 0) {
    CpuDomains cpu;
    cpu.cpu = in.u32();
    read_list(in, cpu.domains, [&] {
      CpuDomains::Domain domain;
      domain.number = in.u32();
      if (out.schedstat_version >= kNamed) domain.name = read_string(in);
      domain.cpu_mask = read_string(in);
      domain.cpus = read_string(in);
      return domain;
    });
    if (in.ok()) out.cpu_domains.push_back(std::move(cpu));
  }
}

void decode_e_machine(Cursor& in, Features& out) {
  const std::uint32_t machine = in.u32(), flags = in.u32();
  if (in.ok()) out.e_machine = {machine, flags};
}

constexpr std::uint16_t kMiscBuildIdSize = 1 << 15;

/// Reads entries, which are records of type 0 with their own sizes. perf before 2.6.34 wrote no
/// pid.
std::vector<BuildId> read_build_ids(Cursor in, bool with_pid, bool& whole) {
  std::vector<BuildId> list;
  whole = false;
  while (in.remaining() > 0 && in.ok()) {
    in.skip(4);  // type
    BuildId entry;
    entry.misc = in.u16();
    const std::uint16_t size = in.u16();
    if (size < kRecordHeader) return list;
    Cursor body(in.bytes(size - kRecordHeader), in.order());
    if (with_pid) entry.pid = static_cast<std::int32_t>(body.u32());
    const Bytes id = body.bytes(kBuildIdBytes + 4);
    entry.file = std::string(body.text(body.remaining()));
    if (!in.ok() || !body.ok()) return list;
    const std::size_t bytes = entry.misc & kMiscBuildIdSize
                                  ? std::min<std::size_t>(id[kBuildIdBytes], kBuildIdBytes)
                                  : kBuildIdBytes;
    entry.id.assign(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(bytes));
    list.push_back(std::move(entry));
  }
  whole = in.ok();
  return list;
}

// simpleperf writes no count: an offset and the size of the record there come first.
void decode_auxtrace(Cursor& in, Features& out) {
  constexpr std::uint64_t kRecord = 48;
  Cursor entry = in;
  entry.skip(8);
  const std::uint64_t count = entry.u64() == kRecord ? in.remaining() / 16 : in.u64();
  read_items(in, count, out.auxtrace, [&] {
    const std::uint64_t offset = in.u64();
    return AuxtraceEntry{offset, in.u64()};
  });
}

void decode_bpf_programs(Cursor& in, Features& out) {
  read_list(in, out.bpf_programs, [&] { return read_bpf_program(in); });
}

void decode_bpf_btf(Cursor& in, Features& out) {
  read_list(in, out.bpf_btf, [&] { return read_bpf_btf(in); });
}

void decode_tracing_data(Cursor& in, Features& out) {
  if (!read_tracing_data(in.bytes(in.remaining()), out.tracing)) in.skip(UINT64_MAX);
}

}  // namespace

// If there are no pids, names seem to begin four bytes late, as the kernel's name shows.
void decode_build_ids(Cursor& in, Features& out) {
  bool whole = false;
  std::vector<BuildId> list = read_build_ids(in, true, whole);
  const bool old = std::any_of(list.begin(), list.end(),
                               [](const BuildId& entry) { return entry.file == "nel.kallsyms]"; });
  if (old) list = read_build_ids(in, false, whole);
  std::move(list.begin(), list.end(), std::back_inserter(out.build_ids));
  in.skip(whole ? in.remaining() : UINT64_MAX);
}

std::optional<BuildId> mapped_build_id(const Record& record, std::endian order) {
  if (record.type != kRecordMmap2 || (record.misc & kMiscMmapBuildId) == 0) return std::nullopt;
  const auto map = read_as<evname::Record::Map>(record, order);
  if (!map || map->build_id.empty()) return std::nullopt;
  BuildId found;
  found.misc = record.misc;
  found.id.assign(map->build_id.begin(), map->build_id.end());
  found.file = std::string(map->file);
  // The kernel's name ends with the symbol of its address: "_text".
  constexpr std::string_view kKernel = "[kernel.kallsyms]";
  if (found.file.starts_with(kKernel)) found.file.resize(kKernel.size());
  return found;
}

BpfMetadata read_bpf_metadata(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  BpfMetadata out;
  out.program = std::string(in.text(kBpfProgramBytes));
  const std::uint64_t count = in.u64();
  read_items(in, count, out.values, [&] {
    std::string key(in.text(kBpfKeyBytes));
    return std::pair{std::move(key), std::string(in.text(kBpfValueBytes))};
  });
  return out;
}

namespace {

/// A pipe has the feature in pieces, as records are short.
void decode_names(Cursor& in, Features& out) {
  std::string names = out.names ? *out.names : std::string();
  const Bytes bytes = in.bytes(in.remaining());
  names.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  out.names = std::make_shared<const std::string>(std::move(names));
}

struct Row {
  Feature feature;
  std::string_view name;
  void (*decode)(Cursor& in, Features& out);  ///< nullptr: it has no content, or an unknown one
  PerfRule perf = {};                         ///< none: perf reads on without the feature
};

constexpr Row kRows[] = {
    {Feature::tracing_data, "TRACING_DATA", decode_tracing_data},
    {Feature::build_id, "BUILD_ID", decode_build_ids},
    {Feature::hostname, "HOSTNAME", decode_string<&Features::hostname>, {"s"}},
    {Feature::osrelease, "OSRELEASE", decode_string<&Features::os_release>, {"s"}},
    {Feature::version, "VERSION", decode_string<&Features::version>, {"s"}},
    {Feature::arch, "ARCH", decode_string<&Features::arch>, {"s"}},
    {Feature::nrcpus, "NRCPUS", decode_cpus, {"uu", check_cpus}},
    {Feature::cpudesc, "CPUDESC", decode_string<&Features::cpu_desc>, {"s"}},
    {Feature::cpuid, "CPUID", decode_string<&Features::cpuid>, {"s"}},
    {Feature::total_mem, "TOTAL_MEM", decode_number<&Features::total_memory>, {"U"}},
    {Feature::cmdline, "CMDLINE", decode_command_line, {"[1048576 s]"}},
    {Feature::event_desc, "EVENT_DESC", decode_event_desc},
    {Feature::cpu_topology, "CPU_TOPOLOGY", decode_topology, {"", check_topology}},
    {Feature::numa_topology, "NUMA_TOPOLOGY", decode_numa, {"[4096 uUUc]"}},
    {Feature::branch_stack, "BRANCH_STACK", nullptr},
    {Feature::pmu_mappings, "PMU_MAPPINGS", decode_mappings, {"[4096 us]"}},
    {Feature::group_desc, "GROUP_DESC", decode_groups, {"[32768 suu]", check_groups}},
    {Feature::auxtrace, "AUXTRACE", decode_auxtrace, {"", check_auxtrace}},
    {Feature::stat, "STAT", nullptr},
    {Feature::cache, "CACHE", decode_caches, {"v[32768 uuuusss]"}},
    {Feature::sample_time, "SAMPLE_TIME", decode_sample_time, {"UU"}},
    {Feature::mem_topology, "MEM_TOPOLOGY", decode_memory, {"VU{4096 m}"}},
    {Feature::clockid, "CLOCKID", decode_number<&Features::clockid_resolution>, {"U"}},
    {Feature::dir_format,
     "DIR_FORMAT",
     decode_number<&Features::dir_format>,
     {"U", check_directory}},
    {Feature::bpf_prog_info, "BPF_PROG_INFO", decode_bpf_programs, {"[131072 p]", nullptr, true}},
    {Feature::bpf_btf, "BPF_BTF", decode_bpf_btf, {"[131072 t]", nullptr, true}},
    {Feature::compressed, "COMPRESSED", decode_compression, {"uuuuu", check_block}},
    {Feature::cpu_pmu_caps, "CPU_PMU_CAPS", decode_cpu_caps, {"[512 ss]"}},
    {Feature::clock_data, "CLOCK_DATA", decode_clock, {"vuUU"}},
    {Feature::hybrid_topology, "HYBRID_TOPOLOGY", decode_hybrid, {"[4096 ss]"}},
    {Feature::pmu_caps, "PMU_CAPS", decode_pmu_caps, {"[4096 [512 ss]s]"}},
    // Since perf 6.19.
    {Feature::cpu_domain_info, "CPU_DOMAIN_INFO", decode_cpu_domains, {"", check_domains}},
    {Feature::e_machine, "E_MACHINE", decode_e_machine, {"uu"}},
    {Feature::cln_size,
     "CLN_SIZE",
     [](Cursor& in, Features& out) { out.cacheline_size = in.u32(); },
     {"u"}},
    // simpleperf: system/extras/simpleperf/record_file_format.h of Android.
    {Feature::simpleperf_file, "FILE", decode_file_list},
    {Feature::simpleperf_meta_info, "META_INFO", decode_meta_info},
    {Feature::simpleperf_debug_unwind, "DEBUG_UNWIND", nullptr},
    {Feature::simpleperf_debug_unwind_file, "DEBUG_UNWIND_FILE", nullptr},
    {Feature::simpleperf_file2, "FILE2", decode_file_messages},
    {Feature::simpleperf_etm_branch_list, "ETM_BRANCH_LIST", nullptr},
    {Feature::simpleperf_init_map, "INIT_MAP", nullptr},
    {Feature::evname_names, "EVNAME_NAMES", decode_names},
};

const Row* find_row(std::uint64_t number) {
  const auto* at = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& row) { return row.feature == Feature{number}; });
  return at == std::end(kRows) ? nullptr : at;
}

}  // namespace

void decode_feature(std::uint64_t number, Bytes content, std::endian order, std::uint64_t offset,
                    Features& features, Warnings& warnings) {
  const Row* row = find_row(number);
  features.present.push_back({number, offset, content.size(), false});
  if (!row || !row->decode || content.empty()) return;  // old perf leaves empty sections
  Cursor in(content, order);
  row->decode(in, features);
  features.present.back().broken = !in.ok();
  if (!in.ok())
    warnings.add(offset, fmt::format("feature {} ({}) of {} bytes is broken; what it says up to "
                                     "there is used",
                                     row->name, number, content.size()));
}

void read_features(Bytes file, const Header& header, Features& features, Warnings& warnings) {
  if (header.feature_table == 0 || header.features.none()) return;
  Cursor table(file.subspan(header.feature_table), header.order);
  for (std::size_t number = 0; number < header.features.size(); ++number) {
    if (!header.features[number]) continue;
    const std::uint64_t row_offset = header.feature_table + table.position();
    Section section{table.u64(), table.u64()};
    if (!table.ok())
      return warnings.add(row_offset,
                          fmt::format("feature table is cut off at feature {}", number));
    if (section.offset > file.size() || (section.offset == file.size() && section.size > 0)) {
      warnings.add(row_offset,
                   fmt::format("feature {} ({}) is not in the file", feature_name(number), number));
      continue;
    }
    section.size = std::min<std::uint64_t>(section.size, file.size() - section.offset);
    // `perf inject -b -i -` puts the attrs into the place of the build ids.
    if (section.overlaps(header.attrs)) section.size = 0;
    decode_feature(number, section_of(file, section), header.order, section.offset, features,
                   warnings);
  }
}

namespace {

/// A number EM_* of include/uapi/linux/elf-em.h, and the machine names that uname -m has for it.
struct ElfMachine {
  std::uint32_t number;
  std::string_view big, little;
};
constexpr ElfMachine kElfMachines[] = {
    {2, "sparc", "sparc"},      {3, "i686", "i686"},
    {8, "mips64", "mips64"},    {15, "parisc", "parisc"},
    {18, "sparc", "sparc"},     {20, "ppc", "ppc"},
    {21, "ppc64", "ppc64le"},   {22, "s390x", "s390x"},
    {40, "armv7b", "armv7l"},   {42, "sh", "sh"},
    {43, "sparc64", "sparc64"}, {62, "x86_64", "x86_64"},
    {94, "xtensa", "xtensa"},   {183, "aarch64_be", "aarch64"},
    {195, "arc", "arc"},        {243, "riscv64", "riscv64"},
    {252, "csky", "csky"},      {258, "loongarch64", "loongarch64"},
    {0x9026, "alpha", "alpha"},
};

}  // namespace

std::uint16_t elf_machine(const Features& features) {
  const std::string_view arch = features.arch;
  if (arch.empty())
    return static_cast<std::uint16_t>(features.e_machine ? (*features.e_machine)[0] : 0);
  for (const ElfMachine& row : kElfMachines)
    if (arch == row.big || arch == row.little) return static_cast<std::uint16_t>(row.number);
  // Other names of uname -m for the same machines, by their beginnings.
  constexpr std::pair<std::string_view, std::uint16_t> kOthers[] = {
      {"i386", 3}, {"i486", 3},  {"i586", 3},    {"arm64", 183},     {"arm", 40},
      {"mips", 8}, {"s390", 22}, {"riscv", 243}, {"loongarch", 258}, {"sh", 42}};
  for (const auto& [start, number] : kOthers)
    if (arch.starts_with(start)) return number;
  return 0;
}

std::string architecture(const Features& features, bool big_endian) {
  if (!features.arch.empty() || !features.e_machine) return features.arch;
  for (const ElfMachine& row : kElfMachines)
    if (row.number == (*features.e_machine)[0])
      return std::string(big_endian ? row.big : row.little);
  return {};
}

std::string_view feature_name(std::uint64_t number) {
  const Row* row = find_row(number);
  return row ? row->name : std::string_view{};
}

PerfRule perf_rule_of(std::uint64_t number) {
  const Row* row = find_row(number);
  return row ? row->perf : PerfRule{};
}

}  // namespace evname::perf_format
