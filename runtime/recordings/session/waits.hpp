#pragma once
// Makes waits of context switches: samples of threads that go off their CPU, with the time until
// they come back as period.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/error.hpp"
#include "perf_format/sample_record.hpp"

namespace evname::session {

/// Returns why a thread was off its CPU, as /proc/PID/status has states: "S (sleeping)"; empty for
/// OffCpu::unknown.
std::string_view off_cpu_text(perf_format::OffCpu why);

/// Pairs the switches of each thread. A sample of sched:sched_switch, or of context-switches,
/// begins a wait. The sched:sched_switch sample that switches back to the thread ends it, or else
/// the thread's SWITCH record. Takes the records in order of time, and keeps one sample for each
/// thread.
class Waits {
 public:
  /// A thread, and the sample that began its last wait.
  struct Thread {
    std::vector<std::uint8_t> record = {};  ///< of the sample
    std::uint64_t offset = 0;               ///< of the record
    std::uint32_t event = 0;                ///< of Events
    std::uint64_t begin = 0, end = 0;       ///< of the wait, in ns
    perf_format::OffCpu why = perf_format::OffCpu::unknown;
    bool is_out = false;      ///< it waits
    bool is_young = false;    ///< it has not run yet, and begins without a wait
    bool has_exited = false;  ///< what it does now is no wait
  };

  /// `events` outlives the object.
  Waits(const perf_format::Events& events, std::endian order);

  /// Returns not_found if the samples of no event say how long a thread waited.
  static Result<void> check(const perf_format::Events& events);

  /// Takes a sample. Returns the thread whose wait it ends, valid until the next call; nullptr:
  /// none.
  const Thread* add(const perf_format::SampleRecord& sample);
  /// Takes a record other than a sample, whose trailer is as in `event`. Returns the same.
  const Thread* add(const perf_format::Record& record, Bytes trailer,
                    const perf_format::Event* event);
  /// Drops the waits at hand if samples were lost, which may have ended them.
  void lose(const perf_format::Loss& loss);
  /// Returns a thread that waits at the end, the one that has waited longest first, and whose wait
  /// ends with the last sample; nullptr: there is none left.
  const Thread* next_open();
  /// Leaves out the waits that next_open() would return.
  void stop() { open_.emplace(); }

  /// Returns sentences about the waits that are missing, and those that had not ended. `lost`: the
  /// number of all lost samples.
  std::vector<std::string> notes(std::uint64_t lost) const;

 private:
  /// How the samples of an event begin and end waits.
  struct Switches {
    enum class Kind : std::uint8_t { none, tracepoint, software } kind = Kind::none;
    const perf_format::TraceField* prev_pid = nullptr;
    const perf_format::TraceField* prev_state = nullptr;
    const perf_format::TraceField* next_pid = nullptr;
    std::vector<std::pair<std::uint64_t, char>> letters = {};  ///< by bit of prev_state
    std::uint64_t preempted = 0;                               ///< this bit of it
  };

  static Switches switches_of(const perf_format::Event& event);
  std::optional<std::uint64_t> number(const perf_format::TraceField& field, Bytes raw) const;
  void begin(std::int32_t tid, perf_format::OffCpu why, const perf_format::SampleRecord& sample);
  const Thread* end(std::int32_t tid, std::uint64_t time, bool may_repeat);
  void follow(const evname::Record::Task& task, bool is_exit);

  const perf_format::Events& events_;
  const std::endian order_;
  std::vector<Switches> switches_;  ///< parallel to events
  bool has_tracepoint_ = false;
  bool pids_differ_ = false;  ///< tracepoints and records have pids of two namespaces
  HashMap<std::int32_t, Thread> threads_;
  std::size_t kept_bytes_ = 0;                     ///< of records
  std::uint64_t last_ = 0;                         ///< time of the last sample
  std::optional<std::vector<std::int32_t>> open_;  ///< at the end; the next one is the last

  std::uint64_t ended_ = 0, unbegun_ = 0, unended_ = 0, dropped_ = 0, without_room_ = 0;
  std::uint64_t open_count_ = 0;
  std::uint64_t lost_ = 0;  ///< samples, at times that are known
};

}  // namespace evname::session
