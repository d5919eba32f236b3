#pragma once
// SAMPLE records, and those that tell of samples which are not there.
// Source: the layout comment of PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.

#include <cstdint>
#include <optional>

#include "recordings/format/recorded_events.hpp"

namespace evname::perfdata {
inline namespace format {

/// What every consumer wants of a sample. Absent fields have perf's default, all ones; event's
/// sample_type says what is there.
struct SampleCore {
  std::uint64_t id = UINT64_MAX;
  std::uint64_t ip = UINT64_MAX;
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::uint64_t time = UINT64_MAX;  ///< ns of the recording's clock
  std::uint64_t addr = UINT64_MAX;
  std::uint32_t cpu = UINT32_MAX;
  std::uint64_t period = 0;  ///< attr.sample_period where the sample has none
};

/// The parts of variable length and what follows them. Views into the record, in its byte order.
struct SampleTail {
  Bytes read;       ///< the read_format values
  Bytes callchain;  ///< u64 each
  Bytes raw;
  Bytes branches;         ///< u64 from, to, flags each
  Bytes branch_counters;  ///< u64 for each branch: what the group's events counted in it
  std::uint64_t branch_hw_index = 0;
  std::uint64_t regs_user_abi = 0, regs_intr_abi = 0;
  Bytes regs_user, regs_intr;  ///< u64 each, lowest bit of the attr's mask first
  Bytes stack;                 ///< only the bytes that hold data
  std::uint64_t weight = 0, data_src = 0, transaction = 0, phys_addr = 0, cgroup = 0;
  std::uint64_t data_page_size = 0, code_page_size = 0;
  Bytes aux;
  std::size_t unread = 0;  ///< bytes of the record after the last part
};

/// False if the record is too short for the event's fixed part.
bool parse_core(const Record& record, const Event& event, std::endian order, SampleCore& sample);

/// The same of its pid and tid alone; the rest of `sample` is left as it is.
bool parse_thread(const Record& record, const Event& event, std::endian order, SampleCore& sample);

/// Do samples have anything after their fixed part?
bool has_sample_tail(const Attr& attr);

/// nullptr, or which part does not fit the record.
const char* parse_tail(const Record& record, const Event& event, std::endian order,
                       SampleTail& tail);

/// The whole of a sample: its core and, where has_tail says so, its tail. What the recorder itself
/// measured while a thread was off its CPU (Event::off_cpu) is in its raw data, and is put where
/// other samples have it. nullptr, or which part does not fit the record.
const char* parse_sample(const Record& record, const Event& event, std::endian order,
                         SampleCore& sample, SampleTail& tail);

// A record that is longer than what is in it may hide others: a damaged size.

/// Of a sample, by the bytes after its last part.
bool is_too_long(const Event& event, std::size_t unread);

/// Of another record. Only those of a known size, or that end with a name, can be told.
bool is_too_long(const Record& record, const Events& events, std::endian order);

struct Loss {
  const Event* event = nullptr;  ///< nullptr: it is not told which
  std::uint64_t lost = 0;        ///< samples
  std::uint64_t throttled = 0;   ///< times
  /// When; nullopt: it is not told.
  std::optional<std::uint64_t> time = {};
};

/// What LOST, LOST_SAMPLES and THROTTLE tell; nothing of others. What a BPF program left out of
/// choice is not lost.
Loss loss_of(const Record& record, const Events& events, std::endian order);

}  // namespace format
}  // namespace evname::perfdata
