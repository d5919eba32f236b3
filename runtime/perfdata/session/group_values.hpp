#pragma once
// Samples that carry counter values (PERF_SAMPLE_READ, the `:S` modifier): each value is a sample
// of the event it counts, with what was counted since its last value as period. Policy:
// deliver_sample_value and deliver_sample_group of tools/perf/util/session.c; inherited counters
// have a value for each thread (perf_sample_id__get_period_storage).

#include <cstdint>
#include <unordered_map>

#include "base/bytes.hpp"
#include "perfdata/format/sample_record.hpp"

namespace evname::perfdata {

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

}  // namespace evname::perfdata
