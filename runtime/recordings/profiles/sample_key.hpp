#pragma once
// The keys of formats that add samples up: rows with the same key become one sample.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/hash_map.hpp"
#include "recordings/profiles/walk.hpp"

namespace evname::profiles {

/// The common values of samples that become one sample of a profile.
struct SampleKey {
  std::uint32_t stack, recording;
  Strings::Id comm;
  std::int32_t pid, tid;
  std::uint32_t cpu, event;

  explicit SampleKey(const Row& row)
      : stack(row.stack),
        recording(row.recording),
        comm(row.comm),
        pid(row.pid),
        tid(row.tid),
        cpu(row.cpu),
        event(row.event) {}

  auto operator<=>(const SampleKey&) const = default;
  bool operator==(const SampleKey&) const = default;
  bool differs_by_event(const SampleKey& other) const {
    return std::tie(stack, recording, comm, pid, tid, cpu) !=
           std::tie(other.stack, other.recording, other.comm, other.pid, other.tid, other.cpu);
  }
  auto key() const { return std::tuple(stack, recording, comm, pid, tid, cpu, event); }
};

/// Keeps a value for each key.
template <class Value>
class BySampleKey {
 public:
  struct Entry {
    std::uint32_t stack, whose;
    Value value;
  };

  /// Returns the value of a row's key, valid until the next call.
  Value& of(const Row& row) {
    SampleKey key(row);
    key.stack = 0;
    const std::uint32_t whose = keys_.add(key).first;
    const auto [entry, is_new] = index_.add(std::uint64_t{whose} << 32 | row.stack);
    if (is_new) entries_.push_back({row.stack, whose, {}});
    return entries_[entry].value;
  }

  const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the key of an entry, whose stack is 0.
  const SampleKey& key(const Entry& entry) const { return keys_.keys()[entry.whose]; }

  /// Puts the entries in the order of their keys.
  void sort() {
    const std::vector<SampleKey>& keys = keys_.keys();
    std::vector<std::uint32_t> order(keys.size()), ranks(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::uint32_t at) { return keys[at]; });
    for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::uint32_t>(i);
    std::ranges::sort(entries_, {}, [&](const Entry& one) {
      return std::uint64_t{one.stack} << 32 | ranks[one.whose];
    });
  }

 private:
  Numbers<SampleKey> keys_;
  Numbers<std::uint64_t> index_;  ///< by the number of the key and the stack
  std::vector<Entry> entries_;
};

}  // namespace evname::profiles
