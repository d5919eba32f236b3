#pragma once
// A report with more than rows: what the command's page and its table of cache lines show.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/instructions.hpp"
#include "recordings/report/shared_lines.hpp"

namespace evname::report {

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
  std::uint64_t width = 1;           ///< of a bin of `cells` and `hidden`, in ns
  std::uint64_t fine_width = 1;      ///< of a bin of `counts` and `losses`; `width` or narrower
  std::uint64_t cut = 0;             ///< number of samples whose stack is cut
  std::uint32_t folded_threads = 0;  ///< number of threads that share tracks
  std::vector<std::string> texts;    ///< each once
  std::vector<Frame> frames;         ///< each once
  std::vector<Node> nodes;           ///< parents first
  std::vector<Thread> threads;       ///< those with most samples first
  std::vector<Track> tracks;         ///< by event, thread and CPU
  std::vector<Cell> cells;           ///< by track, node and bin
  /// The same samples without stacks, in narrower bins: all have node 0. They are by track and bin;
  /// empty if `cells` have narrow bins themselves.
  std::vector<Cell> counts;
  std::vector<Hidden> hidden;  ///< by track, bin and name
  ///@{
  /// If bins are wide: of the functions with most samples, all their samples by narrower bins, on
  /// all CPUs by all threads; `track` is one of their event. By track, bin and name.
  std::uint64_t function_width = 1;  ///< of a bin, in ns
  std::vector<Hidden> functions;
  ///@}
  ///@{
  /// With Details::instructions: the samples by place in a function. `node` is an index
  /// in DetailedReport::spots(). By track, place and bin.
  std::uint64_t spot_width = 1;  ///< of a bin, in ns
  std::vector<Cell> spots;
  ///@}
  std::vector<Loss> losses;  ///< by event and bin
  ///@{
  /// Memory accesses: the samples that have a data source or a weight. Empty unless
  /// Details::sharing is set, too.
  std::uint64_t access_width = 1;  ///< of their bins, in ns
  std::vector<Source> sources;     ///< each once
  std::vector<Access> accesses;    ///< by event, bin, line, source and latency
  ///@}
};

/// The maximum sizes of a SampleGrid. To keep them, bins get wider, then CPUs become one, then
/// threads with few samples, then stacks with few samples are cut. Counts without stacks, and of
/// the busiest functions, keep narrower bins.
struct GridLimits {
  std::uint32_t nodes = 1 << 19;      ///< of SampleGrid::nodes
  std::uint32_t cells = 1 << 20;      ///< of SampleGrid::cells, and of SampleGrid::hidden
  std::uint32_t accesses = 1 << 17;   ///< of SampleGrid::accesses
  std::uint32_t counts = 1 << 18;     ///< of SampleGrid::counts
  std::uint32_t functions = 1 << 19;  ///< of SampleGrid::functions
};

/// How often a loop goes round, by its last branch, which goes back to its begin. A branch is
/// `again` or `left` if its stack has what came later: the same branch, or one of the loop's
/// function outside of the loop.
struct Turns {
  ///@{
  /// Numbers of branches; 0 if the branch ends no loop.
  std::uint64_t taken = 0, again = 0, left = 0;
  ///@}
  std::uint64_t timed = 0;   ///< of `again`, how often all branches between have cycles
  std::uint64_t cycles = 0;  ///< their cycles
};

/// The branches of branch stacks that have the same ends. Texts are valid until the report changes.
struct TakenBranch {
  /// The address and the source line of an end, as the keys addr_from and srcline_from have them.
  struct End {
    std::string_view address, srcline;
  };
  End from, to;
  std::uint32_t event = 0;  ///< of the samples, in Report::events()
  std::uint64_t count = 0;  ///< how many there are
  Report::Branches sums = {};
  Turns turns = {};
};

/// The callchains of a report's rows, as a tree.
struct RowChains {
  static constexpr std::uint32_t kRow = UINT32_MAX;
  /// A frame below another one, or a row. Parents come first.
  struct Node {
    std::uint32_t parent = 0;    ///< in `nodes`; of a row, its index in `rows`
    std::uint32_t frame = kRow;  ///< in `names`; kRow: a row
    ///@{
    /// The number of samples whose callchain ends here, and the sum of their periods.
    std::uint64_t samples = 0, period = 0;
    ///@}
  };
  std::vector<Node> nodes;
  std::vector<std::string> names;  ///< as perf has them: an address if there is no function
  std::vector<std::vector<std::string>> rows;  ///< the keys of each
  bool is_pruned = false;  ///< rare callchains were cut off, as all took too much memory
};

/// The parts of a DetailedReport.
struct Details {
  bool grid = false;          ///< DetailedReport::grid()
  bool sharing = false;       ///< DetailedReport::sharing()
  bool branches = false;      ///< DetailedReport::branches()
  bool instructions = false;  ///< InstructionReport::functions()
  ///@{
  /// DetailedReport::chains(): with ReportOptions::children of each function up to the sample's,
  /// otherwise of the sample's.
  bool chains = false;
  bool callers_first = false;  ///< the outermost function comes first
  ///@}
  std::size_t most_frames = SIZE_MAX;  ///< addresses of a callchain
  /// Functions without a name are one row for each file: "libfoo.so (no name)".
  bool nameless_by_file = false;
  /// As in perf, an inlined call is a row apart, "clamp (inlined)", without samples of its own:
  /// they count for the function that has the code.
  bool inlined_apart = false;
};

/// A place in a function.
struct Spot {
  std::uint64_t function = 0;  ///< InstructionReport::Function::number
  std::uint64_t offset = 0;    ///< from InstructionReport::Code::start
};

/// A file of functions without names.
struct UnnamedFile {
  std::string name;           ///< as the key dso has it
  std::string build_id = {};  ///< hexadecimal; empty: unknown
  std::uint64_t samples = 0;  ///< whose instructions are in these functions
};

/// A report that also keeps the samples by stack and time, and the accesses of cache lines.
class DetailedReport : public InstructionReport {
 public:
  DetailedReport(ReportOptions options, Details details);

  /// Forgets what a grid of these limits has no room for; nothing can be added then. This takes
  /// less memory than a smaller grid() of the whole.
  void finish_grid(const GridLimits& limits);
  /// Returns the samples by stack, event, thread, CPU and time; each recording counts from its
  /// first sample. Empty without Details::grid.
  SampleGrid grid(const GridLimits& limits = {}) const;
  /// Returns the cache lines with most contention. They are chosen by `by`; nullopt stands for HITM
  /// if there are any, else peers, else threads. Empty without Details::sharing.
  Sharing sharing(std::optional<Contention> by = {}) const;
  /// Returns the branches of the samples' branch stacks in no order. Empty without
  /// Details::branches.
  std::vector<TakenBranch> branches() const;
  /// Returns of each event how many samples have a branch; 0 without ReportOptions::branches.
  std::vector<std::uint64_t> branching_samples() const;
  /// Returns the callchains of the rows. Empty without Details::chains.
  RowChains chains() const;
  /// Returns the places of SampleGrid::spots, by number.
  std::vector<Spot> spots() const;
  /// Returns the files whose functions lack names, those with most samples first. Only samples
  /// whose functions the report asked for are counted.
  std::vector<UnnamedFile> unnamed() const;
};

}  // namespace evname::report
