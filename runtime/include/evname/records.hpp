#pragma once
// The records of a recording: which thread started, what a process mapped, how many samples were
// lost. SampleRange::next_record() returns them beside samples.
// Layouts: PERF_RECORD_* of include/uapi/linux/perf_event.h; from AUXTRACE_INFO on
// tools/lib/perf/include/perf/event.h of Linux.

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "evname/error.hpp"

namespace evname {

class Sample;
struct RecordedEvent;

/// A view of 64-bit numbers in a record. Each is converted from the recorder's byte order when it
/// is read.
class SampleWords {
 public:
  /// Makes an empty view.
  SampleWords() = default;
  /// Makes a view of `bytes`, eight per number; `swapped` if they have the other byte order.
  SampleWords(std::span<const std::uint8_t> bytes, bool swapped)
      : bytes_(bytes), swapped_(swapped) {}
  /// Returns the number of numbers.
  std::size_t size() const { return bytes_.size() / 8; }
  /// Returns true if there are none.
  bool empty() const { return size() == 0; }
  /// Returns a number; `index` must be less than size().
  std::uint64_t operator[](std::size_t index) const {
    std::uint64_t value;
    std::memcpy(&value, bytes_.data() + index * 8, 8);
    return swapped_ ? __builtin_bswap64(value) : value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool swapped_ = false;
};

/// A record. It and the views in it are valid until the next call of SampleRange::next_record().
/// Times are in ns of the recording's clock, addresses and sizes in bytes.
struct Record {
  using Bytes = std::span<const std::uint8_t>;  ///< a view of bytes

  /// MMAP and MMAP2: a file, or other memory, was mapped.
  struct Map {
    ///@{
    /// The process and the thread; pid -1 or 0, with a `misc` of the kernel: a part of the kernel.
    std::int32_t pid = -1, tid = -1;
    ///@}
    std::uint64_t start = 0;   ///< address of the first byte
    std::uint64_t size = 0;    ///< of the mapping
    std::uint64_t offset = 0;  ///< of the first byte in the file; see Mapping::offset
    ///@{
    /// Of MMAP2 without a build id: the device of the file, its inode and the inode's generation.
    std::uint32_t device_major = 0, device_minor = 0;
    std::uint64_t inode = 0, generation = 0;
    ///@}
    ///@{
    /// PROT_* and MAP_* of mmap(). An MMAP has no flags, and its protection is PROT_EXEC, or 0 if
    /// it is data.
    std::uint32_t protection = 0, flags = 0;
    ///@}
    bool is_data = false;   ///< it was mapped without PROT_EXEC
    Bytes build_id = {};    ///< of MMAP2: of the file; empty: not recorded
    std::string_view file;  ///< path, or a name as "[vdso]" and "//anon"
  };
  /// LOST: records found no room in the buffer.
  struct Lost {
    std::uint64_t id = 0;    ///< RecordedEvent::ids has it
    std::uint64_t lost = 0;  ///< number of records
  };
  /// COMM: a thread got a name.
  struct Comm {
    ///@{
    /// The process and the thread.
    std::int32_t pid = -1, tid = -1;
    ///@}
    bool is_exec = false;   ///< by exec()
    std::string_view name;  ///< the new name
  };
  /// FORK and EXIT: a thread began or ended.
  struct Task {
    ///@{
    /// The process and the thread.
    std::int32_t pid = -1, tid = -1;
    ///@}
    ///@{
    /// The process and the thread that made it.
    std::int32_t parent_pid = -1, parent_tid = -1;
    ///@}
    bool is_exec = false;    ///< of a FORK: perf made it, and an exec() follows
    std::uint64_t time = 0;  ///< 0: long ago
  };
  /// THROTTLE and UNTHROTTLE: the kernel stopped or resumed an event that came too often.
  struct Throttle {
    std::uint64_t time = 0;       ///< of the record
    std::uint64_t id = 0;         ///< RecordedEvent::ids has it
    std::uint64_t stream_id = 0;  ///< of the counter; differs from `id` if it was inherited
  };
  /// READ: the value of a counter of a thread that ended.
  struct Read {
    ///@{
    /// The process and the thread.
    std::int32_t pid = -1, tid = -1;
    ///@}
    SampleWords values;  ///< as Attr::read_format lists them
  };
  /// AUX: a trace got more data.
  struct Aux {
    std::uint64_t offset = 0;  ///< in the trace
    std::uint64_t size = 0;    ///< of the data
    std::uint64_t flags = 0;   ///< PERF_AUX_FLAG_*
  };
  /// ITRACE_START: a trace began.
  struct ItraceStart {
    ///@{
    /// The process and the thread.
    std::int32_t pid = -1, tid = -1;
    ///@}
  };
  /// LOST_SAMPLES: samples found no room.
  struct LostSamples {
    std::uint64_t lost = 0;  ///< number of samples
    bool by_bpf = false;     ///< a BPF program left them out on purpose
  };
  /// SWITCH and SWITCH_CPU_WIDE: a CPU began or ended to run a thread, which is Record::tid.
  struct Switch {
    bool is_out = false;        ///< it ended
    bool is_preempted = false;  ///< the thread could have gone on
    ///@{
    /// Of SWITCH_CPU_WIDE: the process and thread that the CPU ran before or runs next; -1:
    /// unknown.
    std::int32_t other_pid = -1, other_tid = -1;
    ///@}
  };
  /// NAMESPACES: the namespaces of a thread.
  struct Namespaces {
    ///@{
    /// The process and the thread.
    std::int32_t pid = -1, tid = -1;
    ///@}
    SampleWords links;  ///< device and inode of each: net, uts, ipc, pid, user, mnt, cgroup
  };
  /// KSYMBOL: the kernel got a function at run time, or lost it.
  struct Ksymbol {
    std::uint64_t address = 0;  ///< of the function
    std::uint32_t size = 0;     ///< of the function
    std::uint16_t kind = 0;     ///< PERF_RECORD_KSYMBOL_TYPE_*: 1 BPF, 2 out of line
    std::uint16_t flags = 0;    ///< as recorded
    bool is_gone = false;       ///< it was removed
    std::string_view name;      ///< of the function
  };
  /// BPF_EVENT: a BPF program was loaded or removed.
  struct BpfEvent {
    std::uint16_t kind = 0;   ///< PERF_BPF_EVENT_*: 1 loaded, 2 removed
    std::uint16_t flags = 0;  ///< as recorded
    std::uint32_t id = 0;     ///< of the program
    std::uint64_t tag = 0;    ///< of the program, as bpftool prints it in hexadecimal
  };
  /// CGROUP: the path of a cgroup.
  struct Cgroup {
    std::uint64_t id = 0;   ///< Sample::cgroup() has it
    std::string_view path;  ///< below the root of cgroups
  };
  /// TEXT_POKE: the kernel changed its code.
  struct TextPoke {
    std::uint64_t address = 0;  ///< of the first byte
    ///@{
    /// The bytes before and after; `old_bytes` empty: there was no code.
    Bytes old_bytes = {}, new_bytes = {};
    ///@}
  };
  /// AUX_OUTPUT_HW_ID: the number that an event has in a trace.
  struct AuxOutputHwId {
    std::uint64_t hw_id = 0;  ///< as the hardware writes it
  };
  /// CALLCHAIN_DEFERRED: the part of user space of an earlier sample's callchain, which the samples
  /// of SampleRange already have.
  struct CallchainDeferred {
    std::uint64_t cookie = 0;  ///< the word after PERF_CONTEXT_USER_DEFERRED in that callchain
    SampleWords callchain;     ///< the other words
  };
  /// AUXTRACE_INFO: the hardware of a trace.
  struct AuxtraceInfo {
    std::uint32_t kind = 0;  ///< PERF_AUXTRACE_*: 1 Intel PT, 3 CoreSight, 4 SPE, …
    SampleWords words;       ///< what decoders need, by kind
  };
  /// AUXTRACE: data of a trace.
  struct Auxtrace {
    std::uint64_t size = 0;       ///< of the data
    std::uint64_t offset = 0;     ///< in the trace
    std::uint64_t reference = 0;  ///< the same for pieces that were written at once
    std::uint32_t index = 0;      ///< of the buffer
    std::int32_t tid = -1;        ///< the traced thread; -1: a CPU is traced
    std::int32_t cpu = -1;        ///< the traced CPU; -1: a thread is traced
    Bytes data = {};              ///< shorter than `size` in a pipe that is still read
  };
  /// AUXTRACE_ERROR: a trace that perf could not decode.
  struct AuxtraceError {
    std::uint32_t kind = 0;  ///< PERF_AUXTRACE_ERROR_*
    std::uint32_t code = 0;  ///< of the decoder
    ///@{
    /// Where it is; -1: unknown.
    std::int32_t cpu = -1, pid = -1, tid = -1;
    ///@}
    std::uint64_t address = 0;  ///< of the instruction
    std::uint64_t time = 0;     ///< 0: unknown
    std::string_view message;   ///< of the decoder
  };
  /// BUILD_ID: the build id of a file.
  struct BuildId {
    std::int32_t pid = -1;  ///< -1: a file that all processes share
    Bytes build_id = {};    ///< of the file
    std::string_view file;  ///< its path
  };
  /// Any other record, one of an unknown type, or one that is too short for its type.
  struct Other {
    Bytes bytes;  ///< after the header and before the identity
  };

  /// The contents of a record; a sample is valid as long as the record.
  using Content = std::variant<Other, const Sample*, Map, Lost, Comm, Task, Throttle, Read, Aux,
                               ItraceStart, LostSamples, Switch, Namespaces, Ksymbol, BpfEvent,
                               Cgroup, TextPoke, AuxOutputHwId, CallchainDeferred, AuxtraceInfo,
                               Auxtrace, AuxtraceError, BuildId>;

  std::uint32_t type = 0;                ///< PERF_RECORD_*; record_name() names it
  std::uint16_t misc = 0;                ///< PERF_RECORD_MISC_*
  std::uint64_t offset = 0;              ///< in the file or in unpacked records, for messages
  const RecordedEvent* event = nullptr;  ///< that it was recorded for; nullptr: unknown
  ///@{
  /// Its identity: where and when the kernel wrote it. Records other than samples have it by
  /// sample_id_all, as far as their event samples the field.
  std::optional<std::int32_t> pid = {}, tid = {};
  std::optional<std::uint64_t> time = {}, id = {};
  std::optional<std::uint32_t> cpu = {};
  ///@}
  Content content = {};  ///< of its type

  /// Returns the content if it is of this kind, else nullptr: `record.as<Record::Comm>()`.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&content);
  }
  /// Returns the sample; nullptr if it is another record.
  const Sample* sample() const {
    const auto* const found = std::get_if<const Sample*>(&content);
    return found ? *found : nullptr;
  }
};

/// The value of a tracepoint's field: a signed or an unsigned number (an address is unsigned), a
/// text, or the numbers of an array, each with its sign.
using TraceValue =
    std::variant<std::int64_t, std::uint64_t, std::string_view, std::vector<std::int64_t>>;

}  // namespace evname
