#pragma once
// The keys of formats that add samples up: rows with the same key become one sample.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

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
};

struct SampleKeyHash {
  std::size_t operator()(const SampleKey& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {std::uint64_t{key.stack} << 32 | key.event,
          std::uint64_t{static_cast<std::uint32_t>(key.tid)} << 32 | key.cpu,
          std::uint64_t{key.comm} << 32 | (key.recording ^ static_cast<std::uint32_t>(key.pid))})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15 ^ hash >> 29;
    return hash;
  }
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
    const std::uint32_t whose =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
    if (whose == keys_.size()) keys_.push_back(key);
    const std::uint64_t pair = std::uint64_t{whose} << 32 | row.stack;
    std::uint32_t index = index_[pair];
    if (index == index_.kNone) {
      index = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({row.stack, whose, {}});
      index_.insert(pair, index);
    }
    return entries_[index].value;
  }

  const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the key of an entry, whose stack is 0.
  const SampleKey& key(const Entry& entry) const { return keys_[entry.whose]; }

  /// Puts the entries in the order of their keys.
  void sort() {
    std::vector<std::uint32_t> order(keys_.size()), ranks(keys_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::uint32_t at) { return keys_[at]; });
    for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::uint32_t>(i);
    std::ranges::sort(entries_, {}, [&](const Entry& one) {
      return std::uint64_t{one.stack} << 32 | ranks[one.whose];
    });
  }

 private:
  std::unordered_map<SampleKey, std::uint32_t, SampleKeyHash> numbers_;  ///< to keys_
  std::vector<SampleKey> keys_;
  perf_format::IndexMap<std::uint64_t> index_;  ///< by the number of the key and the stack
  std::vector<Entry> entries_;
};

}  // namespace evname::profiles
