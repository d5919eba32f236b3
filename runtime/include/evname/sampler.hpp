#pragma once
// Samples events inside a program, which reads the samples while they are taken, as it would read a
// recording.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/counters.hpp"
#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"
#include "evname/recorder.hpp"
#include "evname/recording.hpp"
#include "evname/symbols.hpp"

namespace evname {

/// Events that are sampled alike.
struct SampledEvents {
  std::string events;      ///< a list in the syntax of perf's -e: "cache-misses:u", "{a,b}:S"
  Sampling sampling = {};  ///< how often, and the contents of their samples
};

/// How a sampler is opened.
struct SamplerOptions {
  SamplingSetup setup = {};  ///< how its events are opened
  bool inherit = false;      ///< also sample threads and processes that are created later
  /// The clock of the samples' times: CLOCK_MONOTONIC, as std::chrono::steady_clock, or another one
  /// of clock_gettime(2) that the kernel takes. With a trace it is always perf's own clock.
  int clock = 1;
  /// Bytes of records to keep in memory for take_recording(); 0: none are kept.
  std::size_t keep = 0;
  /// Make the thread for start(), which is itself not sampled.
  bool thread = false;
};

/// Samples events, and hands the samples out while the program runs:
///
///     auto sampler = Sampler::open(*machine, "cache-misses:u");
///     sampler->enable();
///     …
///     for (const Sample& sample : sampler->samples()) …    // what there is until now
///
/// Nothing is sampled before enable(), or before the execution of a program if
/// SamplingSetup::enable_on_exec is set. Mappings and names of threads are followed all the time,
/// so that functions have names. Reading a sample allocates nothing; records of new threads and
/// mappings do.
///
/// Samples from an Arm SPE trace (arm_spe_0//) are the same as those that Recording::open() makes
/// of recordings with the defaults of TraceOptions. They come once the hardware hands over a part
/// of its area: at an interrupt, when half of it is full, or with disable().
///
/// File descriptors are close-on-exec. A child of fork(2) can't use its copy of a sampler: calls
/// fail, and destroying it changes nothing in the parent. No signals are used; one that arrives
/// ends wait() early, and changes nothing else. Not thread-safe: one thread at a time.
class EVNAME_API Sampler {
 public:
  /// The losses of a sampler so far. SampleRange::tally() counts samples.
  struct Losses {
    /// Samples that found no room in a buffer, and pieces of a trace that were truncated.
    std::uint64_t lost = 0;
    std::uint64_t damaged = 0;   ///< how often the invalid rest of a buffer was left out
    std::uint64_t not_kept = 0;  ///< records beyond SamplerOptions::keep
  };

  /// Opens events. The message of an error names the event and says why it can't be sampled;
  /// Error::hint proposes a remedy. Errors: unsupported, io and not_found as from Counters::open();
  /// invalid_argument for an unknown field; the errors of Machine::resolve().
  [[nodiscard]] static Result<Sampler> open(const Machine& machine,
                                            std::span<const SampledEvents> events,
                                            const CountTarget& target = {},
                                            const SamplerOptions& options = {});
  /// Does the same for events that are sampled with the defaults of Sampling.
  [[nodiscard]] static Result<Sampler> open(const Machine& machine, std::string_view events,
                                            const CountTarget& target = {},
                                            const SamplerOptions& options = {});

  ///@{
  /// Moved-from samplers may only be assigned to or destroyed.
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;
  ///@}
  /// Stops the thread of start(), and closes the events.
  ~Sampler();

  /// Returns the events as they were opened, with the modifiers that the kernel made necessary.
  /// They are recording().events() without the last one, evname's own event. With a trace they also
  /// have evname's own event, followed by the events that are made from the trace.
  std::span<const RecordedEvent> events() const;
  /// Returns a sentence for each refusal of the kernel, with its replacement.
  std::span<const std::string> warnings() const;
  /// Returns a recording with the sampler's events and no samples, for Selection, Locations and
  /// other classes that take the recording of samples().
  Recording recording() const;

  /// Starts all events. Errors: io.
  [[nodiscard]] Result<void> enable();
  /// Stops all events. Samples that were taken can still be read. Errors: io.
  [[nodiscard]] Result<void> disable();

  /// Waits until a buffer is half full, a sampled thread ends or the time is over. Returns false if
  /// no sampled thread is left. Errors: io.
  [[nodiscard]] Result<bool> wait(unsigned milliseconds);

  /// Returns the samples as a range, always the same one, which lives as long as the sampler.
  /// begin() fixes its end: the samples taken so far, in the order of time. The next begin()
  /// continues with later samples. A sample is valid until the range goes to the next one.
  SampleRange& samples();

  /// Calls `fn` for each sample in a thread of the sampler, every `milliseconds` or when a buffer
  /// is half full, until stop(); meanwhile wait(), take_recording() and scopes fail, and samples()
  /// must not be used. Needs SamplerOptions::thread. Errors: invalid_argument without it, or if it
  /// was called before.
  [[nodiscard]] Result<void> start(std::function<void(const Sample&)> fn,
                                   unsigned milliseconds = 100);
  /// Does the same, but `fn` gets all available samples at once: it iterates over samples().
  [[nodiscard]] Result<void> start_reading(std::function<void(SampleRange&)> fn,
                                           unsigned milliseconds = 100);
  /// Waits until the thread has handed out all samples, and ends it. Errors: io if an exception of
  /// `fn` ended it before; invalid_argument if `fn` calls it.
  [[nodiscard]] Result<void> stop();
  /// Returns false if another thread reads the samples, between start() and stop().
  bool is_readable() const;

  /// Returns the losses so far. Makes a system call for each event and place.
  Losses losses() const;

  /// Returns the samples that were read from samples() since the last call, as a recording for
  /// reports, profiles, text or files; they take at most SamplerOptions::keep bytes of memory until
  /// the recording is destroyed. Errors: invalid_argument if no samples are kept; io.
  [[nodiscard]] Result<Recording> take_recording();

 private:
  struct EVNAME_HIDDEN State;
  friend class SampleScope;
  EVNAME_HIDDEN explicit Sampler(std::unique_ptr<State> state);
  [[nodiscard]] EVNAME_HIDDEN Result<void> check_readable() const;
  std::unique_ptr<State> state_;
};

/// Finds the functions that cause events between two points of a program. For one thread at a time.
/// The sampler must outlive the scope and not be moved, and nothing else may read its samples.
class EVNAME_API SampleScope {
 public:
  /// A function, and its part of the samples.
  struct Function {
    std::string function;       ///< as in its source; the file and the offset if it is unknown
    std::string dso;            ///< the file that has it, as dso_name() returns it
    std::uint64_t samples = 0;  ///< taken in the function itself, not in its callees
    std::uint64_t period = 0;   ///< events that they stand for
  };

  /// Names functions by a Symbols with default options.
  explicit SampleScope(Sampler& sampler);
  /// `symbols` must outlive the scope.
  SampleScope(Sampler& sampler, const Symbols& symbols);
  SampleScope(Sampler& sampler, const Symbols&& symbols) = delete;
  ///@{
  /// A moved-from scope may only be assigned to or destroyed.
  SampleScope(SampleScope&&) noexcept;
  SampleScope& operator=(SampleScope&&) noexcept;
  ///@}
  ~SampleScope();

  /// Drops the samples that were taken before, and starts the events. Errors: io.
  [[nodiscard]] Result<void> start();
  /// Stops the events, and adds the samples since start(). Errors: io.
  [[nodiscard]] Result<void> stop();
  /// Returns the functions of all samples between start() and stop(), the one with most events
  /// first. `event` is an index of Sampler::events().
  std::vector<Function> functions(std::size_t event = 0) const;

 private:
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace evname
