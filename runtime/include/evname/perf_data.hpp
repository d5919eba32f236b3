#pragma once
// Recordings of perf: their events by name, their samples, and what is written of them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname {

namespace detail {
struct PerfDataState;
struct SampleRef;
}  // namespace detail

/// One event of a recording.
struct RecordedEvent {
  std::size_t attr = 0;       ///< its index in the file
  std::string name;           ///< symbolic, without modifiers; a spelled-out code if there is none
  std::string recorded_name;  ///< as perf prints it, with modifiers: "r11:u", "cycles:P"
  std::string modifiers;      ///< letters: "u", "ppp"; empty for none
  std::string pmu;  ///< "cpu", "armv8_pmuv3_0", "hardware", "hw_cache", …; "type N" if unnamed
  Code code;
  bool exact = true;  ///< false: no name has exactly this code, `name` spells it out
  std::vector<std::uint64_t> ids;
};

/// One sample. Only valid during the call that hands it out, as are the views it returns.
/// nullopt: the event does not sample that field.
class Sample {
 public:
  const RecordedEvent& event() const;
  /// Name of the thread at that time; ":TID" if the recording does not tell; "" without tid().
  std::string_view comm() const;
  std::optional<std::int32_t> pid() const;
  std::optional<std::int32_t> tid() const;
  std::optional<std::uint32_t> cpu() const;
  std::optional<std::uint64_t> time() const;  ///< ns of the recording's clock
  std::optional<std::uint64_t> ip() const;
  std::optional<std::uint64_t> addr() const;
  std::uint64_t period() const;  ///< the event's where the sample has none

  /// For the library's own layers.
  explicit Sample(const detail::SampleRef& ref) : ref_(&ref) {}

 private:
  const detail::SampleRef* ref_;
};

/// What one pass over the samples met. Nothing of it stops a pass.
struct SampleTally {
  std::uint64_t samples = 0;          ///< handed out
  std::uint64_t unknown_ids = 0;      ///< samples of no event of the file: not handed out
  std::uint64_t malformed = 0;        ///< samples shorter than their event says: not handed out
  std::uint64_t lost = 0;             ///< samples the recorder reports as lost
  std::vector<std::string> warnings;  ///< for people, with offsets; at most some 100
};

/// Receives output piecewise; false ends the writing.
using TextSink = std::function<bool(std::string_view)>;

enum class NameStyle : std::uint8_t {
  symbolic,  ///< RecordedEvent::name and modifiers
  recorded,  ///< RecordedEvent::recorded_name: the very bytes of perf script
};

/// A recording. A value; copies share immutable state. All members may be called from several
/// threads. The file must not be shortened meanwhile.
class PerfData {
 public:
  /// A perf.data file, a directory of `perf record --threads`, what `perf record -o -` wrote, or
  /// "-": standard input. Fails only where nothing at all can be read; see warnings() for the rest.
  static Result<PerfData> open(const std::string& path);

  /// The machine recorded on; names are resolved against it.
  const Machine& machine() const;
  std::span<const RecordedEvent> events() const;
  /// What is wrong with the file or was left out on opening it. For people.
  std::span<const std::string> warnings() const;

  /// Calls `fn` with each sample in the order of time. It may return bool: false ends the pass.
  template <class Fn>
  SampleTally for_each_sample(Fn&& fn) const {
    return pass(&fn, [](void* context, const Sample& sample) {
      auto& call = *static_cast<std::remove_reference_t<Fn>*>(context);
      if constexpr (std::is_void_v<decltype(call(sample))>) {
        call(sample);
        return true;
      } else {
        return static_cast<bool>(call(sample));
      }
    });
  }

  /// For the library's own layers.
  explicit PerfData(std::shared_ptr<const detail::PerfDataState> state);
  const detail::PerfDataState& state() const { return *state_; }

 private:
  using Call = bool (*)(void* context, const Sample& sample);
  SampleTally pass(const void* context, Call call) const;

  std::shared_ptr<const detail::PerfDataState> state_;
};

/// A line for each sample, laid out as `perf script -F comm,pid,tid,time,event` does.
SampleTally write_text(const PerfData& file, const TextSink& sink,
                       NameStyle style = NameStyle::symbolic);

/// A JSON object a line for each sample, with these keys in this order: comm, pid, tid, cpu, time
/// (seconds, nine decimals), event (RecordedEvent::name), pmu, code ("0x11"), config1 to config3
/// (only where not 0), attr (index of the event). What was not sampled is null.
SampleTally write_jsonl(const PerfData& file, const TextSink& sink);

}  // namespace evname
