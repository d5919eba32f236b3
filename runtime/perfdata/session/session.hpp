#pragma once
// One pass over the records of a recording, in the order of their times.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evname/error.hpp"
#include "perfdata/session/address_maps.hpp"
#include "perfdata/stream/block_store.hpp"
#include "perfdata/stream/file.hpp"
#include "perfdata/session/group_values.hpp"
#include "perfdata/session/order.hpp"
#include "perfdata/format/sample_record.hpp"
#include "perfdata/stream/stream_reader.hpp"
#include "perfdata/session/threads.hpp"

namespace evname::perfdata {

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
  const AddressMaps& maps;  ///< followed only if asked for
};

/// Where samples go. False ends the pass.
struct SampleSink {
  virtual bool sample(const SampleView& view) = 0;
  /// LOST, LOST_SAMPLES and THROTTLE: `count` samples, or one throttling, of an event; nullptr: it
  /// is not told which.
  virtual void lost(const Event*, std::uint64_t /*count*/) {}
  virtual void throttled(const Event*) {}
  /// The maps of earlier samples are about to change; only where they are followed.
  virtual void before_mapping() {}

 protected:
  ~SampleSink() = default;
};

enum class Order : std::uint8_t {
  time,  ///< as perf orders them: by FINISHED_ROUND; of a directory, by the times of all files
  file,
};

struct PassOptions {
  Order order = Order::time;
  Damage damage = Damage::stop;
  bool maps = false;  ///< follow what is mapped where
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< bytes
  /// The sink parses records itself: of `core` only pid and tid are read, where a sample has
  /// neither counter values nor a tail.
  bool threads_only = false;
  /// Session::advance() returns behind each record that has samples.
  bool stepwise = false;
};

class Session {
 public:
  Session(const File& file, SampleSink& sink, PassOptions options = {});

  ~Session();

  /// The whole pass.
  Tally run();
  /// Goes on with the pass: to its end or, if it is stepwise, behind the next samples. False at the
  /// end.
  bool advance();
  /// What was met so far; warnings come at the end.
  const Tally& tally() const { return tally_; }

 private:
  struct Lane;

  void begin();
  bool go_on();
  bool run_stream(const Stream& stream);
  bool run_merged();
  void add_lanes();
  bool read_piece(Lane& lane);
  bool take(const Record& record, std::uint32_t block);
  bool take_kernel(const Record& record, std::uint32_t block);
  bool deliver_entry(const OrderQueue::Entry& entry);
  bool deliver(const Record& record, const Event* event);
  bool deliver_sample(const Record& record, const Event* event);
  bool follow(const Record& record);
  bool deliver_values(const SampleView& view);
  void count_unknown(const Record& record);
  void count_lost(const Record& record);
  void tell_progress(std::uint64_t position);
  void check_prologue(const Record& record);
  bool relieve();
  void summarize();
  auto delivery() {
    return [this](const OrderQueue::Entry& entry) { return deliver_entry(entry); };
  }

  const File& file_;
  SampleSink& sink_;
  PassOptions options_;
  Warnings warnings_;
  Tally tally_;
  BlockStore blocks_;
  OrderQueue queue_;
  Threads threads_;
  AddressMaps maps_;
  GroupValues values_;
  SampleTail tail_;           ///< of the sample being delivered
  std::uint64_t pushed_ = 0;  ///< records to the queue
  std::uint64_t late_prologue_ = 0;
  std::uint64_t told_ = 0;  ///< records until progress was told
  std::uint64_t done_ = 0;  ///< bytes of streams that are read

  bool begun_ = false;
  bool ended_ = false;
  std::size_t stream_ = 0;                    ///< the one being read, where they are not merged
  std::optional<StreamReader> reader_;        ///< of it
  bool read_all_ = false;                     ///< by reader_; what it read may still be queued
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< where they are merged
};

}  // namespace evname::perfdata
