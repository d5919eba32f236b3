// What a Sample tells.

#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/address_maps.hpp"

namespace evname {
namespace {

template <class T>
std::optional<T> if_sampled(const detail::SampleRef& ref, perfdata::SampleBit bit, T value) {
  return ref.view.event.attr.samples(bit) ? std::optional<T>(value) : std::nullopt;
}

template <class T>
std::optional<T> of_tail(const detail::SampleRef& ref, perfdata::SampleBit bit,
                         T perfdata::SampleTail::*member) {
  return if_sampled(ref, bit, ref.view.tail.*member);
}

// WEIGHT_STRUCT: u32, u16, u16 from the lowest bits up.
std::optional<std::uint32_t> latency(const detail::SampleRef& ref, int shift) {
  return if_sampled(ref, perfdata::kSampleWeightStruct,
                    static_cast<std::uint32_t>(ref.view.tail.weight >> shift & 0xffff));
}

}  // namespace

const RecordedEvent& Sample::event() const { return state_->event; }

std::string_view Sample::comm() const { return tid() ? state_->view.comm : std::string_view{}; }
std::optional<std::int32_t> Sample::pid() const {
  return if_sampled(*state_, perfdata::kSampleTid, state_->view.core.pid);
}
std::optional<std::int32_t> Sample::tid() const {
  return if_sampled(*state_, perfdata::kSampleTid, state_->view.core.tid);
}
std::optional<std::uint32_t> Sample::cpu() const {
  return if_sampled(*state_, perfdata::kSampleCpu, state_->view.core.cpu);
}
std::optional<std::uint64_t> Sample::time() const {
  return if_sampled(*state_, perfdata::kSampleTime, state_->view.core.time);
}
std::optional<std::uint64_t> Sample::ip() const {
  return if_sampled(*state_, perfdata::kSampleIp, state_->view.core.ip);
}
std::optional<std::uint64_t> Sample::addr() const {
  return if_sampled(*state_, perfdata::kSampleAddr, state_->view.core.addr);
}
std::uint64_t Sample::period() const { return state_->view.core.period; }
std::uint32_t Sample::misc() const { return state_->view.record.misc; }
std::optional<std::uint64_t> Sample::id() const {
  const bool sampled = state_->view.core.id != UINT64_MAX;
  return sampled ? std::optional(state_->view.core.id) : std::nullopt;
}

std::optional<std::uint64_t> Sample::weight() const {
  const std::uint64_t all = state_->view.tail.weight;
  if (state_->view.event.attr.samples(perfdata::kSampleWeightStruct)) return all & 0xffffffff;
  return if_sampled(*state_, perfdata::kSampleWeight, all);
}
std::optional<std::uint32_t> Sample::ins_lat() const { return latency(*state_, 32); }
std::optional<std::uint32_t> Sample::retire_lat() const { return latency(*state_, 48); }
std::optional<std::uint64_t> Sample::data_src() const {
  return of_tail(*state_, perfdata::kSampleDataSrc, &perfdata::SampleTail::data_src);
}
std::optional<std::uint64_t> Sample::transaction() const {
  return of_tail(*state_, perfdata::kSampleTransaction, &perfdata::SampleTail::transaction);
}
std::optional<std::uint64_t> Sample::phys_addr() const {
  return of_tail(*state_, perfdata::kSamplePhysAddr, &perfdata::SampleTail::phys_addr);
}
std::optional<std::uint64_t> Sample::cgroup() const {
  return of_tail(*state_, perfdata::kSampleCgroup, &perfdata::SampleTail::cgroup);
}
std::optional<std::uint64_t> Sample::data_page_size() const {
  return of_tail(*state_, perfdata::kSampleDataPageSize, &perfdata::SampleTail::data_page_size);
}
std::optional<std::uint64_t> Sample::code_page_size() const {
  return of_tail(*state_, perfdata::kSampleCodePageSize, &perfdata::SampleTail::code_page_size);
}

std::string_view Sample::cgroup_path() const { return state_->view.cgroup; }

SampleWords Sample::callchain() const { return {state_->view.tail.callchain, state_->swapped}; }
SampleWords Sample::branches() const { return {state_->view.tail.branches, state_->swapped}; }
SampleWords Sample::branch_counters() const {
  return {state_->view.tail.branch_counters, state_->swapped};
}
SampleWords Sample::user_registers() const {
  return {state_->view.tail.regs_user, state_->swapped};
}
SampleWords Sample::interrupt_registers() const {
  return {state_->view.tail.regs_intr, state_->swapped};
}
std::string_view Sample::raw() const {
  const Bytes bytes = state_->view.tail.raw;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::uint64_t Sample::file_offset(std::uint64_t address) const {
  return state_->view.maps.file_offset(address);
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

CodeAddress instruction_of(const Sample& sample) {
  const bool kernel = (sample.misc() & perfdata::kCpuMode) == perfdata::kCpuModeKernel;
  return {sample.ip().value_or(0), kernel};
}

bool has_chain(const Sample& sample) {
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i] < kContextMax ||
        (chain[i] == kContextUser &&
         replaces_user_stack(sample, detail::state_of(sample).view.event.attr)))
      return true;
  return false;
}

}  // namespace recording

// thread__resolve_callchain_sample and add_callchain_ip of tools/perf/util/machine.c.
bool Sample::stack(std::vector<CodeAddress>& stack) const {
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
    if (address != kContextUser || !replaces_user_stack(*this, state_->view.event.attr)) continue;
    const SampleWords calls = branches();  // from, to and flags of each; the latest first
    const CodeAddress own = recording::instruction_of(*this);
    stack.push_back({own.kernel || own.address == 0 ? calls[1] : own.address, false});
    for (std::size_t call = 0; call + 2 < calls.size(); call += 3)
      stack.push_back({calls[call], false});
    break;
  }
  // Markers alone: the kernel could not walk the stack of user space, as on s390x.
  if (stack.empty() && ip()) stack.push_back(recording::instruction_of(*this));
  return known;
}

std::optional<Mapping> Sample::mapping(CodeAddress address) const {
  const perfdata::session::ProcessMaps& maps = state_->view.maps;
  const auto place = maps.find(address.address, address.kernel);
  if (!place.code) return std::nullopt;
  return recording::mapping_of(maps, place);
}

}  // namespace evname

namespace evname::recording {

Mapping mapping_of(const perfdata::session::ProcessMaps& maps,
                   const perfdata::session::CodePlace& place) {
  const perfdata::session::MappedCode& code = *place.code;
  Mapping mapping{.file = code.name,
                  .build_id = code.build_id,
                  .start = place.start,
                  .end = place.end,
                  .offset = place.offset,
                  .pid = code.pid,
                  .jitdump = maps.jitdump(code.pid),
                  .kernel = code.kernel,
                  .kernel_build_id = maps.kernel_build_id()};
  if (code.kernel) mapping.offset = maps.kernel_text();
  return mapping;
}

}  // namespace evname::recording
