#pragma once
// Counts events on the machine that this program runs on, by perf_event_open(2) and its rules about
// groups, multiplexing and reads in user space.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"

namespace evname {

/// Selects the threads, CPUs or cgroup to count.
struct EVNAME_API CountTarget {
  /// The kinds of targets.
  enum class Kind : std::uint8_t {
    this_thread,  ///< the thread that opens the counters
    threads,      ///< the threads `ids`
    processes,    ///< all threads that the processes `ids` have when the counters are opened
    cpus,         ///< all that runs on `cpus`
    cgroup,       ///< the threads of a cgroup on `cpus`
  };

  Kind kind = Kind::this_thread;  ///< determines which other members are used
  std::vector<int> ids;           ///< the ids of threads or processes
  std::vector<unsigned> cpus;     ///< if empty, all online CPUs
  /// The cgroup: its path below the mount point that perf uses, with or without a slash before it,
  /// as /proc/PID/cgroup has it; or, if there is none of that name, the path of its directory.
  std::string cgroup;

  ///@{
  /// Makes a target.
  static CountTarget this_thread();
  static CountTarget thread(int id);
  static CountTarget process(int id);
  static CountTarget on_cpus(std::vector<unsigned> cpus = {});
  static CountTarget in_cgroup(std::string path, std::vector<unsigned> cpus = {});
  ///@}
};

/// Selects the events that are counted together.
enum class Grouping : std::uint8_t {
  as_written,  ///< by Encoding::leader
  regrouped,   ///< as perf opens them: Machine::regroup()
  scheduled,   ///< the fewest groups that the counters can count: schedule(); each event once
  single,      ///< each event on its own
};

/// How counters are opened.
struct CounterOptions {
  /// Selects where events are counted.
  enum class Space : std::uint8_t {
    as_written,  ///< by the modifiers of each event
    user,        ///< user space alone, whatever modifiers say
    kernel,      ///< the kernel alone, whatever modifiers say
  };

  Grouping groups = Grouping::regrouped;  ///< which events are counted together
  bool inherit = false;  ///< also count threads and processes that are created later
  /// Start when the thread executes a program. Events that are counted on CPUs (such as events of
  /// units outside the cores), duration_time, user_time and system_time start in open() instead.
  bool enable_on_exec = false;
  bool pinned = false;     ///< never share a counter; the event isn't counted if it would have to
  bool user_reads = true;  ///< read without a system call if the kernel allows it
  /// Count user space alone if the kernel may not be counted, as perf does. Such an event gets the
  /// modifier `u`.
  bool user_space_if_refused = true;
  /// Leave out events that can't be counted (see Counters::problem()), instead of failing.
  bool partial = false;
  Space space = Space::as_written;  ///< where events are counted
  Roots roots = {};                 ///< where to look up CPUs, cgroups and limits
};

/// The count of an event, and how long it was counted.
struct EVNAME_API CounterValue {
  std::uint64_t value = 0;    ///< number of events that were counted
  std::uint64_t enabled = 0;  ///< ns during which the event was enabled
  std::uint64_t running = 0;  ///< ns that it had a counter
  /// The estimated number of events in all of `enabled`: value * enabled / running. Equals `value`
  /// if the event always had a counter. If several places are added up, each is scaled on its own.
  double scaled = 0;

  /// Returns false if the event never had a counter, so that `value` means nothing.
  bool is_counted() const { return running != 0; }
  /// Returns true if the event shared its counter, so that `scaled` is an estimate.
  bool is_scaled() const { return running < enabled; }

  /// Returns the difference to an earlier count at the same place.
  CounterValue since(const CounterValue& earlier) const;
  /// Adds the count of another place.
  CounterValue& operator+=(const CounterValue& other);
};

/// Open counters. They count from enable() on, or from the execution of a program on if
/// CounterOptions::enable_on_exec is set.
///
/// Views and pointers that it returns are valid as long as it exists, also if it is moved. File
/// descriptors are close-on-exec. Several threads may call const members at the same time. Reads in
/// user space happen only in the thread that opened the counters; any other thread, and a
/// forked process, makes system calls. duration_time, user_time and system_time (PMU "tool") count
/// ns. The kernel reports the latter two for a process or a CPU in units of 1/100 s.
class EVNAME_API Counters {
 public:
  /// A thread or a CPU on which something is counted.
  struct Place {
    int thread = -1;  ///< its id; 0 is the thread that opened the counters, -1 any thread
    int cpu = -1;     ///< its number; -1 is any CPU
    /// Compares both.
    bool operator==(const Place&) const = default;
  };

  /// Opens the events of one resolve(). The message of an error names the event and says why it
  /// can't be counted; Error::hint proposes a remedy. Errors: unsupported if this machine can't
  /// count it; io if it refuses to; not_found for a thread, CPU or cgroup that does not exist; the
  /// errors of schedule().
  [[nodiscard]] static Result<Counters> open(const Machine& machine,
                                             std::span<const Encoding> events,
                                             const CountTarget& target = {},
                                             const CounterOptions& options = {});

  /// The same, for a list of events in the syntax of perf's -e.
  [[nodiscard]] static Result<Counters> open(const Machine& machine, std::string_view events,
                                             const CountTarget& target = {},
                                             const CounterOptions& options = {});

  ///@{
  /// Moved-from counters may only be assigned to or destroyed.
  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ///@}
  /// Closes the counters.
  ~Counters();

  /// Returns the events in the order of opening; Encoding::leader gives their groups.
  std::span<const Encoding> events() const;
  /// Returns why an event is not counted, or nullptr if it is. Without CounterOptions::partial all
  /// events are counted.
  const Error* problem(std::size_t event) const;
  /// Returns the threads and CPUs that are counted on. Not every event has a counter at every
  /// place: units outside the cores have them on one CPU each.
  std::span<const Place> places() const;
  /// Returns true if an event has a counter at a place.
  bool has_counter(std::size_t event, std::size_t place) const;

  /// Starts all counters. Errors: io.
  [[nodiscard]] Result<void> enable() const;
  /// Stops all counters. Their counts can still be read. Errors: io.
  [[nodiscard]] Result<void> disable() const;

  /// Reads the counts of events() since they were opened, summed over all places. Makes one system
  /// call for each group and place, or none if the kernel allows reads in user space.
  /// Allocates nothing unless it fails. Events without a counter are zero. Errors: invalid_argument
  /// if `out` is shorter than events(); io.
  [[nodiscard]] Result<void> read(std::span<CounterValue> out) const;

  /// The same, at one of places().
  [[nodiscard]] Result<void> read_at(std::size_t place, std::span<CounterValue> out) const;

  /// Returns the number of events that a read() would need no system call for now.
  std::size_t user_readable() const;

  /// Returns a sentence on why an event that was opened has no value: the watchdog has the counter,
  /// the group is too large, nothing ran. Returns an empty string if it has one.
  std::string why_not_counted(std::size_t event, const CounterValue& value) const;

 private:
  friend class CountScope;
  struct EVNAME_HIDDEN State;
  EVNAME_HIDDEN explicit Counters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Counts the events between two points of a program, as the difference of two reads. The counters
/// must outlive it, but may be moved. Only the constructor allocates memory. Not thread-safe: one
/// thread at a time.
class EVNAME_API CountScope {
 public:
  /// The counters must be enabled.
  explicit CountScope(const Counters& counters);
  explicit CountScope(const Counters&& counters) = delete;

  /// Reads the counters. Errors: io.
  [[nodiscard]] Result<void> start();
  /// Reads the counters again. Errors: io.
  [[nodiscard]] Result<void> stop();
  /// Returns the counts between start() and stop(), parallel to Counters::events(). They are valid
  /// as long as the scope exists. If several places are added up, `scaled` is computed from their
  /// sum.
  std::span<const CounterValue> counted() const { return counted_; }

  /// Measures the counts of an empty scope: the least of some rounds. Errors: io.
  [[nodiscard]] Result<void> measure_cost(unsigned rounds = 100);
  /// Returns the result of measure_cost() for each event, or zeros before it is called.
  std::span<const CounterValue> cost() const { return cost_; }
  /// Returns counted() less cost(), but not below zero. `enabled` and `running` come from
  /// counted().
  CounterValue net(std::size_t event) const;

 private:
  const Counters::State* counters_;
  std::vector<CounterValue> before_, counted_, cost_;
};

}  // namespace evname
