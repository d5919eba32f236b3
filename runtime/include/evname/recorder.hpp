#pragma once
// Records samples of events on the machine that this program runs on, as a perf.data file that perf
// and other readers of its files accept.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/counters.hpp"
#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"

namespace evname {

/// How the callers of a sample are recorded.
enum class CallChains : std::uint8_t {
  none,            ///< callers are not recorded
  frame_pointers,  ///< the kernel follows frame pointers
  stack_copies,    ///< a copy of the stack; readers find the callers in it by unwind tables
  branch_records,  ///< the CPU's own record of calls (LBR)
};

/// Parses the words of `perf record -j` ("any,u"), ignoring case, to Sampling::branches. If no
/// word names a type of branch, all types are recorded. Errors: invalid_argument for an unknown
/// word.
[[nodiscard]] EVNAME_API Result<std::uint64_t> parse_branch_types(std::string_view words);

/// Returns how many samples of an event the kernel permits in a second
/// (kernel.perf_event_max_sample_rate), or 0 if that can't be read. The kernel lowers it when
/// sampling takes too much time.
EVNAME_API std::uint64_t highest_frequency(const Roots& roots = {});

/// How often events are sampled, and the contents of their samples.
struct Sampling {
  ///@{
  /// A sample is taken every `period` events; else `frequency` times a second; else as the event
  /// itself suggests (Encoding::period); else 4,000 times a second. A frequency above
  /// highest_frequency() is lowered to it, with a warning.
  std::uint64_t period = 0;
  std::uint64_t frequency = 0;
  ///@}
  /// Names of numbers and lists of Sample in addition to ip, pid, tid and time, "raw" for its
  /// bytes, separated by commas: "cpu,addr,data_src,weight".
  std::string fields = {};
  CallChains chains = CallChains::none;  ///< how callers are sampled
  std::uint32_t stack_size = 8192;       ///< bytes of each copy of a stack, a multiple of 8
  std::uint16_t max_stack = 0;           ///< maximum number of callers; 0: the kernel's limit
  bool user_chains = true;               ///< callers in user space are sampled
  bool kernel_chains = true;             ///< callers in the kernel are sampled
  std::uint64_t branches =
      0;  ///< perf_format::BranchBit: samples branches of these types, if not 0
};

/// How sampled events are opened.
struct SamplingSetup {
  bool enable_on_exec = false;  ///< start when the thread executes a program; on CPUs, in open()
  bool data_mappings = false;   ///< follow mappings that are not executable, too
  /// Pages of each buffer, a power of 2; 0: 512 KiB, or as much as the kernel permits. There is one
  /// for each CPU, or for each thread with RecordOptions::per_thread and in a Sampler without
  /// `inherit` whose target is threads.
  std::size_t buffer_pages = 0;
  /// Pages of each area for a trace (arm_spe_0//, intel_pt//), a power of 2; 0: 4 MiB for root, or
  /// if kernel.perf_event_paranoid is negative, else 128 KiB.
  std::size_t trace_pages = 0;
  /// Sample only user space if the kernel may not be sampled, as perf does.
  bool user_space_if_refused = true;
  Roots roots = {};  ///< where to look up the machine
};

/// The records of what exists before sampling, apart from the kernel and its modules.
struct ExistingRecords {
  bool processes = true;  ///< their threads and names
  bool mappings = true;   ///< of these processes
  bool cgroups = true;    ///< with RecordOptions::cgroups
};

/// Options of a Recorder.
struct RecordOptions {
  Sampling sampling = {};         ///< of all events
  SamplingSetup setup = {};       ///< how they are opened
  bool inherit = true;            ///< also sample threads and processes that are created later
  bool per_thread = false;        ///< a buffer for each thread of the target, not for each CPU
  bool switches = false;          ///< record context switches
  bool namespaces = false;        ///< record namespaces of processes
  bool cgroups = false;           ///< record cgroups, and the cgroup of each sample
  bool bpf_programs = true;       ///< record BPF programs and other symbols that the kernel adds
  bool running_time = false;      ///< counts (`:S`) have the time that their event had a counter
  bool thread_counts = false;     ///< record the counts of each thread when it ends
  bool samples = true;            ///< false: record mappings, names and counts alone
  bool as_stream = false;         ///< write a file, too, as a stream for a pipe
  ExistingRecords existing = {};  ///< what is written of threads that already run
  /// Record mappings and names from begin() on, not only from enable() on, for a late start. This
  /// is always so if CPUs are sampled.
  bool early_mappings = false;
  /// The filter of each event, by fields of a tracepoint: "prev_pid == 1"; "" or past the end:
  /// none.
  std::vector<std::string> filters;
  /// The clock of the samples' times (CLOCK_MONOTONIC, …); nullopt: the kernel's own.
  std::optional<int> clock;
  /// Traces are written over and over into their areas, and only snapshot() records them.
  bool snapshots = false;
  /// Most bytes of each area that snapshot() records, the newest; 0: the whole area. An area whose
  /// size is not given is as large as needed.
  std::size_t snapshot_size = 0;
  int compression = 0;         ///< level of zstd; 0: none
  std::uint64_t max_size = 0;  ///< stop once the file has so many bytes; 0: no limit
  int wake_file = -1;  ///< drain() does not wait while this descriptor is readable; -1: none
  /// Leave out events that this machine can't sample, with a warning, instead of failing. It fails
  /// if no event is left.
  bool partial = false;
  std::vector<std::string> command_line;  ///< kept in the file
};

/// The progress of a recorder.
struct RecordTally {
  std::uint64_t bytes = 0;    ///< written into the file of begin() or switch_to()
  std::uint64_t samples = 0;  ///< recorded
  std::uint64_t lost = 0;     ///< records that found no room in a buffer, as the kernel reports
  std::uint64_t dropped = 0;  ///< buffers with invalid contents, which are left out
  std::uint64_t traced = 0;   ///< bytes of traces
  std::uint64_t truncated =
      0;  ///< pieces of traces that were cut for lack of room, as the kernel reports
};

/// Records samples of events into a file. Nothing is sampled before enable(), or before the
/// execution of a program if SamplingSetup::enable_on_exec is set.
///
/// Views that it returns are valid until it is changed. File descriptors are close-on-exec. Not
/// thread-safe: one thread at a time.
class EVNAME_API Recorder {
 public:
  /// Opens the events of one resolve(). The message of an error names the event and says why it
  /// can't be sampled; Error::hint proposes a remedy. Errors: unsupported, io and not_found as from
  /// Counters::open(); invalid_argument for a filter that the kernel refuses, and for more filters
  /// than events.
  [[nodiscard]] static Result<Recorder> open(const Machine& machine,
                                             std::span<const Encoding> events,
                                             const CountTarget& target = {},
                                             const RecordOptions& options = {});

  ///@{
  /// Moved-from recorders may only be assigned to or destroyed.
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ///@}
  /// Closes the events. A file that was not finished keeps its samples but lacks the features.
  ~Recorder();

  /// Returns the events as they were opened, with the modifiers that the kernel made necessary.
  std::span<const Encoding> events() const;
  /// Returns a sentence for each refusal of the kernel, with its replacement. drain() and finish()
  /// add one for each CPU that goes offline.
  std::span<const std::string> warnings() const;

  /// Begins the output: a file, or a stream for a pipe if `fd` can't be sought or as_stream is set.
  /// Writes the header and the processes that run already. `fd` stays the caller's. Errors: io.
  [[nodiscard]] Result<void> begin(int fd);

  /// Starts all events. Errors: io.
  [[nodiscard]] Result<void> enable();
  /// Stops all events. Errors: io.
  [[nodiscard]] Result<void> disable();

  ///@{
  /// Starts or stops one of events(). Errors: io; invalid_argument if there is no event with this
  /// index.
  [[nodiscard]] Result<void> enable(std::size_t event);
  [[nodiscard]] Result<void> disable(std::size_t event);
  ///@}

  /// Stops the events with a trace, writes the contents of their areas, and goes on. Errors: io;
  /// invalid_argument without RecordOptions::snapshots.
  [[nodiscard]] Result<void> snapshot();

  /// Waits until a buffer is half full, a sampled thread ends or the time is over, and writes the
  /// contents of the buffers. Returns false if RecordOptions::max_size is reached. Errors: io.
  [[nodiscard]] Result<bool> drain(unsigned milliseconds);

  /// Returns true if drain() has found that all sampled threads have ended, or execute a program
  /// that may not be sampled.
  bool has_ended() const;

  /// Completes the file, and goes on in another one, which also describes the processes that run by
  /// then. Errors: io.
  [[nodiscard]] Result<void> switch_to(int fd);

  /// Writes the rest of the buffers and the facts about the machine, and completes the header.
  /// Errors: io.
  [[nodiscard]] Result<void> finish();

  /// Returns what has been recorded so far.
  const RecordTally& tally() const;

 private:
  struct EVNAME_HIDDEN State;
  EVNAME_HIDDEN explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace evname
