#pragma once
// Features are the facts that a recording stores about its machine, its perf and its events.
// Source: HEADER_* of tools/perf/Documentation/perf.data-file-format.txt.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evname/attr.hpp"

namespace evname::perf_format {

/// One row of EVENT_DESC.
struct EventDesc {
  Attr attr;                       ///< as in the attrs section
  std::string name;                ///< as perf prints it
  std::vector<std::uint64_t> ids;  ///< the kernel's ids, one per opened counter
};

/// One row of GROUP_DESC.
struct GroupDesc {
  std::string name;           ///< "{anon_group}" if it has none
  std::uint32_t leader = 0;   ///< index of the leading event
  std::uint32_t members = 0;  ///< number of events, including the leader
};

/// Names and values.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The caps of one PMU: CPU_PMU_CAPS, PMU_CAPS.
struct PmuCaps {
  std::string pmu;  ///< "cpu"
  Pairs values;     ///< "branches" and "32"
};

/// One row of BUILD_ID, or the file of an MMAP2 record.
struct BuildId {
  std::int32_t pid = -1;         ///< -1: the host
  std::uint16_t misc = 0;        ///< PERF_RECORD_MISC_*: kernel or user
  std::vector<std::uint8_t> id;  ///< at most 20 bytes
  std::string file;              ///< path of the file with this id
};

/// CPU_TOPOLOGY. Strings are CPU lists: "0-3,8".
struct CpuTopology {
  /// The place of one CPU.
  struct Cpu {
    ///@{
    /// The kernel's ids; -1: it had none, as the CPU was offline.
    std::int32_t core = 0, socket = 0, die = 0;
    ///@}
  };
  ///@{
  /// CPUs that share a package, a core (its hardware threads) or a die (since perf 5.1).
  std::vector<std::string> packages, threads, dies;
  ///@}
  std::vector<Cpu> cpus;  ///< since perf 2.6.38
};

/// One row of NUMA_TOPOLOGY.
struct NumaNode {
  std::uint32_t node = 0;  ///< node number
  ///@{
  /// Memory in kB.
  std::uint64_t total = 0, free = 0;
  ///@}
  std::string cpus;  ///< CPU list
};

/// One row of CACHE.
struct CacheLevel {
  ///@{
  /// As sysfs describes a cache: type "Data", size "32K", CPUs as a list.
  std::uint32_t level = 0, line_size = 0, sets = 0, ways = 0;
  std::string type, size, cpus;
  ///@}
};

/// One row of MEM_TOPOLOGY: the hot-pluggable memory blocks that a node has.
struct MemoryNode {
  ///@{
  /// Node number, number of bits in the bitmap, and the blocks that are present, lowest bit first.
  std::uint64_t node = 0, bits = 0;
  std::vector<std::uint64_t> bitmap;
  ///@}
};

/// One row of AUXTRACE.
struct AuxtraceEntry {
  std::uint64_t offset = 0;  ///< of the AUXTRACE record in the file, in bytes
  std::uint64_t size = 0;    ///< bytes that follow it
};

/// A line of a BPF program's source.
struct BpfLine {
  std::uint64_t address = 0;  ///< of the first instruction that the kernel made of it
  std::uint32_t source = 0;   ///< place of the path in BpfBtf::texts
  std::uint32_t line = 0;     ///< line number
};

/// A function of a BPF program.
struct BpfFunction {
  std::uint64_t start = 0;  ///< address
  std::uint64_t tag = 0;    ///< as in its name, bpf_prog_TAG_NAME
  std::uint32_t size = 0;   ///< in bytes; 0: unknown
};

/// The members of struct bpf_prog_info that identify the program, and its lines.
struct BpfProgram {
  ///@{
  /// As in the kernel's struct; sizes in bytes.
  std::uint32_t type = 0, id = 0;
  std::uint64_t tag = 0;
  std::string name;
  std::uint32_t info_size = 0, data_size = 0;
  std::uint32_t btf_id = 0;
  ///@}
  std::vector<BpfFunction> functions = {};  ///< functions whose tags are recorded
  std::vector<BpfLine> lines = {};          ///< lines in the order of the program
};

/// A BPF_METADATA record, which describes a BPF program.
struct BpfMetadata {
  std::string program;  ///< name of the program
  Pairs values;         ///< its variables bpf_metadata_NAME, by NAME
};

/// The scheduler's counts of a CPU, or of one of its domains, from the first to the last record
/// SCHEDSTAT_CPU or SCHEDSTAT_DOMAIN of the recording.
struct SchedulerStatistics {
  std::uint32_t cpu = 0;                ///< CPU number
  std::optional<std::uint16_t> domain;  ///< number in CpuDomains; nullopt: counts of the CPU itself
  std::uint16_t version = 0;            ///< of /proc/schedstat
  std::uint32_t records = 0;            ///< number of records; if it is 1, `counts` are its values
  ///@{
  /// Times of the first and the last record, in jiffies.
  std::uint64_t from = 0, to = 0;
  ///@}
  /// The counts, with the names that `perf sched stats` uses ("ttwu_count"), in the order of the
  /// record; rq_cpu_time and run_delay in ns. Empty if the version is unknown (known are 15 to 17).
  /// The names are constants.
  std::vector<std::pair<std::string_view, std::uint64_t>> counts = {};
};

/// One row of BPF_BTF.
struct BpfBtf {
  ///@{
  /// Its id, and its size in bytes.
  std::uint32_t id = 0, size = 0;
  ///@}
  std::string texts = {};  ///< its strings, each with the NUL behind it
};

/// COMPRESSED.
struct Compression {
  ///@{
  /// As in the feature; type 1 is zstd.
  std::uint32_t version = 0, type = 0, level = 0, ratio = 0, mmap_size = 0;
  ///@}
};

/// Some of Linux's clockid_t, as in an attr and in CLOCK_DATA.
enum ClockId : std::uint32_t { kMonotonic = 1, kMonotonicRaw = 4, kBoottime = 7 };

/// CLOCK_DATA.
struct ClockData {
  ///@{
  /// As in the feature; clockid is an argument of clock_gettime().
  std::uint32_t version = 0, clockid = 0;
  ///@}
  ///@{
  /// Both clocks at the same moment, in ns.
  std::uint64_t wall_clock = 0, clock = 0;
  ///@}
};

/// CPU_DOMAIN_INFO of one CPU: the sets of CPUs that the scheduler balances it with.
struct CpuDomains {
  /// One of these sets.
  struct Domain {
    ///@{
    /// As in /proc/schedstat; the name ("SMT") since its version 17.
    std::uint32_t number = 0;
    std::string name, cpu_mask, cpus;
    ///@}
  };
  std::uint32_t cpu = 0;        ///< CPU number
  std::vector<Domain> domains;  ///< the CPU's sets, the smallest first
};

/// One field of a tracepoint.
struct TraceField {
  std::string name;  ///< "prev_comm"
  std::string type;  ///< "char", "__data_loc char[]"
  ///@{
  /// Position and length in the raw data, in bytes.
  std::uint32_t offset = 0, size = 0;
  ///@}
  std::uint32_t count = 0;   ///< number of elements; 0: not an array
  bool is_signed = false;    ///< as the kernel declares it
  bool is_dynamic = false;   ///< __data_loc: u16 offset and u16 size of the data
  bool is_relative = false;  ///< __rel_loc: the same, counted from the end of this field
};

/// One tracepoint.
struct TraceFormat {
  std::uint64_t id = 0;  ///< attr.config
  ///@{
  /// "sched" and "sched_switch".
  std::string system, name;
  ///@}
  std::vector<TraceField> fields;  ///< in the order of the format
  std::string print;               ///< "\"pid=%d\", REC->pid"; empty: unknown
};

/// TRACING_DATA: the tracepoints of the recorder's kernel.
struct TracingData {
  std::string version;      ///< version of the layout: "0.6"
  bool big_endian = false;  ///< byte order of the recorder
  ///@{
  /// In bytes.
  std::uint32_t long_size = 0, page_size = 0;
  ///@}
  std::vector<TraceFormat> formats;  ///< one per tracepoint
};

/// Pages of functions that a JIT compiler made in a process: simpleperf recorded the functions, and
/// no mapping.
struct RunTimeCode {
  std::int32_t pid = 0;              ///< the process
  std::uint64_t start = 0, end = 0;  ///< addresses
};

/// The features that have a name: HEADER_* of perf and, from 128 on, FEAT_* of simpleperf, the
/// profiler of Android; the last one is evname's. A recording may have others.
enum class Feature : std::uint64_t {
  tracing_data = 1,
  build_id = 2,
  hostname = 3,
  osrelease = 4,
  version = 5,
  arch = 6,
  nrcpus = 7,
  cpudesc = 8,
  cpuid = 9,
  total_mem = 10,
  cmdline = 11,
  event_desc = 12,
  cpu_topology = 13,
  numa_topology = 14,
  branch_stack = 15,
  pmu_mappings = 16,
  group_desc = 17,
  auxtrace = 18,
  stat = 19,
  cache = 20,
  sample_time = 21,
  mem_topology = 22,
  clockid = 23,
  dir_format = 24,
  bpf_prog_info = 25,
  bpf_btf = 26,
  compressed = 27,
  cpu_pmu_caps = 28,
  clock_data = 29,
  hybrid_topology = 30,
  pmu_caps = 31,
  cpu_domain_info = 32,
  e_machine = 33,
  cln_size = 34,
  simpleperf_file = 128,
  simpleperf_meta_info = 129,
  simpleperf_debug_unwind = 130,
  simpleperf_debug_unwind_file = 131,
  simpleperf_file2 = 132,
  simpleperf_etm_branch_list = 133,
  simpleperf_init_map = 134,
  evname_names = 240,
};

/// A feature that the file has, whether or not it can be decoded.
struct FeaturePresence {
  std::uint64_t number = 0;  ///< a Feature, or one without a name
  ///@{
  /// Position and size in the file or pipe, in bytes.
  std::uint64_t offset = 0, size = 0;
  ///@}
  bool broken = false;  ///< it can't be decoded
};

/// These are the decoded features. A member is empty if its feature is absent or broken; see
/// `present`.
struct Features {
  ///@{
  /// The feature HEADER_* of the same name.
  std::vector<FeaturePresence> present;  ///< in the order of the file
  std::string hostname, os_release, version, arch, cpu_desc, cpuid;
  std::uint32_t cpus_available = 0, cpus_online = 0;
  std::uint64_t total_memory = 0;  ///< kB
  std::vector<std::string> command_line;
  std::vector<EventDesc> event_desc;
  std::vector<std::pair<std::uint32_t, std::string>> pmu_mappings;
  std::vector<GroupDesc> groups;
  std::vector<PmuCaps> caps;
  Pairs hybrid;  ///< core PMU, CPU list
  std::uint64_t dir_format = 0;
  TracingData tracing;
  std::vector<BuildId> build_ids;
  CpuTopology topology;
  std::vector<NumaNode> numa;
  std::vector<CacheLevel> caches;
  std::vector<AuxtraceEntry> auxtrace;
  std::optional<std::array<std::uint64_t, 2>> sample_time;  ///< ns, first and last
  std::uint64_t memory_block_size = 0;                      ///< bytes
  std::vector<MemoryNode> memory;
  std::uint64_t clockid_resolution = 0;  ///< ns
  std::vector<BpfProgram> bpf_programs;
  std::vector<BpfBtf> bpf_btf;
  std::optional<Compression> compression;
  std::optional<ClockData> clock;
  std::optional<std::array<std::uint32_t, 2>> e_machine;  ///< ELF machine and flags
  std::uint32_t cacheline_size = 0;                       ///< bytes
  std::uint32_t schedstat_version = 0, most_cpu_domains = 0;
  std::vector<CpuDomains> cpu_domains;
  ///@}
  std::shared_ptr<const std::string> names;  ///< of evname: see Mapping::names; nullptr: none
  ///@{
  /// Of simpleperf: META_INFO; the symbols of FILE or FILE2, and the kernel's (see
  /// symbol_lists.hpp; nullptr: none); and code among them that no mapping has.
  Pairs meta_info;
  std::shared_ptr<const std::string> symbol_lists;
  std::vector<RunTimeCode> run_time_code;
  ///@}

  /// Returns true if the file has the feature, broken or not.
  bool has(Feature feature) const {
    for (const FeaturePresence& one : present)
      if (one.number == static_cast<std::uint64_t>(feature)) return true;
    return false;
  }
};

/// Returns the recorder's architecture as `uname -m` names it: the feature ARCH or, if that is
/// missing, the architecture of E_MACHINE; "" if there is neither. `big_endian` is the recorder's
/// byte order.
std::string architecture(const Features& features, bool big_endian);

/// Returns the name of a feature, such as "HOSTNAME"; "" if the number is unknown.
std::string_view feature_name(std::uint64_t number);

}  // namespace evname::perf_format
