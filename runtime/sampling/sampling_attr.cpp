#include "sampling/sampling_attr.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/read_file.hpp"
#include "evname/attr.hpp"

namespace evname::sampling {
namespace {

using counting::AttrBytes;

constexpr std::uint64_t kDefaultFrequency = 4000;

/// Reads and changes the members that every kernel header has.
perf_event_attr as_struct(const AttrBytes& bytes) {
  perf_event_attr attr{};
  std::memcpy(&attr, bytes.data(), std::min(sizeof attr, bytes.size()));
  return attr;
}

void store(AttrBytes& bytes, const perf_event_attr& attr) {
  std::memcpy(bytes.data(), &attr, std::min(sizeof attr, bytes.size()));
}

/// The registers of user space that unwinding needs, as perf records them.
/// Source: arch/*/include/uapi/asm/perf_regs.h.
constexpr std::uint64_t user_registers() {
#if defined(__x86_64__)
  return 0xff0fff;  // without ds, es, fs and gs
#elif defined(__aarch64__)
  return 0x1ffffffff;  // x0 to x29, lr, sp, pc
#elif defined(__riscv)
  return 0xffffffff;
#elif defined(__s390x__)
  return 0x3ffffffff;  // r0 to r15, f0 to f15, mask, pc
#else
  return 0;
#endif
}

/// The register with the caller of a function that has no frame. perf records it along with frame
/// pointers on machines whose calls do not use the stack.
constexpr std::uint64_t kLinkRegister =
#if defined(__aarch64__)
    std::uint64_t{1} << 30;
#else
    0;
#endif

/// Returns 0 if the event is sampled by frequency.
std::uint64_t period_of(const Encoding& event, const RecordOptions& options) {
  if (options.period != 0 || options.frequency != 0) return options.period;
  return event.code.type == kTypeTracepoint && event.code.has_type != 0 ? 1 : event.period;
}

void set_rate(perf_event_attr& attr, const Encoding& event, const RecordOptions& options) {
  const std::uint64_t frequency = frequency_of(event, options);
  attr.freq = frequency != 0;
  if (frequency == 0) {
    attr.sample_period = period_of(event, options);
    return;
  }
  attr.sample_freq = frequency;
  attr.sample_type |= perf_format::kSamplePeriod;
}

void set_chains(perf_event_attr& attr, const RecordOptions& options) {
  if (options.chains == CallChains::none) return;
  attr.sample_type |= perf_format::kSampleCallchain;
  attr.sample_max_stack = options.max_stack;
  attr.exclude_callchain_user = !options.user_chains;
  attr.exclude_callchain_kernel = !options.kernel_chains;
  if (options.chains == CallChains::stack_copies) {
    attr.sample_type |= perf_format::kSampleRegsUser | perf_format::kSampleStackUser;
    attr.sample_stack_user = options.stack_size;
    attr.exclude_callchain_user = true;
  } else if (options.chains == CallChains::branch_records) {
    attr.sample_type |= perf_format::kSampleBranchStack;
    attr.branch_sample_type = perf_format::kBranchUser | perf_format::kBranchCallStack |
                              perf_format::kBranchNoCycles | perf_format::kBranchNoFlags |
                              perf_format::kBranchHwIndex;
    attr.exclude_callchain_user = true;
  } else if (kLinkRegister != 0 && options.user_chains) {
    attr.sample_type |= perf_format::kSampleRegsUser;
    attr.sample_regs_user = kLinkRegister;
  }
}

/// If registers are requested without a copy of the stack, records the registers for unwinding.
void set_registers(perf_event_attr& attr, const RecordOptions& options) {
  const bool are_asked_for = (options.fields & perf_format::kSampleRegsUser) != 0;
  if (are_asked_for || (attr.sample_type & perf_format::kSampleStackUser) != 0)
    attr.sample_regs_user = user_registers();
  if ((attr.sample_type & perf_format::kSampleRegsIntr) != 0)
    attr.sample_regs_intr = user_registers();
}

void set_tracking(perf_event_attr& attr, const RecordOptions& options) {
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = true;
  attr.ksymbol = attr.bpf_event = options.bpf_programs;
  attr.build_id = true;
  attr.namespaces = options.namespaces;
  attr.cgroup = options.cgroups;
  attr.mmap_data = options.data_mappings;
  attr.context_switch = options.switches;
}

void set_counts(perf_event_attr& attr, const RecordOptions& options, const EventRole& role) {
  attr.read_format = perf_format::kReadId | perf_format::kReadLost;
  if (role.reads_group) attr.read_format |= perf_format::kReadGroup;
  if (options.running_time || options.thread_counts)
    attr.read_format |= perf_format::kReadTimeEnabled | perf_format::kReadTimeRunning;
  attr.inherit_stat = options.thread_counts;
  if (role.reads_group) attr.sample_type |= perf_format::kSampleRead;
}

/// Leaves out members at the end that are 0, since older kernels and readers know fewer.
void set_least_size(AttrBytes& bytes) {
  perf_event_attr attr = as_struct(bytes);
  for (const std::uint32_t size : {PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6})
    if (size < attr.size && std::all_of(bytes.begin() + size, bytes.end(),
                                        [](unsigned char byte) { return byte == 0; }))
      attr.size = size;
  store(bytes, attr);
}

}  // namespace

std::uint64_t frequency_of(const Encoding& event, const RecordOptions& options) {
  if (period_of(event, options) != 0) return 0;
  return options.frequency != 0 ? options.frequency : kDefaultFrequency;
}

counting::AttrBytes sampling_attr(const Encoding& event, const RecordOptions& common,
                                  const EventRole& role) {
  const RecordOptions& options = role.own != nullptr ? *role.own : common;
  perf_event_attr attr{};
  attr.size = counting::attr_size_for(event.code);
  attr.sample_type = perf_format::kSampleIdentifier | perf_format::kSampleIp |
                     perf_format::kSampleTid | perf_format::kSampleTime | options.fields;
  if (role.of_cpu) attr.sample_type |= perf_format::kSampleCpu;
  if (options.cgroups) attr.sample_type |= perf_format::kSampleCgroup;
  if (event.code.type == kTypeTracepoint && event.code.has_type != 0)
    attr.sample_type |=
        perf_format::kSampleRaw | perf_format::kSamplePeriod | perf_format::kSampleCpu;
  set_rate(attr, event, options);
  set_chains(attr, options);
  set_registers(attr, options);
  if (options.branches != 0) {
    attr.sample_type |= perf_format::kSampleBranchStack;
    attr.branch_sample_type |= options.branches;
  }
  set_counts(attr, options, role);
  if (role.is_alone) attr.sample_type &= ~std::uint64_t{perf_format::kSampleIdentifier};
  if (role.is_member || !options.samples) attr.sample_period = attr.freq = 0;
  if (role.tracks) set_tracking(attr, options);
  attr.disabled = role.leads && !role.always_on;
  attr.inherit = options.inherit && !role.of_cpu && !options.per_thread;
  attr.enable_on_exec = options.enable_on_exec && role.leads && !role.always_on;
  attr.sample_id_all = true;
  attr.watermark = true;
  if (options.clock) {
    attr.use_clockid = true;
    attr.clockid = *options.clock;
  }
  AttrBytes bytes{};
  store(bytes, attr);
  (void)fill_attr(event, bytes.data(), bytes.size());  // the type is known, the size right
  set_least_size(bytes);
  return bytes;
}

namespace {

/// A feature that an older kernel refuses.
struct Extra {
  std::string_view what;
  bool (*has)(const perf_event_attr& attr);
  void (*drop)(perf_event_attr& attr);
};

template <auto Bit>
constexpr Extra field(std::string_view what) {
  return {what, [](const perf_event_attr& attr) { return (attr.sample_type & Bit) != 0; },
          [](perf_event_attr& attr) { attr.sample_type &= ~static_cast<std::uint64_t>(Bit); }};
}

constexpr Extra kExtras[] = {
    {"counts in the samples of threads that are created later (Linux 6.12)",
     [](const perf_event_attr& attr) {
       return attr.inherit != 0 && (attr.sample_type & perf_format::kSampleRead) != 0;
     },
     [](perf_event_attr& attr) { attr.inherit = 0; }},
    {"numbers of lost samples (Linux 6.0)",
     [](const perf_event_attr& attr) { return (attr.read_format & perf_format::kReadLost) != 0; },
     [](perf_event_attr& attr) {
       attr.read_format &= ~static_cast<std::uint64_t>(perf_format::kReadLost);
     }},
    {"build ids of mappings (Linux 5.12)",
     [](const perf_event_attr& attr) { return attr.build_id != 0; },
     [](perf_event_attr& attr) { attr.build_id = 0; }},
    {"weights in parts (Linux 5.12)",
     [](const perf_event_attr& attr) {
       return (attr.sample_type & perf_format::kSampleWeightStruct) != 0;
     },
     [](perf_event_attr& attr) {
       attr.sample_type ^= perf_format::kSampleWeightStruct | perf_format::kSampleWeight;
     }},
    field<perf_format::kSampleCodePageSize>("sizes of code pages (Linux 5.11)"),
    field<perf_format::kSampleDataPageSize>("sizes of data pages (Linux 5.11)"),
    {"cgroups (Linux 5.7)",
     [](const perf_event_attr& attr) {
       return attr.cgroup != 0 || (attr.sample_type & perf_format::kSampleCgroup) != 0;
     },
     [](perf_event_attr& attr) {
       attr.cgroup = 0;
       attr.sample_type &= ~std::uint64_t{perf_format::kSampleCgroup};
     }},
    {"numbers of entries in branch records (Linux 5.7)",
     [](const perf_event_attr& attr) {
       return (attr.branch_sample_type & perf_format::kBranchHwIndex) != 0;
     },
     [](perf_event_attr& attr) {
       attr.branch_sample_type &= ~std::uint64_t{perf_format::kBranchHwIndex};
     }},
    {"BPF programs (Linux 5.1)", [](const perf_event_attr& attr) { return attr.bpf_event != 0; },
     [](perf_event_attr& attr) { attr.bpf_event = 0; }},
    {"symbols that the kernel adds (Linux 5.1)",
     [](const perf_event_attr& attr) { return attr.ksymbol != 0; },
     [](perf_event_attr& attr) { attr.ksymbol = 0; }},
    {"namespaces (Linux 4.12)", [](const perf_event_attr& attr) { return attr.namespaces != 0; },
     [](perf_event_attr& attr) { attr.namespaces = 0; }},
    field<perf_format::kSamplePhysAddr>("physical addresses (Linux 4.14)"),
    {"context switches (Linux 4.3)",
     [](const perf_event_attr& attr) { return attr.context_switch != 0; },
     [](perf_event_attr& attr) { attr.context_switch = 0; }},
    {"the clock that was asked for (Linux 4.1)",
     [](const perf_event_attr& attr) { return attr.use_clockid != 0; },
     [](perf_event_attr& attr) { attr.use_clockid = attr.clockid = 0; }},
    {"the exclusion of guests", [](const perf_event_attr& attr) { return attr.exclude_guest != 0; },
     [](perf_event_attr& attr) { attr.exclude_guest = 0; }},
    {"samples of guests",  // which the counters of Apple's M1 can't take
     [](const perf_event_attr& attr) { return attr.exclude_guest == 0; },
     [](perf_event_attr& attr) { attr.exclude_guest = 1; }},
};

}  // namespace

std::optional<GivenUp> give_up(counting::AttrBytes& bytes, std::size_t step) {
  if (step >= std::size(kExtras)) return std::nullopt;
  perf_event_attr attr = as_struct(bytes);
  const GivenUp out{kExtras[step].what, kExtras[step].has(attr)};
  if (out.had_it) kExtras[step].drop(attr);
  store(bytes, attr);
  return out;
}

}  // namespace evname::sampling

std::uint64_t evname::highest_frequency(const Roots& roots) {
  return number_of_file(roots.procfs + "/sys/kernel/perf_event_max_sample_rate").value_or(0);
}
