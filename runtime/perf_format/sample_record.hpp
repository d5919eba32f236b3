#pragma once
// SAMPLE records, and records of lost samples.
// Source: the layout comment of PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.

#include <array>
#include <cstdint>
#include <optional>

#include "perf_format/recorded_events.hpp"

namespace evname::perf_format {

/// Bits of SampleParts::flags: PERF_IP_FLAG_* of tools/perf/util/event.h.
enum BranchFlag : std::uint32_t {
  kFlagBranch = 1u << 0,
  kFlagCall = 1u << 1,
  kFlagReturn = 1u << 2,
  kFlagConditional = 1u << 3,
  kFlagInTransaction = 1u << 10,
  kFlagMiss = 1u << 15,
  kFlagNotTaken = 1u << 16,
};

/// The vector instructions of an operation, and which of their lanes are active: enum
/// simd_op_flags and simd_pred_flags of tools/perf/util/sample.h.
struct Simd {
  enum class Set : std::uint8_t { none, sve, sme, ase };
  enum class Lanes : std::uint8_t { unknown, some, none, all, not_predicated };
  Set set = Set::none;
  Lanes lanes = Lanes::unknown;
};

/// Why a thread was off its CPU.
enum class OffCpu : std::uint8_t {
  unknown,
  sleeping,         ///< until it is woken
  uninterruptible,  ///< the same, not even by a signal: mostly for a disk
  stopped,
  traced,
  parked,
  idle,       ///< a thread of the kernel that has nothing to do
  runnable,   ///< it waits for a CPU
  preempted,  ///< the same, while it ran in the kernel
  blocked,    ///< sleeping or uninterruptible
};

/// The parts of a sample that vary in length, and those after them. Spans are views into the
/// record, in its byte order.
struct SampleParts {
  Bytes read;       ///< the read_format values
  Bytes callchain;  ///< u64 each
  Bytes raw;
  Bytes branches;         ///< u64 from, to, flags each
  Bytes branch_counters;  ///< u64 for each branch: what the group's events counted in it
  std::uint64_t branch_hw_index = 0;
  std::uint64_t user_abi = 0, interrupt_abi = 0;
  Bytes user_registers, interrupt_registers;  ///< u64 each, lowest bit of the attr's mask first
  Bytes stack;                                ///< only the bytes that hold data
  std::uint64_t weight = 0, data_src = 0, transaction = 0, phys_addr = 0, cgroup = 0;
  std::uint64_t data_page_size = 0, code_page_size = 0;
  std::uint32_t ins_lat = 0, retire_lat = 0;
  Bytes aux;
  ///@{
  /// Only of samples made from trace data; recorded samples have no place for these.
  std::uint32_t flags = 0;  ///< BranchFlag
  Simd simd;
  ///@}
  OffCpu off_cpu = OffCpu::unknown;  ///< of a sample that session::Waits made
  std::size_t unread = 0;            ///< bytes of the record after the last part
};

/// A SAMPLE record and its fields. Fields that the event does not sample have perf's default, all
/// ones in the fixed part.
struct SampleRecord : SampleParts {
  Record record;
  const Event* event = nullptr;
  bool has_parts = false;  ///< SampleParts are not all empty
  std::uint64_t id = UINT64_MAX;
  std::uint64_t ip = UINT64_MAX;
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::uint64_t time = UINT64_MAX;  ///< ns of the recording's clock
  std::uint64_t addr = UINT64_MAX;
  std::uint32_t cpu = UINT32_MAX;
  std::uint64_t period = 0;  ///< attr.sample_period if the event does not sample it

  /// Makes the record and all views refer to a copy of the record's bytes.
  void move_to(const std::uint8_t* copy);
};

/// Returns true if the time of an event's sample says when it was taken. Samples that `perf record
/// --off-cpu` makes when it ends have times from OFF_CPU_TIMESTAMP on (tools/perf/util/off_cpu.h).
inline bool is_time(const Event& event, std::uint64_t time) {
  constexpr std::uint64_t kAtEnd = ~std::uint64_t{0} << 32;
  return !event.has_durations || time < kAtEnd;
}
inline bool has_time(const SampleRecord& sample) {
  return sample.event->attr.samples(kSampleTime) && is_time(*sample.event, sample.time);
}

/// Reads all fields of sample.record. The sample of a thread off its CPU (Event::off_cpu) has its
/// fields in its raw data; they become ordinary fields. Returns nullptr, or which part does not fit
/// the record.
const char* parse_sample(const Event& event, std::endian order, SampleRecord& sample);

/// Reads pid and tid alone, and leaves the other fields as they are. Returns false if the record is
/// too short for the event's fixed part.
bool parse_thread(const Event& event, std::endian order, SampleRecord& sample);

/// Returns true if samples have anything after their fixed part.
bool has_sample_tail(const Attr& attr);

// A record that is longer than its contents may hide others: its size is damaged.

/// Returns true if that many bytes after the last part of a sample are too many.
bool is_too_long(const Event& event, std::size_t unread);

/// Returns true if a record other than a sample is too long; it must have a known size or end with
/// a name.
bool is_too_long(const Record& record, const Events& events, std::endian order);

/// Returns true if the name at the end of a record is longer than any that is read.
bool has_long_name(const Record& record);

/// Samples that are missing.
struct Loss {
  /// Who counted the lost samples.
  enum class By : std::uint8_t {
    buffer,    ///< LOST: no room in a buffer; `event` is the one that was written next
    hardware,  ///< LOST_SAMPLES of the kernel, as they happen
    event,     ///< LOST_SAMPLES that perf writes when it ends: no room in a buffer, by event
  };

  const Event* event = nullptr;  ///< nullptr if the record does not name it
  std::uint64_t lost = 0;        ///< number of samples
  By by = By::buffer;            ///< of `lost`
  std::uint64_t throttled = 0;   ///< number of times that the event was throttled
  std::uint64_t switches = 0;    ///< 1 if a thread was switched out
  std::optional<std::uint64_t> time = {};
};

/// Adds up the lost samples of a recording. Since Linux 6.0 the kernel also counts by event what
/// found no room (PERF_FORMAT_LOST), and perf writes these counts when it ends: samples that LOST
/// records have counted already. Of the two the larger one counts, as LOST lacks losses at the end
/// and a perf that was killed wrote no counts by event.
class LostSamples {
 public:
  explicit LostSamples(const Events& events);

  void add(const Loss& loss);
  /// Adds the losses of another part of the same recording.
  LostSamples& operator+=(const LostSamples& other);

  std::uint64_t all() const;
  std::uint64_t of_event(std::size_t index) const;

 private:
  using Sums = std::array<std::uint64_t, 3>;  // by Loss::By
  std::uint64_t chosen(const Sums& sums) const;

  const Events* events_;
  bool is_counted_twice_;  ///< by buffer and by event
  Sums all_ = {};
  std::vector<Sums> of_events_;  ///< in the order of the events
};

/// Returns the loss that a LOST, LOST_SAMPLES or THROTTLE record reports, and none for others.
/// Samples that a BPF program left out on purpose are not lost.
Loss loss_of(const Record& record, const Events& events, std::endian order);

}  // namespace evname::perf_format
