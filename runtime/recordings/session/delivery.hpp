#pragma once
// From records to the samples that a sink is handed, and what else a pass learns from them.

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "recordings/format/warnings.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/session/deferred_chains.hpp"
#include "recordings/session/processes.hpp"
#include "recordings/session/session.hpp"

namespace evname::perfdata::session {

/// Samples that carry counter values (PERF_SAMPLE_READ, the `:S` modifier): each value is a sample
/// of the event it counts, with what was counted since its last value as period. Policy:
/// deliver_sample_value and deliver_sample_group of tools/perf/util/session.c; inherited counters
/// have a value for each thread (perf_sample_id__get_period_storage).
class GroupValues {
 public:
  /// Calls `deliver(id, period)` for each value that differs from the last one of its id; it
  /// returns false to stop. Values without an id of their own are the sample's.
  template <class Deliver>
  bool split(const Event& event, const SampleCore& core, Bytes read, std::endian order,
             Deliver&& deliver) {
    const std::uint64_t format = event.attr.read_format;
    Cursor in(read, order);
    std::uint64_t count = 1, value = 0;
    if (format & kReadGroup)
      count = in.u64();
    else
      value = in.u64();
    if (format & kReadTimeEnabled) in.skip(8);
    if (format & kReadTimeRunning) in.skip(8);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
      if (format & kReadGroup) value = in.u64();
      const std::uint64_t id = format & kReadId ? in.u64() : core.id;
      if (format & kReadLost) in.skip(8);
      const std::int32_t tid = event.attr.has(kInherit) ? core.tid : -1;
      const std::uint64_t period = in.ok() ? advance({id, tid}, value) : 0;
      if (period != 0 && !deliver(id, period)) return false;
    }
    return true;
  }

 private:
  struct Key {
    std::uint64_t id;
    std::int32_t tid;  ///< -1: the counter is not inherited
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.id * 0x9e3779b97f4a7c15u) ^ static_cast<std::uint32_t>(key.tid);
    }
  };

  std::uint64_t advance(Key key, std::uint64_t value) {
    std::uint64_t& last = last_[key];
    return value - std::exchange(last, value);
  }

  std::unordered_map<Key, std::uint64_t, Hash> last_;
};

/// Takes the records of a pass in the order they are to be delivered in.
class Delivery {
 public:
  Delivery(const stream::File& file, SampleSink& sink, const PassOptions& options);

  /// Before the first record.
  void begin() { deferred_.collect(file_, damage_, warnings_); }

  /// `event`: of a sample; nullptr: of none. False: nothing more is wanted, for now or at all.
  bool take(const Record& record, const Event* event) {
    return record.type == kRecordSample ? deliver(record, event) : learn(record);
  }
  /// A record of perf's own.
  void take_own(const Record& record) { sink_.other(record); }
  void count_unknown(const Record& record);
  /// Of a record that is no sample.
  void check_length(const Record& record);
  /// Puts what was counted into words.
  void summarize(std::uint64_t late);

  /// The sink wants no more.
  bool ended() const { return ended_; }
  Tally& tally() { return tally_; }
  Warnings& warnings() { return warnings_; }

 private:
  bool deliver(const Record& record, const Event* event);
  bool deliver_values(const SampleView& view);
  bool learn(const Record& record);
  bool follow(const Record& record);
  void count_lost(const Record& record);
  void count_too_long(const Record& record);

  const stream::File& file_;
  SampleSink& sink_;
  bool threads_only_, stepwise_, follow_maps_;
  Damage damage_;
  bool ended_ = false;
  Tally tally_;
  std::uint64_t too_long_ = 0;
  Warnings warnings_;
  Threads threads_;
  AddressMaps maps_;
  Cgroups cgroups_;
  DeferredChains deferred_;
  GroupValues values_;
  SampleTail tail_;  ///< of the sample being delivered
};

}  // namespace evname::perfdata::session
