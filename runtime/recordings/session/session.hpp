#pragma once
// One pass over the records of a recording, in the order of their times.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recordings/format/sample_record.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::perfdata::session {

class ProcessMaps;

/// What a pass met. Every SAMPLE record counts in exactly one of the first three.
struct Tally {
  std::uint64_t samples = 0;      ///< read; a sample of counter values is delivered once for each
  std::uint64_t unknown_ids = 0;  ///< samples that belong to no event of the file
  std::uint64_t malformed = 0;    ///< samples shorter than their event says
  std::uint64_t malformed_others = 0;
  std::uint64_t unknown_values = 0;   ///< counter values of no event of the file
  std::uint64_t unknown_records = 0;  ///< of types not known here; skipped
  std::uint64_t lost = 0;             ///< samples that the recorder says it lost
  std::uint64_t late = 0;             ///< records delivered after later ones
  RecordCounts records;
  std::vector<std::string> warnings;
};

/// A delivered sample; views hold during the call only, `comm` as long as the session.
struct SampleView {
  const Event& event;
  const SampleCore& core;
  const SampleTail& tail;
  std::string_view comm;
  const Record& record;
  const ProcessMaps& maps;       ///< of its process; followed only if asked for
  std::string_view cgroup = {};  ///< its path, which lasts as long as the session; empty: not told
};

/// Where samples go. False ends the pass.
struct SampleSink {
  virtual bool sample(const SampleView& view) = 0;
  /// LOST, LOST_SAMPLES and THROTTLE: `count` samples, or one throttling, of an event; nullptr: it
  /// is not told which. `time`, too, may be unknown.
  virtual void lost(const Event*, std::uint64_t /*count*/, std::optional<std::uint64_t> /*time*/) {}
  virtual void throttled(const Event*) {}
  /// Any record that is no sample, without what sample_id_all added to it.
  virtual void other(const Record&) {}
  /// What the maps of earlier samples refer to is about to change, or copies of them make work;
  /// only where they are followed.
  virtual void before_mapping() {}

 protected:
  ~SampleSink() = default;
};

enum class Order : std::uint8_t {
  time,  ///< as perf orders them: by FINISHED_ROUND; of a directory, by the times of all files
  file,
};

/// What may wait in memory for records of earlier times; what is more is spilled to a file.
struct WaitLimits {
  std::size_t records = (1 << 19) - 128;
  std::size_t bytes = 16 << 20;  ///< of blocks that records are in
};

struct PassOptions {
  Order order = Order::time;
  Damage damage = Damage::stop;
  bool maps = false;  ///< follow what is mapped where
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< bytes
  /// The sink parses records itself: of `core` only pid and tid are read, where a sample has
  /// neither counter values nor a tail.
  bool threads_only = false;
  /// Session::advance() returns after each record that has samples.
  bool stepwise = false;
  WaitLimits waiting = {};
  std::uint64_t progress_interval = 1 << 16;  ///< records; at least 1
};

class Session {
 public:
  /// `file` and `sink` outlive the session.
  Session(const stream::File& file, SampleSink& sink, PassOptions options = {});
  ~Session();

  /// The whole pass.
  Tally run();
  /// Goes on with the pass: to its end or, if it is stepwise, past the next samples. False at the
  /// end.
  bool advance();
  /// What was met so far; warnings come at the end.
  const Tally& tally() const;

 private:
  class Pass;
  std::unique_ptr<Pass> pass_;
};

}  // namespace evname::perfdata::session
