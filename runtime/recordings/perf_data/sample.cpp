// The fields of a Sample, and its stack.

#include "recordings/perf_data/perf_data_state.hpp"

namespace evname {
namespace {

template <class T>
std::optional<T> if_sampled(const perfdata::SampleRecord& record, perfdata::SampleBit bit,
                            T value) {
  return record.event->attr.samples(bit) ? std::optional<T>(value) : std::nullopt;
}

// WEIGHT_STRUCT: u32, u16, u16 from the lowest bits up.
std::optional<std::uint32_t> latency(const perfdata::SampleRecord& record, int shift) {
  return if_sampled(record, perfdata::kSampleWeightStruct,
                    static_cast<std::uint32_t>(record.weight >> shift & 0xffff));
}

}  // namespace

std::string_view Sample::comm() const { return tid() ? comm_ : std::string_view{}; }
std::optional<std::int32_t> Sample::pid() const {
  return if_sampled(*record_, perfdata::kSampleTid, record_->pid);
}
std::optional<std::int32_t> Sample::tid() const {
  return if_sampled(*record_, perfdata::kSampleTid, record_->tid);
}
std::optional<std::uint32_t> Sample::cpu() const {
  return if_sampled(*record_, perfdata::kSampleCpu, record_->cpu);
}
std::optional<std::uint64_t> Sample::time() const {
  return if_sampled(*record_, perfdata::kSampleTime, record_->time);
}
std::optional<std::uint64_t> Sample::ip() const {
  return if_sampled(*record_, perfdata::kSampleIp, record_->ip);
}
std::optional<std::uint64_t> Sample::addr() const {
  return if_sampled(*record_, perfdata::kSampleAddr, record_->addr);
}
std::uint64_t Sample::period() const { return record_->period; }
std::uint32_t Sample::misc() const { return record_->record.misc; }
std::optional<std::uint64_t> Sample::id() const {
  const bool sampled = record_->id != UINT64_MAX;
  return sampled ? std::optional(record_->id) : std::nullopt;
}

std::optional<std::uint64_t> Sample::weight() const {
  const std::uint64_t all = record_->weight;
  if (record_->event->attr.samples(perfdata::kSampleWeightStruct)) return all & 0xffffffff;
  return if_sampled(*record_, perfdata::kSampleWeight, all);
}
std::optional<std::uint32_t> Sample::ins_lat() const { return latency(*record_, 32); }
std::optional<std::uint32_t> Sample::retire_lat() const { return latency(*record_, 48); }
std::optional<std::uint64_t> Sample::data_src() const {
  return if_sampled(*record_, perfdata::kSampleDataSrc, record_->data_src);
}
std::optional<std::uint64_t> Sample::transaction() const {
  return if_sampled(*record_, perfdata::kSampleTransaction, record_->transaction);
}
std::optional<std::uint64_t> Sample::phys_addr() const {
  return if_sampled(*record_, perfdata::kSamplePhysAddr, record_->phys_addr);
}
std::optional<std::uint64_t> Sample::cgroup() const {
  return if_sampled(*record_, perfdata::kSampleCgroup, record_->cgroup);
}
std::optional<std::uint64_t> Sample::data_page_size() const {
  return if_sampled(*record_, perfdata::kSampleDataPageSize, record_->data_page_size);
}
std::optional<std::uint64_t> Sample::code_page_size() const {
  return if_sampled(*record_, perfdata::kSampleCodePageSize, record_->code_page_size);
}

std::string_view Sample::cgroup_path() const { return cgroup_path_; }

SampleWords Sample::callchain() const { return {record_->callchain, swapped_}; }
SampleWords Sample::branches() const { return {record_->branches, swapped_}; }
SampleWords Sample::branch_counters() const { return {record_->branch_counters, swapped_}; }
SampleWords Sample::user_registers() const { return {record_->regs_user, swapped_}; }
SampleWords Sample::interrupt_registers() const { return {record_->regs_intr, swapped_}; }
std::string_view Sample::raw() const {
  const Bytes bytes = record_->raw;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::uint64_t Sample::file_offset(std::uint64_t address) const {
  return maps_->file_offset(address);
}

namespace {

// enum perf_callchain_context of include/uapi/linux/perf_event.h.
constexpr std::uint64_t kContextHypervisor = -32, kContextKernel = -128, kContextUser = -512,
                        kContextUserDeferred = -640;

// resolve_lbr_callchain_sample of tools/perf/util/machine.c: what the CPU kept of calls replaces
// what was walked of user space. It begins with the sample's own instruction; perf has that also of
// samples in the kernel, which are in no file of the process, and here it is where the last call
// went.
bool replaces_user_stack(const Sample& sample, const perfdata::Attr& attr) {
  constexpr std::uint64_t kCallStack = 1 << 11;  // PERF_SAMPLE_BRANCH_CALL_STACK
  return (attr.branch_sample_type & kCallStack) != 0 && sample.branches().size() >= 3;
}

}  // namespace

namespace recording {

Address instruction_of(const Sample& sample) {
  const bool kernel = (sample.misc() & perfdata::kCpuMode) == perfdata::kCpuModeKernel;
  return {sample.ip().value_or(0), kernel};
}

bool has_chain(const Sample& sample) {
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i] < kContextMax ||
        (chain[i] == kContextUser &&
         replaces_user_stack(sample, detail::record_of(sample).event->attr)))
      return true;
  return false;
}

}  // namespace recording

// thread__resolve_callchain_sample and add_callchain_ip of tools/perf/util/machine.c.
bool Sample::stack(std::vector<Address>& stack) const {
  stack.clear();
  const SampleWords chain = callchain();
  bool kernel = false, known = true;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::uint64_t address = chain[i];
    if (address < recording::kContextMax)
      stack.push_back({address, kernel});
    else if (address == kContextUser || address == kContextUserDeferred)
      kernel = false;
    else if (address == kContextKernel || address == kContextHypervisor)
      kernel = true;
    else
      known = false;
    if (address != kContextUser || !replaces_user_stack(*this, record_->event->attr)) continue;
    const SampleWords calls = branches();  // from, to and flags of each; the latest first
    const Address own = recording::instruction_of(*this);
    stack.push_back({own.kernel || own.value == 0 ? calls[1] : own.value, false});
    for (std::size_t call = 0; call + 2 < calls.size(); call += 3)
      stack.push_back({calls[call], false});
    break;
  }
  // Markers alone: the kernel could not walk the stack of user space, as on s390x.
  if (stack.empty() && ip()) stack.push_back(recording::instruction_of(*this));
  return known;
}

std::optional<Mapping> Sample::mapping(Address address) const {
  const auto range = maps_->find(address.value, address.kernel);
  return range.dso ? std::optional(maps_->mapping(range)) : std::nullopt;
}

}  // namespace evname
