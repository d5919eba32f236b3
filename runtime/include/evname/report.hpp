#pragma once
// Adds up samples by event, thread, CPU, cgroup or function, and all of these at once by time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/export.h"
#include "evname/sample_filter.hpp"

namespace evname {

namespace report {
class DetailedReport;
struct State;
}  // namespace report

/// A key that distinguishes the rows of a report. Greater values are the registers of AMD's IBS and
/// their parts, which parse_sort_keys() knows by name.
enum class SortKey : std::uint8_t {
  event,    ///< Report::Event::name
  file,     ///< path of the recording
  pmu,      ///< RecordedEvent::pmu
  comm,     ///< thread name
  pid,      ///< process id
  tid,      ///< thread id
  cpu,      ///< CPU of the sample
  cgroup,   ///< path of the cgroup; its number if the recording has no path
  state,    ///< why a thread waited: "S (sleeping)"; only with PassOptions::waits
  sym,      ///< function of the sample, innermost if calls are inlined; else its file and offset
  dso,      ///< file that has the function
  srcfile,  ///< path of its source file
  srcline,  ///< the same with the line
  // Keys of memory accesses, in perf's words.
  op,                ///< LOAD, STORE, …
  mem,               ///< the cache or memory that had the data: "L1 hit"
  snoop,             ///< what other caches answered: "HitM"
  tlb,               ///< how the address was translated: "L1 or L2 hit"
  locked,            ///< if the access was locked
  blocked,           ///< what blocked a load
  simd,              ///< Arm's SPE: vector instructions and their active lanes, "[p] SVE"
  latency,           ///< the weight to powers of two: "64-127"
  local_weight,      ///< the weight: mostly a latency in cycles
  local_ins_lat,     ///< Sample::ins_lat()
  local_retire_lat,  ///< Sample::retire_lat()
  symbol_daddr,      ///< address of the data: its symbol and offset, else its file and offset
  data_sym,          ///< symbol of the data; else as dso_daddr
  dso_daddr,         ///< file of the data
  dcacheline,        ///< cache line of the data: its file and offset, else its address
  phys_daddr,        ///< physical address of the data
  // Keys of branches, in perf's words. See ReportOptions::branches.
  sym_from,      ///< function that branches
  sym_to,        ///< function of the target
  dso_from,      ///< file that branches
  dso_to,        ///< file of the target
  srcline_from,  ///< source file and line that branch
  srcline_to,    ///< source file and line of the target
  addr_from,     ///< address that branches: its function and offset, else its file and offset
  addr_to,       ///< address of the target
  mispredict,    ///< "Y": mispredicted, "N": predicted
  in_tx,         ///< "T": in a transaction, else "."
  abort,         ///< "A": it aborted a transaction, else "."
  cycles,        ///< Branch::cycles
  branch_type,   ///< Branch::type_text()
  priv,          ///< Branch::privilege_text()
  ///@{
  /// Fields of tracepoints: ReportOptions::fields has their names.
  field0,
  field1,
  field2,
  field3,
  field4,
  field5,
  field6,
  field7,
  ///@}
};

/// Parses a list of sort keys: "event,comm". Errors: invalid_argument; the message has the unknown
/// word and the known ones.
[[nodiscard]] EVNAME_API Result<std::vector<SortKey>> parse_sort_keys(std::string_view text);

/// Does the same, and treats other words as fields of tracepoints ("prev_comm" or
/// "sched:sched_switch.prev_comm"), which it appends to `fields`. Errors: also invalid_argument for
/// more than 8 fields, and for a word that can't be a field.
[[nodiscard]] EVNAME_API Result<std::vector<SortKey>> parse_sort_keys(
    std::string_view text, std::vector<std::string>& fields);

/// A SortKey with its name and the kind of its values.
struct SortKeyInfo {
  SortKey key;            ///< the key
  std::string_view name;  ///< as parse_sort_keys() takes it
  bool is_number;         ///< values are decimal numbers
  /// The samples that have it: all, accesses of memory, branches, tracepoints (whose fields have no
  /// name here), or samples of AMD's IBS.
  enum class Of : std::uint8_t { samples, memory, branches, tracepoints, ibs };
  Of of;                             ///< the samples that have it
  std::string_view other_name = {};  ///< parse_sort_keys() takes it, too: "function"; "": none
};
/// Returns all keys, in the order of the enum.
EVNAME_API std::span<const SortKeyInfo> sort_keys();

/// Options of a Report.
struct ReportOptions {
  std::vector<SortKey> keys = {SortKey::event};  ///< what distinguishes rows
  std::vector<std::string> fields = {};          ///< of tracepoints, for SortKey::field0 and so on
  SampleFilter filter = {};                      ///< samples to count
  PassOptions pass = {};                         ///< how to read them
  /// Names functions and files if a key, a filter or a stack asks for them; nullptr: a Symbols with
  /// default options. It must outlive the report.
  const Symbols* symbols = nullptr;
  /// Fill Report::Row::children; one of the keys has to be sym, dso, srcfile or srcline. Functions
  /// that only call others have rows, too.
  bool children = false;
  bool memory = false;  ///< fill Report::memory() and Report::Row::weights
  /// Count the branches of the samples' branch stacks in place of the samples, each with a period
  /// of 1, and fill Report::Row::branches. A key of branches does the same. The keys sym, dso,
  /// srcfile and srcline are then the target's.
  bool branches = false;
};

/// Adds up the samples of one or more recordings. For one thread at a time.
class EVNAME_API Report {
 public:
  /// The weights of samples, which are mostly latencies in cycles.
  struct Weights {
    std::uint64_t weighted = 0;  ///< number of samples with a weight other than 0
    std::uint64_t sum = 0;       ///< of their weights
    std::uint64_t most = 0;      ///< the greatest of them
    std::uint64_t cost = 0;      ///< as perf mem report counts: a sample without a weight costs 1

    /// Adds the weight of a sample.
    void add(std::uint64_t weight) {
      weighted += weight != 0;
      sum += weight;
      most = std::max(most, weight);
      cost += std::max<std::uint64_t>(weight, 1);
    }
    /// Adds the sums of other samples.
    Weights& operator+=(const Weights& other) {
      weighted += other.weighted;
      sum += other.sum;
      most = std::max(most, other.most);
      cost += other.cost;
      return *this;
    }
  };

  /// The sums of branches.
  struct Branches {
    ///@{
    /// Numbers of branches.
    std::uint64_t predicted = 0, mispredicted = 0, in_transaction = 0, aborted = 0;
    ///@}
    std::uint64_t timed = 0;   ///< number of branches with cycles
    std::uint64_t cycles = 0;  ///< their cycles since the branches before
    std::uint16_t least = 0;   ///< the least of these

    /// Adds the sums of other branches.
    Branches& operator+=(const Branches& other) {
      predicted += other.predicted;
      mispredicted += other.mispredicted;
      in_transaction += other.in_transaction;
      aborted += other.aborted;
      if (other.timed > 0) least = timed > 0 ? std::min(least, other.least) : other.least;
      timed += other.timed;
      cycles += other.cycles;
      return *this;
    }
  };

  /// The sums of the samples with the same keys. `lost` and `throttled` are known only by event
  /// (and file).
  struct Row : SampleSums {
    std::vector<std::string> keys;  ///< one value per SortKey; "-": not sampled
    std::size_t event = 0;  ///< its index in Report::events(); of the first sample if several
    /// Share, from 0 to 1, of all samples or, if `event` is one of several keys, of the samples of
    /// the same event. With PassOptions::waits, it is a share of the time that they waited.
    double share = 0;
    std::uint64_t of = 0;  ///< the number of samples, or the ns, that `share` is a share of
    ///@{
    /// Samples that have the row's function anywhere in their stack, and the sum of their periods;
    /// 0 unless ReportOptions::children is set. A function that calls itself counts once.
    std::uint64_t children = 0, children_period = 0;
    ///@}
    Weights weights = {};    ///< empty unless ReportOptions::memory is set
    Branches branches = {};  ///< empty unless branches count
  };

  /// The sums of the samples that have the same value of one key; see Report::memory().
  struct MemoryRow {
    SortKey key = SortKey::mem;  ///< op, mem, snoop, …
    std::string value;           ///< "-": not sampled
    std::uint64_t samples = 0;   ///< their number
    Weights weights = {};        ///< their weights
  };

  /// An event of a report, with the sums of its samples in all files. Events with the same
  /// name and PMU in several files are one.
  struct Event : SampleSums {
    RecordedEvent event;  ///< as in the first file that has it
    /// RecordedEvent::full_name(), with the PMU if an event of another PMU has the same in another
    /// file. No other event of the report has this name.
    std::string name = {};
  };

  /// Makes an empty report.
  explicit Report(ReportOptions options);
  ///@{
  /// A moved-from report may only be assigned to or destroyed.
  Report(const Report& other);
  Report(Report&& other) noexcept;
  Report& operator=(Report other) noexcept;
  ///@}
  ~Report();

  /// Adds the samples of a recording. Rows with the same keys are merged, whatever their file.
  /// Errors: not_found if the filter is by CPU and CPUs are not sampled; invalid_argument if no
  /// tracepoint of the recording has one of ReportOptions::fields, or if branches count and the
  /// options ask for children, memory or waits; nothing is added then.
  [[nodiscard]] Result<SampleTally> add(const Recording& file);

  /// Returns the rows by falling number of samples (with PassOptions::waits, by falling period),
  /// then by keys. If `event` is one of several
  /// keys, the rows of an event are adjacent, and the event with most samples comes first. With
  /// `event`, an event without samples has a row, too; its other keys are "-".
  std::vector<Row> rows() const;
  /// Returns the events in the order of their first appearance, valid until add() or an assignment.
  const std::vector<Event>& events() const;
  /// Returns the samples by each key of memory accesses, one key after the other. Rows of most cost
  /// come first, but latencies are in their own order. Empty unless ReportOptions::memory is set.
  std::vector<MemoryRow> memory() const;
  /// Returns the number of samples of all events.
  std::uint64_t samples() const;
  /// Returns true if the values of a key are decimal numbers, as SortKeyInfo::is_number says. A
  /// field of tracepoints counts as a number if all recordings that were added declare it as one.
  bool is_number(SortKey key) const;

 private:
  friend class report::DetailedReport;
  friend class InstructionReport;
  std::unique_ptr<report::State> state_;
};

}  // namespace evname
