#pragma once
// Recordings of perf: their events by name, their samples, and what is written of them.

#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/features.hpp"
#include "evname/machine.hpp"

namespace evname {

namespace detail {
struct Access;
struct PerfDataState;
struct SampleRef;
}  // namespace detail

/// Where the name of an event is from.
enum class NamedBy : std::uint8_t {
  recording,  ///< what the user or perf called it
  kernel,     ///< a generic event (hardware, software, cache, …) as perf spells it
  tables,     ///< the machine's event tables have that very code
  code,       ///< nobody: the code is spelled out
};

/// One event of a recording.
struct EVNAME_API RecordedEvent {
  std::size_t attr = 0;       ///< its index in the file
  std::string name;           ///< symbolic, without modifiers; a spelled-out code if there is none
  std::string recorded_name;  ///< as perf prints it, with modifiers: "r11:u", "cycles:P"
  std::string modifiers;      ///< letters: "u", "ppp"; empty for none
  std::string pmu;    ///< "cpu", "armv8_pmuv3_0", "hardware", "hw_cache", …; "type N" if unnamed
  Code code = {};     ///< of its attr
  bool exact = true;  ///< false: no name has exactly this code, `name` spells it out
  NamedBy named_by = NamedBy::code;  ///< where `name` is from
  std::vector<std::uint64_t> ids;    ///< the kernel's, one per time it was opened

  /// The name with its modifiers, as perf takes it: "cycles:u", "cpu/event=0x3c,inv=0x1/u".
  std::string full_name() const;
};

/// Numbers of a sample, in the recorder's byte order until read.
class SampleWords {
 public:
  /// None.
  SampleWords() = default;
  /// A view of `bytes`, eight a number; `swapped`: of the other byte order.
  SampleWords(std::span<const std::uint8_t> bytes, bool swapped)
      : bytes_(bytes), swapped_(swapped) {}
  /// How many.
  std::size_t size() const { return bytes_.size() / 8; }
  /// Are there none?
  bool empty() const { return size() == 0; }
  /// `index` is less than size().
  std::uint64_t operator[](std::size_t index) const {
    std::uint64_t value;
    std::memcpy(&value, bytes_.data() + index * 8, 8);
    return swapped_ ? __builtin_bswap64(value) : value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool swapped_ = false;
};

/// One sample. Only valid during the call that hands it out, as are the views it returns.
/// nullopt: the event does not sample that field.
class EVNAME_API Sample {
 public:
  /// Of PerfData::events().
  const RecordedEvent& event() const;
  /// Name of the thread at that time; ":TID" if the recording does not tell; "" without tid().
  std::string_view comm() const;
  ///@{
  /// As perf_event_open(2) describes PERF_RECORD_SAMPLE.
  std::optional<std::int32_t> pid() const;
  std::optional<std::int32_t> tid() const;
  std::optional<std::uint32_t> cpu() const;
  std::optional<std::uint64_t> time() const;  ///< ns of the recording's clock
  std::optional<std::uint64_t> ip() const;
  std::optional<std::uint64_t> addr() const;
  std::uint64_t period() const;  ///< the event's where the sample has none
  std::uint16_t misc() const;    ///< of the record: bits 0 to 2 are PERF_RECORD_MISC_CPUMODE
  std::optional<std::uint64_t> id() const;
  std::optional<std::uint64_t> weight() const;      ///< with WEIGHT_STRUCT: its first part
  std::optional<std::uint16_t> ins_lat() const;     ///< WEIGHT_STRUCT only: its second part
  std::optional<std::uint16_t> retire_lat() const;  ///< WEIGHT_STRUCT only: its third part
  std::optional<std::uint64_t> data_src() const;    ///< perf_mem_data_src
  std::optional<std::uint64_t> transaction() const;
  std::optional<std::uint64_t> phys_addr() const;
  std::optional<std::uint64_t> cgroup() const;
  std::optional<std::uint64_t> data_page_size() const;  ///< bytes
  std::optional<std::uint64_t> code_page_size() const;  ///< bytes
  ///@}
  /// Return addresses, leaf first, with perf's context markers (values from UINT64_MAX - 4094 on).
  SampleWords callchain() const;
  SampleWords branches() const;  ///< from, to, flags each; newest first
  /// What the events of the group counted in each branch; the widths are the PMU's
  /// caps branch_counter_nr and branch_counter_width. Empty without PERF_SAMPLE_BRANCH_COUNTERS.
  SampleWords branch_counters() const;
  /// Registers, lowest bit of the event's mask first; empty if there are none.
  SampleWords user_registers() const;
  /// Likewise, of where the event interrupted.
  SampleWords interrupt_registers() const;
  std::string_view raw() const;  ///< bytes of RAW: a tracepoint's fields
  /// Where a user-space address is in the file mapped there; needs PassOptions::maps.
  std::uint64_t file_offset(std::uint64_t address) const;

 private:
  friend struct detail::Access;
  explicit Sample(const detail::SampleRef* state) : state_(state) {}

  const detail::SampleRef* state_;
};

/// What one pass over the samples met. Nothing of it stops a pass.
struct SampleTally {
  std::uint64_t samples = 0;      ///< read; one of counter values (`:S`) is handed out as
                                  ///< a sample of each event it counts
  std::uint64_t unknown_ids = 0;  ///< samples of no event of the file: not handed out
  std::uint64_t malformed = 0;    ///< samples shorter than their event says: not handed out
  std::uint64_t lost = 0;         ///< samples the recorder reports as lost
  /// How many records of each type there were: those that pack others and their contents, too.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> records;
  std::vector<std::string> warnings;  ///< for people, with offsets; at most some 100
};

/// The container of a recording.
struct FileFacts {
  /// What perf wrote: a perf.data, a stream, or the directory of `perf record --threads`.
  enum class Form : std::uint8_t {
    file,       ///< one with a data section and features after it
    pipe,       ///< records only
    directory,  ///< several data files
  };
  std::string path;               ///< as given to PerfData::open()
  Form form = Form::file;         ///< how it is laid out
  bool big_endian = false;        ///< byte order of the recorder
  std::uint64_t header_size = 0;  ///< bytes
  std::uint64_t attr_size = 0;    ///< of an entry of the attrs section; 0: a pipe
  ///@{
  /// Of the data section, in bytes.
  std::uint64_t data_offset = 0, data_size = 0;
  ///@}
  std::vector<std::string> streams;  ///< of a directory: its data.* files
};

/// "SAMPLE", as perf calls the record type; "UNKNOWN" for gaps and what it does not know.
EVNAME_API std::string_view record_name(std::uint32_t type);

/// How a pass goes through a recording.
struct PassOptions {
  /// The order of records in the file, instead of time. By time means as perf orders them: rounds
  /// of the recorder (FINISHED_ROUND), or the times of all files of a directory.
  bool file_order = false;
  /// After a record that can't be delimited, go on at the next place that looks like records.
  bool salvage = false;
  /// Follow what is mapped where, for Sample::file_offset().
  bool maps = false;
  /// Threads to use where several serve; 0: one per core.
  unsigned jobs = 0;
  /// Called now and then with the bytes that have been read, and of how many (0: not known).
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// A pass over the samples of a recording that hands out one at a time:
///
///     auto samples = file.samples();
///     for (const Sample& sample : samples) …
///     for (const std::string& warning : samples.tally().warnings) …
///
/// It takes constant memory, may be left early, and keeps what it needs of the recording: the
/// PerfData may go. Only one thread at a time may use it; a recording can have several at once.
class EVNAME_API SampleRange {
 public:
  ///@{
  /// What was moved from can only be assigned to.
  SampleRange(SampleRange&& other) noexcept;
  SampleRange& operator=(SampleRange&& other) noexcept;
  ///@}
  ~SampleRange();

  /// The next sample; nullptr after the last one. The sample and the views that it returns last
  /// until the next call, comm() as long as the SampleRange.
  const Sample* next();

  /// An input iterator; to increment it is to call next().
  class Iterator {
   public:
    ///@{
    /// As of any input iterator.
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
  /// Calls next(): begins the pass, or goes on with it.
  Iterator begin() { return Iterator(this); }
  /// Where next() returns nullptr.
  std::default_sentinel_t end() const { return {}; }

  /// What the pass has met so far; its warnings come at the end.
  SampleTally tally() const;

 private:
  friend class PerfData;
  struct State;
  explicit SampleRange(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// A recording. A value; copies share immutable state. All members may be called from several
/// threads. The file must not be shortened meanwhile.
class EVNAME_API PerfData {
 public:
  /// A perf.data file, a directory of `perf record --threads`, what `perf record -o -` wrote, or
  /// "-": standard input. Fails only where nothing at all can be read; see warnings() for the rest.
  static Result<PerfData> open(const std::string& path);

  /// The machine recorded on; names are resolved against it.
  const Machine& machine() const;
  /// One per attr, in the order of the file.
  std::span<const RecordedEvent> events() const;
  /// The attr of an event, by RecordedEvent::attr.
  const perfdata::Attr& attr(std::size_t index) const;
  /// What the recording says of its machine and of itself.
  const perfdata::Features& features() const;
  /// The container.
  FileFacts facts() const;
  /// What is wrong with the file or was left out on opening it. For people.
  std::span<const std::string> warnings() const;

  /// Calls `fn` with each sample. It may return bool: false ends the pass. What comes through a
  /// pipe can be passed once.
  template <class Fn>
  SampleTally for_each_sample(Fn&& fn, const PassOptions& options = {}) const {
    return pass(options, &fn, [](void* context, const Sample& sample) {
      auto& call = *static_cast<std::remove_reference_t<Fn>*>(context);
      if constexpr (std::is_void_v<decltype(call(sample))>) {
        call(sample);
        return true;
      } else {
        return static_cast<bool>(call(sample));
      }
    });
  }

  /// The same for a loop: one sample at a time. An exception (std::bad_alloc) ends the pass.
  SampleRange samples(const PassOptions& options = {}) const;

 private:
  friend struct detail::Access;
  explicit PerfData(std::shared_ptr<const detail::PerfDataState> state);

  using Call = bool (*)(void* context, const Sample& sample);
  SampleTally pass(const PassOptions& options, const void* context, Call call) const;

  std::shared_ptr<const detail::PerfDataState> state_;
};

}  // namespace evname
