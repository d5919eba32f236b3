#pragma once
// Recordings of perf: their events with names, and their samples.

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "evname/attr.hpp"
#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"
#include "evname/pass.hpp"
#include "evname/records.hpp"
#include "evname/symbols.hpp"

namespace evname {

struct Counts;
enum class CountsPer : std::uint8_t;
class MetricFacts;
class Recording;

namespace detail {
struct Access;
struct RecordingState;
class SampleSource;
}  // namespace detail

namespace perf_format {
struct SampleRecord;
}

namespace session {
class ProcessMaps;
}

namespace stream {
struct File;
}

/// The sources of event names.
enum class NamedBy : std::uint8_t {
  recording,  ///< the name that the user or perf gave it
  kernel,     ///< a generic event (hardware, software, cache, …) as perf spells it
  tables,     ///< an event of the machine's tables has exactly this code
  code,       ///< no name alone has this code: `name` has further fields, or fields only
};

/// An event of a recording.
struct EVNAME_API RecordedEvent {
  std::size_t attr = 0;  ///< its index in the file
  /// Symbolic, without modifiers; a spelled-out code if there is none. It has the PMU if another
  /// PMU of the recording or of its machine has an event of this name: "cpu_core/cycles/".
  std::string name;
  std::string recorded_name;  ///< as perf prints it, with modifiers: "r11:u", "cycles:P"
  std::string modifiers;      ///< letters: "u", "ppp"; empty for none
  std::string pmu;    ///< "cpu", "armv8_pmuv3_0", "hardware", "hw_cache", …; "type N" if unnamed
  Code code = {};     ///< the code of its attr
  bool exact = true;  ///< false: no name alone has this code; `name` has the fields, too
  NamedBy named_by = NamedBy::code;  ///< the source of `name`
  std::vector<std::uint64_t> ids;    ///< the kernel's ids, one per opened counter

  /// Returns the name with its modifiers, as perf takes it: "cycles:u", "cpu/event=0x3c,inv=0x1/u".
  /// Events of a recording have the same full name only if their PMU, code, modifiers and period
  /// are the same.
  std::string full_name() const;
  /// Returns the name without the PMU: "cycles" of "cpu_core/cycles/". The view is valid as long as
  /// `name` does not change.
  std::string_view bare_name() const;
};

/// An address in a process or in the kernel.
struct Address {
  std::uint64_t value = 0;  ///< of an instruction; in a stack, of the one after a call
  bool kernel = false;      ///< it is in the kernel's address space
};

/// Returns the name of a marker in Sample::callchain(), such as "PERF_CONTEXT_USER"; "" for an
/// address.
EVNAME_API std::string_view context_name(std::uint64_t word);

/// A sample. It and the views that it returns are valid only during the call that passes it, or
/// until the next SampleRange::next(). A number is nullopt, and a list is empty, if the event does
/// not sample it.
class EVNAME_API Sample {
 public:
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  /// Returns the event, one of Recording::events().
  const RecordedEvent& event() const { return *event_; }
  /// Returns the name of the thread at that time; ":TID" if it is not in the recording; "" without
  /// tid().
  std::string_view comm() const;
  /// Mode of the CPU, as PERF_RECORD_MISC_* bits of the record header.
  std::uint32_t misc() const;
  /// How many of the events the sample stands for; the event's period if the sample has none.
  std::uint64_t period() const;
  /// Process.
  std::optional<std::int32_t> pid() const;
  /// Thread.
  std::optional<std::int32_t> tid() const;
  /// CPU.
  std::optional<std::uint32_t> cpu() const;
  /// Time by the recording's clock, in ns.
  std::optional<std::uint64_t> time() const;
  /// Address of the instruction.
  std::optional<std::uint64_t> ip() const;
  /// Address that the event is about.
  std::optional<std::uint64_t> addr() const;
  /// Physical address.
  std::optional<std::uint64_t> phys_addr() const;
  /// Where data came from, as union perf_mem_data_src.
  std::optional<std::uint64_t> data_src() const;
  /// Cost: mostly a latency in cycles.
  std::optional<std::uint64_t> weight() const;
  /// Latency of the instruction, in cycles.
  std::optional<std::uint32_t> ins_lat() const;
  /// Cycles until it retired.
  std::optional<std::uint32_t> retire_lat() const;
  /// Flags of a transaction's abort, as PERF_TXN_* bits.
  std::optional<std::uint64_t> transaction() const;
  /// The kernel's id of the event.
  std::optional<std::uint64_t> id() const;
  /// Id of the cgroup.
  std::optional<std::uint64_t> cgroup() const;
  /// Page size of the data, in bytes.
  std::optional<std::uint64_t> data_page_size() const;
  /// Page size of the code, in bytes.
  std::optional<std::uint64_t> code_page_size() const;
  /// Return addresses, leaf first, with perf's context markers (from UINT64_MAX - 4094 on).
  SampleWords callchain() const;
  /// From, to and flags of each branch, newest first.
  SampleWords branches() const;
  /// Counts of the group's events in each branch, by the PMU's caps branch_counter_*.
  SampleWords branch_counters() const;
  /// Registers of user space, lowest bit of the event's mask first.
  SampleWords user_registers() const;
  /// Registers at the interrupt, lowest bit of the event's mask first.
  SampleWords interrupt_registers() const;

  /// Returns the path of the cgroup; empty if no record before the sample has it.
  std::string_view cgroup_path() const;
  std::string_view raw() const;  ///< the bytes of RAW, such as the fields of a tracepoint
  /// Returns the value of a field of a tracepoint, such as "prev_state", by the formats that the
  /// recording has; nullopt if the event has no such field, or the sample is too short for it. A
  /// text is valid as long as the sample.
  std::optional<TraceValue> field(std::string_view name) const;
  /// Replaces `stack` with the instruction and its callers, leaf first: the callchain without
  /// context markers or, if there is none, ip() alone. Returns false if a marker is unknown, which
  /// a failed stack walk causes.
  bool stack(std::vector<Address>& stack) const;
  /// Returns the mapping that has an address, for Symbols; nullopt if none is known. Its views are
  /// valid as long as the pass.
  std::optional<Mapping> mapping(Address address) const;

 private:
  friend struct detail::Access;
  EVNAME_HIDDEN Sample(const RecordedEvent& event, const perf_format::SampleRecord& record,
                       const session::ProcessMaps& maps, std::string_view comm,
                       std::string_view cgroup_path, bool swapped)
      : event_(&event),
        record_(&record),
        maps_(&maps),
        comm_(comm),
        cgroup_path_(cgroup_path),
        swapped_(swapped) {}

  const RecordedEvent* event_;
  const perf_format::SampleRecord* record_;
  const session::ProcessMaps* maps_;
  std::string_view comm_, cgroup_path_;
  bool swapped_;  ///< numbers in the record have the other byte order
};

/// Facts about a recording.
struct FileFacts {
  /// A file, a stream, or the directory of `perf record --threads`.
  enum class Form : std::uint8_t {
    file,       ///< a header, a data section, then the features
    pipe,       ///< records only
    directory,  ///< several data files
  };
  std::string path;             ///< as given to Recording::open()
  bool decodes_traces = false;  ///< samples are made of its trace data
  /// The hardware of a trace that can't be decoded, such as "Intel PT"; empty: none.
  std::string undecoded_traces = {};
  Form form = Form::file;         ///< how it is laid out
  bool big_endian = false;        ///< byte order of the recorder
  std::uint64_t header_size = 0;  ///< bytes
  std::uint64_t attr_size = 0;    ///< size in bytes of an entry of the attrs section; 0: a pipe
  ///@{
  /// Position and size of the data section, in bytes.
  std::uint64_t data_offset = 0, data_size = 0;
  ///@}
  std::vector<std::string> streams;  ///< the data.* files of a directory
  ///@{
  /// As recorded; empty if they were not. The kernel's release, as `uname -r` prints it, and perf's
  /// version.
  std::string hostname = {}, os_release = {}, perf_version = {};
  std::vector<std::string> command_line = {};
  ///@}
};

/// Returns perf's name of a record type, such as "SAMPLE"; "UNKNOWN" if it has none.
EVNAME_API std::string_view record_name(std::uint32_t type);

/// A pass over the samples of a recording, one at a time:
///
///     auto samples = file.samples();
///     for (const Sample& sample : samples) …
///     for (const std::string& warning : samples.tally().warnings) …
///
/// It takes constant memory, may be abandoned early, and may outlive the Recording. Only one thread
/// at a time may use it; several ranges over one recording are independent.
class EVNAME_API SampleRange {
 public:
  ///@{
  /// A moved-from range may only be assigned to or destroyed.
  SampleRange(SampleRange&& other) noexcept;
  SampleRange& operator=(SampleRange&& other) noexcept;
  ///@}
  ~SampleRange();

  /// Returns the next sample; nullptr after the last one. The sample and the views that it returns
  /// are valid until the next call, comm() as long as the SampleRange.
  const Sample* next();
  /// Returns the next record, whether it is a sample or not; nullptr after the last one. Records
  /// come in the same order as samples, but records without a time come as they are read, before
  /// those that wait for their turn. A SAMPLE record with counter values (`:S`) comes once for each
  /// event that it counts; samples that next() would skip do not come. Live samples come alone. The
  /// record and its views are valid until the next call, and for a sample, all of next() applies.
  const Record* next_record();
  /// Ends the pass here: next() returns nullptr, and the tally is complete.
  void stop();

  /// An input iterator; incrementing it calls next(). The range must outlive it, and not be moved.
  class Iterator {
   public:
    ///@{
    /// The usual members of an input iterator.
    using iterator_concept = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = Sample;

    explicit Iterator(SampleRange* range) : range_(range), sample_(range->next()) {}
    const Sample& operator*() const { return *sample_; }
    const Sample* operator->() const { return sample_; }
    Iterator& operator++() {
      sample_ = range_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return sample_ == nullptr; }
    ///@}

   private:
    SampleRange* range_;
    const Sample* sample_;
  };
  /// Calls next(), and so begins or continues the pass.
  Iterator begin() { return Iterator(this); }
  /// The end: next() returned nullptr.
  std::default_sentinel_t end() const { return {}; }

  /// Returns the tally of the pass so far; there are no warnings before its end.
  SampleTally tally() const;

 private:
  friend class Recording;
  friend struct detail::Access;
  struct EVNAME_HIDDEN State;
  EVNAME_HIDDEN static SampleRange over(const Recording& data,
                                        std::shared_ptr<detail::SampleSource> source);
  EVNAME_HIDDEN explicit SampleRange(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Reads the letters of perf's --itrace: `f` first level, `m` last level, `t` TLB, `b` branches,
/// `a` accesses to another socket, `M` memory, `i` instructions, `i100i` of one operation in 100,
/// `l` or `l2` with branch stacks. Without letters, all samples are made, but no branch stacks.
/// Letters for other kinds of traces are accepted, as by perf.
[[nodiscard]] EVNAME_API Result<TraceOptions> parse_trace_options(std::string_view letters);

/// A recording. A value type: copies are cheap and share immutable state, which the views and
/// references that it returns are part of: they are valid as long as it or a copy exists.
/// Thread-safe. The file must not be truncated while it is in use.
class EVNAME_API Recording {
 public:
  /// Opens a perf.data file, a directory of `perf record --threads`, the output of
  /// `perf record -o -`, or "-" for standard input. Errors, only if nothing at all can be read: io
  /// if the file can't be opened or read; corrupt if it is not a recording. Other problems are
  /// listed in warnings().
  [[nodiscard]] static Result<Recording> open(const std::string& path,
                                              UserEvents user_events = UserEvents::lay_over);
  /// Does the same, and makes samples from trace data. Their events follow the events of the file.
  [[nodiscard]] static Result<Recording> open(const std::string& path, UserEvents user_events,
                                              const TraceOptions& traces);
  /// Does the same for a recording whose bytes are in memory: a file, or the output of
  /// `perf record -o -`. `name` is its path in messages.
  [[nodiscard]] static Result<Recording> open(std::vector<std::uint8_t> bytes,
                                              std::string name = "bytes",
                                              UserEvents user_events = UserEvents::lay_over,
                                              const TraceOptions& traces = TraceOptions::none());
  /// Does the same for a descriptor: a file is mapped as a whole, a pipe is read from where it is.
  /// It stays the caller's, who may close it at once.
  [[nodiscard]] static Result<Recording> open(int descriptor, std::string name = "descriptor",
                                              UserEvents user_events = UserEvents::lay_over,
                                              const TraceOptions& traces = TraceOptions::none());

  /// Returns the machine that the recording was made on.
  Machine machine() const;
  /// Returns the events, one per attr, in the order of the file.
  std::span<const RecordedEvent> events() const;
  /// Returns the attr of an event; `index` is RecordedEvent::attr.
  const perf_format::Attr& attr(std::size_t index) const;
  /// Returns the file format, and facts that the recording states about itself.
  FileFacts facts() const;
  /// Returns the faults of the file, and the parts that were skipped when it was opened.
  /// Human-readable.
  std::span<const std::string> warnings() const;
  /// Returns the reasons why perf 7.3 would fail to read the recording, a sentence for each; empty
  /// if there are none. evname reads such a recording nevertheless. Checks the header, the events,
  /// the features and the records before the first sample; with `all_records`, it makes a pass over
  /// all records that are not compressed.
  std::vector<std::string> refused_by_perf(bool all_records = false) const;

  /// Calls `fn` with each sample; if `fn` returns false, the pass ends. A recording that comes
  /// through a pipe can be read only once.
  template <class Fn>
  SampleTally for_each_sample(Fn&& fn, const PassOptions& options = {}) const {
    SampleRange range = samples(options);
    for (const Sample& sample : range) {
      if constexpr (std::is_void_v<decltype(fn(sample))>)
        fn(sample);
      else if (!fn(sample))
        break;
    }
    range.stop();
    return range.tally();
  }

  /// Returns the samples as a range, for loops. An exception (std::bad_alloc) ends the pass.
  SampleRange samples(const PassOptions& options = {}) const;

 private:
  friend struct detail::Access;
  EVNAME_HIDDEN explicit Recording(std::shared_ptr<const detail::RecordingState> state);
  [[nodiscard]] EVNAME_HIDDEN static Result<Recording> over(Result<stream::File> file,
                                                            UserEvents user_events);

  std::shared_ptr<const detail::RecordingState> state_;
};

/// The name of Recording before 0.2; it goes with the next release.
using PerfData = Recording;

/// Reads the counts of a `perf stat record` file. Errors: invalid_argument if it has none.
[[nodiscard]] EVNAME_API Result<Counts> read_counts(const Recording& file, CountsPer per);

/// Returns the facts that a recording states about the machine that it was made on.
EVNAME_API MetricFacts recorded_facts(const Recording& file);

/// Names the addresses of samples, and remembers the names, which is much faster than asking
/// Symbols for each address. The first sample of another pass makes it forget them. For one thread
/// at a time.
class EVNAME_API Locations {
 public:
  /// A location (a place in a mapped file) with its functions. A copy has views of the same texts.
  struct Named {
    std::uint32_t id = 0;                ///< its number, unique in the pass; not 0
    std::string_view dso = "[unknown]";  ///< the file, as dso_name() returns it
    bool is_mapped = false;              ///< false: no mapping is known there
    std::string_view build_id = {};      ///< of the file, hexadecimal; empty: unknown
    std::uint64_t offset = 0;            ///< in the file; the address itself if there is no file
    std::span<const Frame> frames = {};  ///< innermost first; at least one

    /// Returns the function of one of the frames; if it is unknown, "libc.so.6+0x1234" or, without
    /// a file, the address.
    EVNAME_API std::string label(const Frame& frame) const;
  };

  /// `symbols` must outlive the object; `file` need not.
  Locations(const Recording& file, const Symbols& symbols);
  Locations(const Recording& file, const Symbols&& symbols) = delete;
  ///@{
  /// A moved-from object may only be assigned to or destroyed.
  Locations(Locations&& other) noexcept;
  Locations& operator=(Locations&& other) noexcept;
  ///@}
  ~Locations();

  /// Does the same as Sample::stack(), and adds the callers in user space if the sample has
  /// registers and a copy of its stack (perf record --call-graph dwarf).
  bool stack(const Sample& sample, std::vector<Address>& stack);
  /// Returns the location of an address of the sample's stack. It and its texts are valid until the
  /// next call.
  const Named& at(const Sample& sample, Address address);

 private:
  friend class Selection;
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace evname
