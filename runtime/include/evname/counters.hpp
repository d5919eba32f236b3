#pragma once
// Counting events on the machine that this program runs on: perf_event_open(2), with its rules on
// groups, multiplexing and reads in user space kept.

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

/// Where counters count.
struct EVNAME_API CountTarget {
  /// What it is.
  enum class Kind : std::uint8_t {
    this_thread,  ///< the thread that opens the counters
    threads,      ///< `ids`
    processes,    ///< all threads of `ids`, as they are when the counters are opened
    cpus,         ///< all that runs on `cpus`
    cgroup,       ///< what runs on `cpus` in a cgroup
  };

  Kind kind = Kind::this_thread;  ///< what it is
  std::vector<int> ids;           ///< of threads or processes
  std::vector<unsigned> cpus;     ///< empty: all that are online
  /// A directory: absolute, or below where cgroups are mounted for perf.
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

/// Which events are counted together.
enum class CountGroups : std::uint8_t {
  as_written,  ///< by Encoding::leader
  regrouped,   ///< as perf opens them: Machine::regroup()
  scheduled,   ///< the fewest groups that the counters can count: schedule(); each event once
  single,      ///< each event on its own
};

/// How counters are opened.
struct CounterOptions {
  CountGroups groups = CountGroups::regrouped;  ///< which events are counted together
  bool inherit = false;         ///< also count the threads and processes that are made later
  bool enable_on_exec = false;  ///< start when the thread executes a program
  bool pinned = false;          ///< never share the counter; not counted where that can't be
  bool user_reads = true;       ///< read without a system call where the kernel allows it
  /// Count in user space alone where the kernel may not be counted, as perf does; such an event
  /// gets the modifier `u`.
  bool user_space_if_refused = false;
  /// Leave out events that can't be counted (see Counters::problem()), instead of failing.
  bool partial = false;
  Roots roots = {};  ///< where CPUs, cgroups and limits are looked up
};

/// What an event has counted.
struct EVNAME_API CounterValue {
  std::uint64_t value = 0;    ///< events that were seen
  std::uint64_t enabled = 0;  ///< ns that the event was wanted
  std::uint64_t running = 0;  ///< ns that it had a counter
  /// The number of events in all of `enabled`, as far as `running` tells: equals `value` if the
  /// event always had a counter. Where several places are added up, each is scaled on its own.
  double scaled = 0;

  /// Returns false if the event never had a counter: `value` then says nothing.
  bool is_counted() const { return running != 0; }
  /// Returns true if the event shared its counter, so that `scaled` is an estimate.
  bool is_scaled() const { return running < enabled; }

  /// What was counted since `earlier`, at the same place.
  CounterValue since(const CounterValue& earlier) const;
  /// Adds what was counted at another place.
  CounterValue& operator+=(const CounterValue& other);
};

/// A thread or a CPU on which something is counted.
struct CountPlace {
  int thread = -1;  ///< id; 0: the thread that opened the counters; -1: any
  int cpu = -1;     ///< -1: any
  /// Compares both.
  bool operator==(const CountPlace&) const = default;
};

/// Open counters. They stand still until enable(), or with CounterOptions::enable_on_exec until a
/// program is executed.
///
/// File descriptors are close-on-exec. Several threads may call const members at the same time.
/// Reads in user space happen only in the thread that opened the counters; any other thread, and a
/// forked process, makes system calls. duration_time, user_time and system_time (PMU "tool") count
/// ns, the latter two of a process or a CPU in units of 1/100 s, as the kernel tells them.
class EVNAME_API Counters {
 public:
  /// Opens the events of one resolve(). Errors name the event, why it can't be counted, and in
  /// Error::hint what to do: unsupported if this machine can't count it; io if it refuses to;
  /// not_found for a thread, CPU or cgroup that is not there; what schedule() fails with.
  static Result<Counters> open(const Machine& machine, std::span<const Encoding> events,
                               const CountTarget& target = {}, const CounterOptions& options = {});

  /// The same, for a list of events in the syntax of perf's -e.
  static Result<Counters> open(const Machine& machine, std::string_view events,
                               const CountTarget& target = {}, const CounterOptions& options = {});

  ///@{
  /// Moved-from counters may only be assigned to or destroyed.
  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ///@}
  /// Closes them.
  ~Counters();

  /// The events, in the order in which they were opened; Encoding::leader gives their groups. Their
  /// texts live as long as the machine.
  std::span<const Encoding> events() const;
  /// Why an event is not counted; nullptr: it is. All are, unless CounterOptions::partial.
  const Error* problem(std::size_t event) const;
  /// The threads and CPUs that are counted on. Not each event has a counter at each place: units
  /// outside the cores have them on one CPU of each.
  std::span<const CountPlace> places() const;
  /// Whether an event has a counter at a place.
  bool has_counter(std::size_t event, std::size_t place) const;

  /// Starts all counters. Errors: io.
  Result<void> enable() const;
  /// Stops them; what was counted can still be read. Errors: io.
  Result<void> disable() const;

  /// Gets what each of events() has counted at all places together, since they were opened. Makes
  /// one system call for each group and place, or none where the kernel allows reads in user space.
  /// Allocates nothing unless it fails. Events without a counter are zero. Errors: invalid_argument
  /// if `out` is shorter than events(); io.
  Result<void> read(std::span<CounterValue> out) const;

  /// The same, at one of places().
  Result<void> read_at(std::size_t place, std::span<CounterValue> out) const;

  /// Returns how many of events() were last allowed to be read in user space: what a read() now
  /// needs no system call for.
  std::size_t user_readable() const;

  /// Returns why an event that was opened has no value, for people: the watchdog has the counter,
  /// the group is too large, nothing ran. Empty if it has one.
  std::string why_not_counted(std::size_t event, const CounterValue& value) const;

 private:
  friend class CountScope;
  struct EVNAME_HIDDEN State;
  explicit Counters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Measures a piece of code: the difference of two reads. Allocates only when it is made. For one
/// thread at a time; the counters must outlive it.
class EVNAME_API CountScope {
 public:
  /// Counters that are enabled.
  explicit CountScope(const Counters& counters);

  /// Reads the counters. Errors: io.
  Result<void> start();
  /// Reads them again. Errors: io.
  Result<void> stop();
  /// What was counted between start() and stop(), for each of Counters::events(). Lives as long as
  /// the scope. Where several places are added up, `scaled` is computed from their sum.
  std::span<const CounterValue> counted() const { return counted_; }

  /// Measures what an empty scope counts: the least of some rounds. Errors: io.
  Result<void> measure_cost(unsigned rounds = 100);
  /// What measure_cost() found, for each event; zeros before.
  std::span<const CounterValue> cost() const { return cost_; }
  /// counted() less cost(), but not below zero. Only `value` and `scaled` change.
  CounterValue net(std::size_t event) const;

 private:
  const Counters* counters_;
  std::vector<CounterValue> before_, counted_, cost_;
};

/// Where a CPU is.
struct CpuPlace {
  unsigned cpu = 0;  ///< its number
  ///@{
  /// Number as the kernel gives it; -1: unknown. `cluster` and `core` are unique in a die.
  int socket = -1;
  int die = -1;
  int cluster = -1;
  int core = -1;
  int node = -1;
  ///@}
};

/// Returns the online CPUs, in the order of their numbers. CPUs that are unplugged are not there.
/// Errors: not_found if sysfs does not say.
EVNAME_API Result<std::vector<CpuPlace>> online_cpus(const Roots& roots = {});

}  // namespace evname
