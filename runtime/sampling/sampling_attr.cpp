#include "sampling/sampling_attr.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/syntax/term_names.hpp"
#include "evname/attr.hpp"

namespace evname::sampling {
namespace {

using counting::as_struct;
using counting::AttrBytes;
using counting::store;

constexpr std::uint64_t kDefaultFrequency = 4000;

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
  if (options.sampling.period != 0 || options.sampling.frequency != 0)
    return options.sampling.period;
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
  if (options.sampling.chains == CallChains::none) return;
  attr.sample_type |= perf_format::kSampleCallchain;
  attr.sample_max_stack = options.sampling.max_stack;
  attr.exclude_callchain_user = !options.sampling.user_chains;
  attr.exclude_callchain_kernel = !options.sampling.kernel_chains;
  if (options.sampling.chains == CallChains::stack_copies) {
    attr.sample_type |= perf_format::kSampleRegsUser | perf_format::kSampleStackUser;
    attr.sample_stack_user = options.sampling.stack_size;
    attr.exclude_callchain_user = true;
  } else if (options.sampling.chains == CallChains::branch_records) {
    attr.sample_type |= perf_format::kSampleBranchStack;
    attr.branch_sample_type = perf_format::kBranchUser | perf_format::kBranchCallStack |
                              perf_format::kBranchNoCycles | perf_format::kBranchNoFlags |
                              perf_format::kBranchHwIndex;
    // The callchain still has PERF_CONTEXT_USER, where readers put these calls.
  } else if (kLinkRegister != 0 && options.sampling.user_chains) {
    attr.sample_type |= perf_format::kSampleRegsUser;
    attr.sample_regs_user = kLinkRegister;
  }
}

/// If registers are requested without a copy of the stack, records the registers for unwinding.
void set_registers(perf_event_attr& attr, const EventOptions& options) {
  const bool are_asked_for = (options.bits & perf_format::kSampleRegsUser) != 0;
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
  attr.mmap_data = options.setup.data_mappings;
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
  return options.sampling.frequency != 0 ? options.sampling.frequency : kDefaultFrequency;
}

counting::AttrBytes sampling_attr(const Encoding& event, const EventRole& role) {
  const EventOptions& options = *role.own;
  perf_event_attr attr{};
  attr.size = counting::attr_size_for(event.code);
  attr.sample_type = perf_format::kSampleIdentifier | perf_format::kSampleIp |
                     perf_format::kSampleTid | perf_format::kSampleTime | options.bits;
  if (role.of_cpu) attr.sample_type |= perf_format::kSampleCpu;
  if (options.cgroups) attr.sample_type |= perf_format::kSampleCgroup;
  if (event.code.type == kTypeTracepoint && event.code.has_type != 0)
    attr.sample_type |=
        perf_format::kSampleRaw | perf_format::kSamplePeriod | perf_format::kSampleCpu;
  set_rate(attr, event, options);
  set_chains(attr, options);
  set_registers(attr, options);
  if (options.sampling.branches != 0) {
    attr.sample_type |= perf_format::kSampleBranchStack;
    attr.branch_sample_type |= options.sampling.branches;
  }
  set_counts(attr, options, role);
  if (role.is_alone) attr.sample_type &= ~std::uint64_t{perf_format::kSampleIdentifier};
  if (role.is_member || !options.samples) attr.sample_period = attr.freq = 0;
  if (role.tracks) set_tracking(attr, options);
  attr.disabled = role.leads && !role.always_on;
  attr.inherit = options.inherit && !role.of_cpu && !options.per_thread;
  attr.enable_on_exec = options.setup.enable_on_exec && role.leads && !role.always_on;
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

/// A feature that an older kernel refuses. `drop` changes an attr that asks for it.
struct Extra {
  std::string_view what;
  void (*drop)(perf_event_attr& attr);
};

template <auto Bit>
constexpr Extra field(std::string_view what) {
  return {what, [](perf_event_attr& attr) { attr.sample_type &= ~std::uint64_t{Bit}; }};
}

constexpr Extra kExtras[] = {
    {"counts in the samples of threads that are created later (Linux 6.12)",
     [](perf_event_attr& attr) {
       if ((attr.sample_type & perf_format::kSampleRead) != 0) attr.inherit = 0;
     }},
    {"numbers of lost samples (Linux 6.0)",
     [](perf_event_attr& attr) { attr.read_format &= ~std::uint64_t{perf_format::kReadLost}; }},
    {"build ids of mappings (Linux 5.12)", [](perf_event_attr& attr) { attr.build_id = 0; }},
    {"weights in parts (Linux 5.12)",
     [](perf_event_attr& attr) {
       if ((attr.sample_type & perf_format::kSampleWeightStruct) != 0)
         attr.sample_type ^= perf_format::kSampleWeightStruct | perf_format::kSampleWeight;
     }},
    field<perf_format::kSampleCodePageSize>("sizes of code pages (Linux 5.11)"),
    field<perf_format::kSampleDataPageSize>("sizes of data pages (Linux 5.11)"),
    {"cgroups (Linux 5.7)",
     [](perf_event_attr& attr) {
       attr.cgroup = 0;
       attr.sample_type &= ~std::uint64_t{perf_format::kSampleCgroup};
     }},
    {"numbers of entries in branch records (Linux 5.7)",
     [](perf_event_attr& attr) {
       attr.branch_sample_type &= ~std::uint64_t{perf_format::kBranchHwIndex};
     }},
    {"BPF programs (Linux 5.1)", [](perf_event_attr& attr) { attr.bpf_event = 0; }},
    {"symbols that the kernel adds (Linux 5.1)", [](perf_event_attr& attr) { attr.ksymbol = 0; }},
    {"namespaces (Linux 4.12)", [](perf_event_attr& attr) { attr.namespaces = 0; }},
    field<perf_format::kSamplePhysAddr>("physical addresses (Linux 4.14)"),
    {"context switches (Linux 4.3)", [](perf_event_attr& attr) { attr.context_switch = 0; }},
    {"the clock that was asked for (Linux 4.1)",
     [](perf_event_attr& attr) { attr.use_clockid = attr.clockid = 0; }},
    {"the exclusion of guests", [](perf_event_attr& attr) { attr.exclude_guest = 0; }},
    {"samples of guests",  // which the counters of Apple's M1 can't take
     [](perf_event_attr& attr) { attr.exclude_guest = 1; }},
};

}  // namespace

std::optional<GivenUp> give_up(counting::AttrBytes& bytes, std::size_t step) {
  if (step >= std::size(kExtras)) return std::nullopt;
  const AttrBytes before = bytes;
  perf_event_attr attr = as_struct(bytes);
  kExtras[step].drop(attr);
  store(bytes, attr);
  return GivenUp{kExtras[step].what, bytes != before};
}

namespace {

struct ChainWord {
  std::string_view word;
  CallChains chains;
};
constexpr ChainWord kChainWords[] = {{"fp", CallChains::frame_pointers},
                                     {"dwarf", CallChains::stack_copies},
                                     {"lbr", CallChains::branch_records},
                                     {"no", CallChains::none}};

using Value = std::string_view;

std::uint64_t number_of(Value value) { return parse_decimal(value).value_or(0); }

bool set_event_chains(Value value, RecordOptions& out) {
  const auto parts = split(value, ',');
  const auto* const row = std::ranges::find(kChainWords, parts.front(), &ChainWord::word);
  if (row == std::end(kChainWords)) return false;
  out.sampling.chains = row->chains;
  return true;
}

bool set_event_branches(Value value, RecordOptions& out) {
  const auto types = value == "no" ? Result<std::uint64_t>(0) : parse_branch_types(value);
  out.sampling.branches = types.value_or(0);
  return types.has_value();
}

/// Sets the option of a term. Returns false if its value is invalid.
struct SamplingTerm {
  std::string_view name;
  bool (*set)(Value value, RecordOptions& out);
};
constexpr SamplingTerm kSamplingTerms[] = {
    {"period",
     [](Value value, RecordOptions& out) {
       out.sampling.period = number_of(value);
       out.sampling.frequency = 0;
       return true;
     }},
    {"freq",
     [](Value value, RecordOptions& out) {
       out.sampling.frequency = number_of(value);
       out.sampling.period = 0;
       return true;
     }},
    {"call-graph", set_event_chains},
    {"stack-size",
     [](Value value, RecordOptions& out) {
       out.sampling.stack_size = static_cast<std::uint32_t>(number_of(value));
       return out.sampling.stack_size % 8 == 0 && out.sampling.stack_size < 65536;
     }},
    {"max-stack",
     [](Value value, RecordOptions& out) {
       out.sampling.max_stack =
           static_cast<std::uint16_t>(std::min<std::uint64_t>(number_of(value), UINT16_MAX));
       return true;
     }},
    {"inherit",
     [](Value value, RecordOptions& out) {
       out.inherit = number_of(value) != 0;
       return true;
     }},
    {"no-inherit",
     [](Value value, RecordOptions& out) {
       out.inherit = number_of(value) == 0;
       return true;
     }},
    {"branch_type", set_event_branches},
};

/// Terms for things that evname does not record.
constexpr std::string_view kTermsOfPerf[] = {"aux-output", "aux-sample-size", "overwrite"};

struct WantedField {
  std::string_view name;
  std::uint64_t bits;
};

using namespace perf_format;  // for the bits in sample_fields.def

constexpr WantedField kWantedFields[] = {
#define EVNAME_SAMPLE_NUMBER(name, NAME, sampled, ...) {#name, (sampled)},
#define EVNAME_SAMPLE_LIST(name, NAME, sampled) {#name, (sampled)},
#include "perf_format/sample_fields.def"
    {"period", kSamplePeriod},
    {"raw", kSampleRaw},
};

const WantedField* find_field(std::string_view name) {
  for (const WantedField& field : kWantedFields)
    if (field.name == name) return &field;
  return nullptr;
}

/// Sets the bits of the fields that the options name, and the options that the fields need. Errors:
/// invalid_argument for an unknown name.
Result<void> set_bits(EventOptions& options) {
  for (const std::string_view part : split(options.sampling.fields, ',')) {
    const std::string_view name = trim(part);
    if (name.empty()) continue;
    const WantedField* const field = find_field(name);
    if (field == nullptr) {
      std::vector<std::string> all;
      for (const WantedField& one : kWantedFields) all.emplace_back(one.name);
      const std::string_view near = nearest_name(name, all);
      return fail(Errc::invalid_argument, fmt::format("samples have no field '{}'", name), {},
                  near.empty() ? fmt::format("fields: {}", fmt::join(all, ", "))
                               : fmt::format("did you mean {}?", near));
    }
    // If two bits give the field, the later one gives more.
    const std::uint64_t bit = std::bit_floor(field->bits);
    if (bit == perf_format::kSampleBranchStack && options.sampling.branches == 0)
      options.sampling.branches = perf_format::kBranchAny;
    if (name == "branch_counters") options.sampling.branches |= perf_format::kBranchCounters;
    if (bit == perf_format::kSampleCallchain && options.sampling.chains == CallChains::none)
      options.sampling.chains = CallChains::frame_pointers;
    else if (bit != perf_format::kSampleCallchain)
      options.bits |= bit;
  }
  return {};
}

}  // namespace

Result<EventOptions> options_of_event(const Encoding& event, const RecordOptions& common) {
  EventOptions out{common, 0, {}};
  if (auto done = set_bits(out); !done) return fail(std::move(done));
  const std::string_view terms = detail::EncodingAccess::sampling_terms(event);
  if (terms.empty()) return out;
  for (const std::string_view term : split(terms, '/')) {
    const std::size_t equals = std::min(term.find('='), term.size());
    const std::string_view name = term.substr(0, equals);
    const std::string_view value = term.substr(std::min(equals + 1, term.size()));
    if (std::ranges::count(kTermsOfPerf, name) > 0 && value != "0")
      return fail(Errc::unsupported,
                  fmt::format("{}: evname does not record with {}", event.name, name), {},
                  "leave it out, or take perf record");
    const auto* const row = std::ranges::find(kSamplingTerms, name, &SamplingTerm::name);
    if (row == std::end(kSamplingTerms)) continue;
    if (!row->set(value, out))
      return fail(Errc::invalid_argument,
                  fmt::format("{}: {} can't be '{}'", event.name, row->name, value));
  }
  return out;
}

bool has_own_rate(const Encoding& event) {
  return std::ranges::any_of(split(detail::EncodingAccess::sampling_terms(event), '/'),
                             [](std::string_view term) {
                               return term.starts_with("period=") || term.starts_with("freq=");
                             });
}

}  // namespace evname::sampling

std::uint64_t evname::highest_frequency(const Roots& roots) {
  return number_of_file(roots.procfs + "/sys/kernel/perf_event_max_sample_rate").value_or(0);
}

evname::Result<std::uint64_t> evname::parse_branch_types(std::string_view words) {
  constexpr std::uint64_t kPrivileges =
      perf_format::kBranchUser | perf_format::kBranchKernel | perf_format::kBranchHv;
  std::uint64_t out = 0;
  for (const std::string_view word : split(words, ',')) {
    const auto bit = syntax::branch_bit(word);
    if (!bit)
      return fail(Errc::invalid_argument, fmt::format("'{}' is not a branch type; there are {}",
                                                      word, syntax::branch_words()));
    out |= *bit;
  }
  return (out & ~kPrivileges) == 0 ? out | perf_format::kBranchAny : out;
}
