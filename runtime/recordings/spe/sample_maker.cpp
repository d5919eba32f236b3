#include "recordings/spe/sample_maker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "perf_format/typed_records.hpp"

namespace evname::spe {

/// A queue that is being read, and its current thread.
struct SampleMaker::Reading {
  Reading(const Queue& from, const Trace& trace)
      : queue(from),
        packets(from.buffers, trace.is_live),
        cpu(trace.cpu_of(from.cpu)),
        tid(from.tid) {}

  std::size_t number = 0;  ///< in queues_
  const Queue& queue;
  PacketReader packets;
  const Cpu* cpu;
  std::int32_t pid = -1, tid;
  Operation operation;
  std::uint64_t count = 0;      ///< the greatest timestamp so far
  std::uint64_t looked_up = 0;  ///< calls_ at which pid was found
  std::uint64_t skipped = 0;    ///< operations since the last one that samples were made of
};

SampleMaker::SampleMaker(const Trace& trace, const perf_format::Events& events, std::endian order,
                         ProcessOf process_of)
    : trace_(trace), events_(events), order_(order), process_of_(std::move(process_of)) {
  constexpr std::size_t kLongestSample = 512;
  bytes_.resize(kLongestSample);
  for (unsigned i = 0; i < kMadeCount; ++i)
    if (trace_.events[i] != Trace::kNone) wanted_ |= 1u << i;
  for (const Queue& queue : trace_.queues) {
    queues_.push_back(std::make_unique<Reading>(queue, trace_));
    queues_.back()->number = queues_.size() - 1;
  }
}

SampleMaker::~SampleMaker() = default;

// The heap is the same as perf's, so that operations with equal times come in the same order.

void SampleMaker::push(Entry entry) {
  std::size_t at = heap_.size();
  heap_.push_back(entry);
  for (; at > 0 && heap_[(at - 1) / 2].count > entry.count; at = (at - 1) / 2)
    heap_[at] = heap_[(at - 1) / 2];
  heap_[at] = entry;
}

SampleMaker::Entry SampleMaker::pop() {
  const Entry first = heap_.front(), last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return first;
  std::size_t at = 0;
  for (;;) {
    const std::size_t left = 2 * at + 1, right = left + 1;
    if (left >= heap_.size()) break;
    if (right >= heap_.size()) {
      // perf ends here, and drops the last operation if it has not moved.
      heap_[at] = heap_[left];
      at = left;
      break;
    }
    const std::size_t next = heap_[left].count < heap_[right].count ? left : right;
    heap_[at] = heap_[next];
    at = next;
  }
  for (; at > 0 && heap_[(at - 1) / 2].count > last.count; at = (at - 1) / 2)
    heap_[at] = heap_[(at - 1) / 2];
  heap_[at] = last;
  return first;
}

void SampleMaker::resume() {
  for (const auto& queue : queues_) {
    queue->packets.resume();
    queue->count = 0;
  }
  ++calls_;
  has_begun_ = false;
}

Bytes SampleMaker::unread(std::size_t queue) const { return queues_[queue]->packets.unread(); }

/// The last operation waits for its turn, unless it belongs to the current queue.
std::uint64_t SampleMaker::made_until(std::size_t queue) const {
  const Reading& reading = *queues_[queue];
  const bool waits = std::ranges::count(heap_, queue, &Entry::queue) != 0;
  if (waits) return reading.operation.place;
  const Buffer& buffer = reading.queue.buffers.front();
  return buffer.place + buffer.data.size() - reading.packets.unread().size();
}

void SampleMaker::begin() {
  has_begun_ = true;
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (read_operation(*queues_[i])) push({trace_.has_times ? queues_[i]->count : i, i});
}

bool SampleMaker::read_operation(Reading& queue) {
  if (!queue.packets.next(queue.operation)) return false;
  queue.count = std::max(queue.count, queue.operation.timestamp);
  return true;
}

bool SampleMaker::next_before(std::uint64_t time, perf_format::Record& record,
                              const perf_format::Event*& event) {
  if (time != time_ || calls_ == 0) {
    time_ = time;
    limit_ = time == UINT64_MAX ? time : trace_.clock.count_of(time);
    ++calls_;
  }
  if (!has_begun_) begin();
  while (pending_ == 0) {
    if (current_ != nullptr)
      move_on();
    else if (!choose_queue())
      return false;
  }
  const auto made = static_cast<std::size_t>(std::countr_zero(pending_));
  pending_ &= pending_ - 1;
  write(made, *current_);
  event = &events_.list()[trace_.events[made]];
  record = {perf_format::kRecordSample,
            load<std::uint16_t>(bytes_.data() + 4, order_),
            Bytes(bytes_.data(), end_),
            {},
            current_->operation.place};
  return true;
}

/// Without times, queues are read one after the other at the end.
bool SampleMaker::choose_queue() {
  const bool is_end = limit_ == UINT64_MAX;
  if (heap_.empty() || (!is_end && (!trace_.has_times || heap_[0].count >= limit_))) return false;
  current_ = queues_[pop().queue].get();
  until_ = limit_;
  if (!heap_.empty() && trace_.has_times) until_ = std::min(heap_[0].count + 1, limit_);
  if (!has_contexts_) find_thread(*current_);
  take_operation(*current_);
  return true;
}

/// Reads the next operation of the current queue; stops if other queues are earlier.
void SampleMaker::move_on() {
  Reading& queue = *current_;
  if (!read_operation(queue)) {
    current_ = nullptr;
  } else if (trace_.has_times && queue.count >= until_) {
    current_ = nullptr;
    push({queue.count, queue.number});
  } else {
    take_operation(queue);
  }
}

void SampleMaker::switch_to(std::uint32_t cpu, std::int32_t tid) {
  if (!has_contexts_) running_[static_cast<std::int32_t>(cpu)] = tid;
}

/// A record of a switch between threads says which one runs on the CPU from now on.
void SampleMaker::follow_switch(const perf_format::Record& record) {
  const perf_format::Event* event = events_.of_other(record, order_);
  if (event == nullptr) return;
  const perf_format::Record bare = perf_format::without_trailer(record, event);
  const auto switched = perf_format::read_as<Record::Switch>(bare, order_);
  Record where;
  perf_format::read_identity(record.bytes.subspan(bare.bytes.size()), *event, order_, where);
  if (switched && switched->is_out && where.cpu) switch_to(*where.cpu, switched->other_tid);
}

void SampleMaker::follow(const perf_format::Record& record) {
  if (record.type == perf_format::kRecordSwitchCpuWide) follow_switch(record);
  if (record.type != perf_format::kRecordAux) return;
  const auto aux = perf_format::read_as<Record::Aux>(record, order_);
  has_snapshots_ |= aux && (aux->flags & perf_format::kAuxOverwritten) != 0;
}

void SampleMaker::find_thread(Reading& queue) {
  const auto running = running_.find(queue.queue.cpu);
  const bool is_known = queue.queue.cpu >= 0 && running != running_.end() && running->second != -1;
  queue.tid = is_known ? running->second : queue.queue.tid;
  queue.pid = process_of_(queue.tid);
}

void SampleMaker::take_operation(Reading& queue) {
  const Operation& operation = queue.operation;
  if (trace_.has_times && operation.context != Operation::kNoContext) {
    has_contexts_ = true;
    const auto tid = static_cast<std::int32_t>(operation.context);
    if (tid != queue.tid || queue.looked_up != calls_) queue.pid = process_of_(tid);
    queue.tid = tid;
    queue.looked_up = calls_;
  }
  if (++queue.skipped < trace_.options.period) return;
  queue.skipped = 0;
  pending_ = samples_of(operation);
  operation_time_ = trace_.clock.time_of(operation.timestamp);
  source_ = memory_source(operation, queue.cpu);
}

/// Returns the samples to make of an operation, as bits of kMadeEvents.
unsigned SampleMaker::samples_of(const Operation& operation) const {
  unsigned samples = 0;
  for (unsigned i = 0; i < kMadeCount; ++i) {
    const MadeEvent& made = kMadeEvents[i];
    const bool is_made = (operation.events & made.of_events) != 0 ||
                         (operation.is & made.of_kinds) != 0 || made.of_kinds == kAllKinds;
    samples |= unsigned{is_made} << i;
  }
  return samples & wanted_;
}

namespace {

// Types of branches, and flags of perf_branch_entry: include/uapi/linux/perf_event.h; tools use
// bit 33 for branches that were not taken.

enum BranchType : std::uint64_t {
  kUnknown = 0,
  kConditional = 1,
  kUnconditional = 2,
  kCall = 4,
  kReturn = 6,
  kConditionalCall = 9,
  kConditionalReturn = 10,
};

/// An indirect branch without link counts as a return.
std::uint64_t type_of(const Operation& operation) {
  const bool conditional = (operation.is & kIsConditional) != 0;
  if ((operation.is & kIsCall) != 0) return conditional ? kConditionalCall : kCall;
  if ((operation.is & (kIsReturn | kIsIndirect)) != 0)
    return conditional ? kConditionalReturn : kReturn;
  if (conditional) return kConditional;
  return (operation.is & kIsPlainBranch) != 0 ? kUnconditional : kUnknown;
}

std::uint64_t flags_of(const Operation& operation) {
  const auto flag = [&](std::uint64_t event, unsigned bit) {
    return std::uint64_t{(operation.events & event) != 0} << bit;
  };
  const bool is_missed = (operation.events & kMispredicted) != 0;
  const std::uint64_t cycles = std::min<std::uint64_t>(operation.latency, 0xffff);
  return (is_missed ? 1u : 2u) | flag(kTransactional, 2) | cycles << 4 | type_of(operation) << 20 |
         flag(kNotTaken, 33);
}

/// Returns perf's flags of a branch: arm_spe__sample_flags of tools/perf/util/arm-spe.c.
std::uint32_t branch_flags_of(const Operation& operation) {
  if ((operation.is & kIsBranch) == 0) return 0;
  std::uint32_t flags = perf_format::kFlagBranch;
  if ((operation.events & kMispredicted) != 0) flags |= perf_format::kFlagMiss;
  if ((operation.events & kNotTaken) != 0) flags |= perf_format::kFlagNotTaken;
  if ((operation.events & kTransactional) != 0) flags |= perf_format::kFlagInTransaction;
  if ((operation.is & kIsConditional) != 0) flags |= perf_format::kFlagConditional;
  if ((operation.is & kIsCall) != 0)
    flags |= perf_format::kFlagCall;
  else if ((operation.is & (kIsReturn | kIsIndirect)) != 0)
    flags |= perf_format::kFlagReturn;
  return flags;
}

// arm_spe__synth_simd_flags of tools/perf/util/arm-spe.c.
perf_format::Simd simd_of(const Operation& operation) {
  using enum perf_format::Simd::Set;
  const bool is_sve = (operation.is & kIsSve) != 0;
  perf_format::Simd simd{is_sve                         ? sve
                         : (operation.is & kIsSme) != 0 ? sme
                         : (operation.is & kIsAse) != 0 ? ase
                                                        : none,
                         perf_format::Simd::Lanes::unknown};
  if (is_sve && (operation.is & kIsPredicated) == 0)
    simd.lanes = perf_format::Simd::Lanes::not_predicated;
  else if ((operation.events & kPartialPredicate) != 0)
    simd.lanes = perf_format::Simd::Lanes::some;
  else if ((operation.events & kEmptyPredicate) != 0)
    simd.lanes = perf_format::Simd::Lanes::none;
  else if (is_sve)
    simd.lanes = perf_format::Simd::Lanes::all;
  return simd;
}

}  // namespace

/// Writes a number at end_.
template <class T>
void SampleMaker::put(T value) {
  if (order_ != std::endian::native) value = byte_swap(value);
  std::memcpy(end_, &value, sizeof value);
  end_ += sizeof value;
}

/// Writes the branch itself, and the target of the branch before it.
void SampleMaker::write_branches(const Operation& operation) {
  const bool is_branch = (operation.is & kIsBranch) != 0;
  const bool has_previous =
      trace_.options.branch_stack > std::uint64_t{is_branch} && operation.previous_target != 0;
  put<std::uint64_t>(std::uint64_t{is_branch} + std::uint64_t{has_previous});
  put<std::uint64_t>(UINT64_MAX);  // never a place in a buffer of the hardware
  if (is_branch)
    for (const std::uint64_t word : {operation.pc, operation.target, flags_of(operation)})
      put(word);
  if (has_previous)
    for (const std::uint64_t word : {std::uint64_t{0}, operation.previous_target, std::uint64_t{0}})
      put(word);
}

// The layout comment of PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.
void SampleMaker::write(std::size_t made, const Reading& queue) {
  const perf_format::Event& event = events_.list()[trace_.events[made]];
  const Operation& operation = queue.operation;
  const TraceKind kind = kMadeEvents[made].kind;
  const bool is_branch = kind == TraceKind::branches;
  const bool is_instruction = kind == TraceKind::instructions;
  const auto samples = [&](perf_format::SampleBit bit) { return event.attr.samples(bit); };
  end_ = bytes_.data() + perf_format::kRecordHeader;
  const std::uint64_t id = event.ids.front();
  if (samples(perf_format::kSampleIdentifier)) put(id);
  put(operation.pc);
  put(static_cast<std::uint32_t>(queue.pid));
  put(static_cast<std::uint32_t>(queue.tid));
  if (samples(perf_format::kSampleTime)) put(operation_time_);
  put(is_branch || is_instruction ? operation.target : operation.data);
  if (samples(perf_format::kSampleId)) put(id);
  if (samples(perf_format::kSampleStreamId)) put(id);
  if (samples(perf_format::kSampleCpu)) {
    put(static_cast<std::uint32_t>(queue.queue.cpu));
    put(std::uint32_t{0});
  }
  put(trace_.options.period);
  if (samples(perf_format::kSampleBranchStack)) {
    if (is_branch || is_instruction)
      write_branches(operation);
    else
      put(std::uint64_t{0}), put(std::uint64_t{UINT64_MAX});
  }
  put(std::uint64_t{operation.latency});
  put(is_branch ? 0 : source_);
  put(is_branch ? 0 : operation.physical);
  const perf_format::Simd simd = simd_of(operation);
  put(is_branch || is_instruction ? branch_flags_of(operation) : std::uint32_t{0});
  put(static_cast<std::uint8_t>(simd.set));
  put(static_cast<std::uint8_t>(simd.lanes));
  put(std::uint16_t{0});
  const std::uint8_t* const end = std::exchange(end_, bytes_.data());
  put(static_cast<std::uint32_t>(perf_format::kRecordSample));
  put(operation.pc >> 63 != 0 ? perf_format::kCpuModeKernel : perf_format::kCpuModeUser);
  put(static_cast<std::uint16_t>(end - bytes_.data()));
  end_ = bytes_.data() + (end - bytes_.data());
}

std::vector<SampleMaker::Fault> SampleMaker::faults() const {
  std::vector<Fault> list;
  for (const auto& queue : queues_) {
    const PacketReader::Faults& faults = queue->packets.faults();
    if (faults.bytes + faults.operations == 0) continue;
    // A snapshot may begin inside an operation.
    if (has_snapshots_ && faults.operations <= queue->queue.buffers.size()) continue;
    list.push_back(
        {faults.first, fmt::format("SPE's data have {}, and {} left out",
                                   counted(faults.bytes, "byte that is not a packet",
                                           "bytes that are not packets"),
                                   counted(faults.operations, "operation is", "operations are"))});
  }
  return list;
}

}  // namespace evname::spe
