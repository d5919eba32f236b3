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
#include "evname/sharing.hpp"

namespace evname {

namespace report {
struct State;
}

/// A key that distinguishes the rows of a report.
enum class SortKey : std::uint8_t {
  event,    ///< ReportEvent::name
  file,     ///< path of the recording
  pmu,      ///< RecordedEvent::pmu
  comm,     ///< thread name
  pid,      ///< process id
  tid,      ///< thread id
  cpu,      ///< CPU of the sample
  cgroup,   ///< path of the cgroup; its number if the recording has no path
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
// Registers of AMD's IBS, and their parts.
#define EVNAME_IBS_REGISTER(name, label, kind, word, when, what) name,
#define EVNAME_IBS_PART(name, label, from, bits, form, when, what) name,
#include "evname/sample_fields.def"
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

/// Returns the names of keys; `fields` has the names of tracepoints' fields.
EVNAME_API std::vector<std::string> names_of_sort_keys(const std::vector<SortKey>& keys,
                                                       const std::vector<std::string>& fields);

/// A SortKey with its name and the kind of its values.
struct SortKeyInfo {
  SortKey key;            ///< the key
  std::string_view name;  ///< as parse_sort_keys() takes it
  bool is_number;         ///< values are decimal numbers
  /// The samples that have it: all, accesses of memory, or samples of AMD's IBS.
  enum class Of : std::uint8_t { samples, memory, ibs };
  Of of;  ///< the samples that have it
};
/// Returns all keys but the fields of tracepoints, in the order of the enum.
EVNAME_API std::span<const SortKeyInfo> sort_keys();

/// The weights of samples, which are mostly latencies in cycles.
struct WeightSums {
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
  WeightSums& operator+=(const WeightSums& other) {
    weighted += other.weighted;
    sum += other.sum;
    most = std::max(most, other.most);
    cost += other.cost;
    return *this;
  }
};

/// The sums of the samples with the same keys. `lost` and `throttled` are known only by event (and
/// file).
struct ReportRow : SampleSums {
  std::vector<std::string> keys;  ///< one value per SortKey; "-": not sampled
  std::size_t event = 0;          ///< its index in Report::events(); of the first sample if several
  /// Share, from 0 to 1, of all samples or, if `event` is one of several keys, of the samples of
  /// the same event.
  double share = 0;
  std::uint64_t of = 0;  ///< the number of samples that `share` is a share of
  ///@{
  /// Samples that have the row's function anywhere in their stack, and the sum of their periods;
  /// 0 unless ReportOptions::children is set. A function that calls itself counts once.
  std::uint64_t children = 0, children_period = 0;
  ///@}
  WeightSums weights = {};  ///< empty unless ReportOptions::memory is set
};

/// The sums of the samples that have the same value of one key; see Report::memory().
struct MemoryRow {
  SortKey key = SortKey::mem;  ///< op, mem, snoop, …
  std::string value;           ///< "-": not sampled
  std::uint64_t samples = 0;   ///< their number
  WeightSums weights = {};     ///< their weights
};

/// An event of a report, with the sums of its samples in all files. Events with the same
/// name and PMU in several files are one.
struct ReportEvent : SampleSums {
  RecordedEvent event;  ///< as in the first file that has it
  /// RecordedEvent::full_name(), with the PMU if an event of another PMU has the same in another
  /// file. No other event of the report has this name.
  std::string name = {};
};

/// The samples of a report by stack, event, thread, CPU and time, for a page or a viewer that lets
/// its reader filter them. Numbers that refer to other members are indexes.
struct SampleGrid {
  ///@{
  /// Stand for a thread or CPU that is not sampled, and for threads or CPUs that share a track
  /// because there are too many.
  static constexpr std::uint32_t kNone = UINT32_MAX, kOthers = UINT32_MAX - 1;
  ///@}

  /// The kinds of a Frame.
  enum class Kind : std::uint8_t {
    thread,    ///< the name of a thread; the root has it, too
    function,  ///< a function
    line,      ///< the source line of the samples in the function above
    cut,       ///< the rest of stacks that are cut, as there are too many
  };
  /// The thread, function or line that nodes stand for.
  struct Frame {
    Kind kind = Kind::function;  ///< determines which members are used
    ///@{
    /// Indexes in `texts`. A function has its name (as SortKey::sym), the file that has it, and its
    /// source file; a line has its place. kNone: unknown.
    std::uint32_t name = kNone, dso = kNone, source = kNone;
    ///@}
  };
  /// Node 0 is the root. Its children are names of threads; their children are the outermost
  /// callers. A node is followed by its descendants.
  struct Node {
    std::uint32_t parent = 0;  ///< in `nodes`; of the root itself
    std::uint32_t frame = 0;   ///< in `frames`
  };
  /// A thread by its name and numbers; -1: not sampled.
  struct Thread {
    ///@{
    /// As in the samples.
    std::string comm;
    std::int32_t pid = -1, tid = -1;
    ///@}
  };
  /// The samples of an event on a CPU by a thread.
  struct Track {
    std::uint32_t event = 0;       ///< in Report::events()
    std::uint32_t thread = kNone;  ///< in `threads`
    std::uint32_t cpu = kNone;     ///< its number
  };
  /// Samples that were taken in a node itself, not below it.
  struct Cell {
    std::uint32_t track = 0;  ///< in `tracks`
    std::uint32_t bin = 0;    ///< 0: without a time; else from 1
    std::uint32_t node = 0;   ///< in `nodes`
    ///@{
    /// The number of samples, and the sum of their periods.
    std::uint64_t samples = 0, period = 0;
    ///@}
  };
  /// The samples of a function that the nodes lack because stacks are cut. Together with the
  /// samples of the nodes they are exact.
  struct Hidden {
    ///@{
    /// As in a Cell.
    std::uint32_t track = 0, bin = 0;
    ///@}
    std::uint32_t name = 0;  ///< of the function, in `texts`
    ///@{
    /// The samples in the function itself, and all samples in it or in functions that it called,
    /// each once.
    std::uint64_t samples = 0, period = 0, all_samples = 0, all_period = 0;
    ///@}
  };
  /// Counts of lost samples, of throttling, and of threads being switched out (if the recording has
  /// such records).
  struct Loss {
    std::uint32_t event = 0;  ///< in Report::events()
    std::uint32_t bin = 0;    ///< as in a Cell
    ///@{
    /// How many of each.
    std::uint64_t lost = 0, throttled = 0, switches = 0;
    ///@}
  };

  /// A data source in words, and the counts of one sample that has it.
  struct Source {
    ///@{
    /// The values of the sort keys with these names.
    std::string op, mem, snoop, tlb, locked, blocked;
    ///@}
    AccessCounts counts;  ///< the counts of one sample
  };
  /// Memory accesses of an event that are alike.
  struct Access {
    std::uint32_t event = 0;  ///< in Report::events()
    std::uint32_t bin = 0;    ///< as in a Cell, but of `access_width`
    std::uint32_t line =
        0;  ///< in Sharing::lines, where only the first lines have times; kNone: others
    std::uint32_t source = 0;   ///< in `sources`
    std::uint32_t latency = 0;  ///< the number of bits of the weight; 0: no weight
    ///@{
    /// The number of samples, and the sum of their weights.
    std::uint64_t samples = 0, weight = 0;
    ///@}
  };

  std::uint64_t first = 0;           ///< time at which bin 1 begins in the first recording, in ns
  std::uint64_t width = 1;           ///< of a bin, in ns
  std::uint64_t cut = 0;             ///< number of samples whose stack is cut
  std::uint32_t folded_threads = 0;  ///< number of threads that share tracks
  std::vector<std::string> texts;    ///< each once
  std::vector<Frame> frames;         ///< each once
  std::vector<Node> nodes;           ///< parents first
  std::vector<Thread> threads;       ///< those with most samples first
  std::vector<Track> tracks;         ///< by event, thread and CPU
  std::vector<Cell> cells;           ///< by track, node and bin
  std::vector<Hidden> hidden;        ///< by track, bin and name
  std::vector<Loss> losses;          ///< by event and bin
  ///@{
  /// Memory accesses: the samples that have a data source or a weight. Empty unless
  /// ReportOptions::sharing is set, too.
  std::uint64_t access_width = 1;  ///< of their bins, in ns
  std::vector<Source> sources;     ///< each once
  std::vector<Access> accesses;    ///< by event, bin, line, source and latency
  ///@}
};

/// The maximum sizes of a SampleGrid. To keep them, bins get wider, then stacks with few samples
/// are cut, then threads and CPUs with few samples become one.
struct GridLimits {
  std::uint32_t nodes = 1 << 19;     ///< of SampleGrid::nodes
  std::uint32_t cells = 1 << 20;     ///< of SampleGrid::cells, and of SampleGrid::hidden
  std::uint32_t accesses = 1 << 17;  ///< of SampleGrid::accesses
};

/// Options of a Report.
struct ReportOptions {
  std::vector<SortKey> keys = {SortKey::event};  ///< what distinguishes rows
  std::vector<std::string> fields = {};          ///< of tracepoints, for SortKey::field0 and so on
  SampleFilter filter = {};                      ///< samples to count
  PassOptions pass = {};                         ///< how to read them
  /// Names functions and files if a key, a filter or a stack asks for them; nullptr: a Symbols with
  /// default options. It must outlive the report.
  const Symbols* symbols = nullptr;
  /// Fill ReportRow::children; one of the keys has to be sym, dso, srcfile or srcline. Functions
  /// that only call others have rows, too.
  bool children = false;
  bool grid = false;     ///< fill Report::grid()
  bool memory = false;   ///< fill Report::memory() and ReportRow::weights
  bool sharing = false;  ///< fill Report::sharing()
};

/// Adds up the samples of one or more recordings. For one thread at a time.
class EVNAME_API Report {
 public:
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
  /// tracepoint of the recording has one of ReportOptions::fields; nothing is added then.
  [[nodiscard]] Result<SampleTally> add(const PerfData& file);

  /// Returns the rows by falling number of samples, then by keys. If `event` is one of several
  /// keys, the rows of an event are adjacent, and the event with most samples comes first. With
  /// `event`, an event without samples has a row, too; its other keys are "-".
  std::vector<ReportRow> rows() const;
  /// Returns the events in the order of their first appearance.
  const std::vector<ReportEvent>& events() const;
  /// Returns the samples by stack, event, thread, CPU and time; each recording counts from its
  /// first sample. Empty unless ReportOptions::grid is set.
  SampleGrid grid(const GridLimits& limits = {}) const;
  /// Returns the samples by each key of memory accesses, one key after the other. Rows of most cost
  /// come first, but latencies are in their own order. Empty unless ReportOptions::memory is set.
  std::vector<MemoryRow> memory() const;
  /// Returns the cache lines with most contention. They are chosen by `by`; nullopt stands for HITM
  /// if there are any, else peers, else threads. Empty unless ReportOptions::sharing is set.
  Sharing sharing(std::optional<Contention> by = {}) const;
  /// Returns the number of samples of all events.
  std::uint64_t samples() const;
  /// Returns true if the values of a key are decimal numbers, as SortKeyInfo::is_number says. A
  /// field of tracepoints counts as a number if all recordings that were added declare it as one.
  bool is_number(SortKey key) const;

 private:
  std::unique_ptr<report::State> state_;
};

/// A change between two reports that have the same keys.
struct ReportChange {
  std::vector<std::string> keys;  ///< one value per SortKey
  ///@{
  /// The sums of either side; without samples if it has no such row.
  SampleSums before, after;
  ///@}
  ///@{
  /// Share of either side's samples, or of the event's if `event` is one of several keys: from 0
  /// to 1, so that recordings of different length compare.
  double share_before = 0, share_after = 0;
  ///@}
};

/// Compares the rows of two reports with the same keys. `event_key` is the index of the key
/// `event`; SIZE_MAX: there is none. The rows of an event are adjacent, and events keep the order
/// of `before`. Rows with the largest change of share come first.
EVNAME_API std::vector<ReportChange> compare_rows(const std::vector<ReportRow>& before,
                                                  const std::vector<ReportRow>& after,
                                                  std::size_t event_key = SIZE_MAX);

}  // namespace evname
