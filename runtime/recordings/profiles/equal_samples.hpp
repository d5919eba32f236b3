#pragma once
// Merges samples, and the stacks, locations and binaries that a format writes alike.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "recordings/profiles/profile.hpp"

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

/// Maps equal entries of a table to the first of them. Stacks distinguishes more than OTLP can
/// express: the process of memory, and whether an address belongs to a call or an instruction.
class DistinctPlaces {
 public:
  explicit DistinctPlaces(const Stacks& stacks) : stacks_(stacks) {}

  /// Returns the first stack that is written like this one; kNone for kNone.
  std::uint32_t stack(std::uint32_t stack) {
    if (stack == kNone) return kNone;
    for (; stacks_seen_.size() <= stack; add_stack()) {
    }
    return stacks_seen_[stack];
  }
  /// Returns the index of a location among those that differ.
  std::uint32_t location(std::uint32_t location) {
    for (; locations_seen_.size() <= location; add_location()) {
    }
    return locations_seen_[location];
  }
  /// Returns the index of a binary among those that differ.
  std::uint32_t binary(std::uint32_t binary) {
    for (; binaries_seen_.size() <= binary; add_binary()) {
    }
    return binaries_seen_[binary];
  }

  ///@{
  /// The first of each kind, by index.
  const std::vector<std::uint32_t>& locations() const { return first_locations_; }
  const std::vector<std::uint32_t>& binaries() const { return first_binaries_; }
  ///@}
  /// Returns the lines of a location whose functions are known.
  std::vector<Location::Line> lines(const Location& location) const {
    std::vector<Location::Line> lines;
    for (const Location::Line& line : location.lines)
      if (stacks_.functions()[line.function].known) lines.push_back(line);
    return lines;
  }

 private:
  using LocationKey = std::tuple<std::uint32_t, bool, std::uint64_t,
                                 std::vector<std::pair<std::uint32_t, std::uint32_t>>>;
  using BinaryKey = std::tuple<std::string, std::vector<std::uint8_t>, std::uint64_t, std::uint64_t,
                               std::uint64_t>;

  void add_stack() {
    const auto number = static_cast<std::uint32_t>(stacks_seen_.size());
    const Stacks::Node& node = stacks_.nodes()[number];  // callers come first
    const std::uint32_t caller = node.caller == kNone ? kNone : stacks_seen_[node.caller];
    const std::uint64_t key = std::uint64_t{caller} << 32 | location(node.location);
    stacks_seen_.push_back(stacks_by_key_.try_emplace(key, number).first->second);
  }

  void add_location() {
    const auto number = static_cast<std::uint32_t>(locations_seen_.size());
    const Location& from = stacks_.locations()[number];
    const bool is_known = from.binary != kNone;
    LocationKey key(is_known ? binary(from.binary) : kNone,
                    is_known && stacks_.binaries()[from.binary].kernel, from.address, {});
    for (const Location::Line& line : lines(from))
      std::get<3>(key).emplace_back(line.function, line.line);
    const auto [at, is_new] = locations_by_key_.try_emplace(
        std::move(key), static_cast<std::uint32_t>(first_locations_.size()));
    if (is_new) first_locations_.push_back(number);
    locations_seen_.push_back(at->second);
  }

  void add_binary() {
    const auto number = static_cast<std::uint32_t>(binaries_seen_.size());
    const Binary& from = stacks_.binaries()[number];
    const auto [at, is_new] =
        binaries_by_key_.try_emplace({from.file, from.build_id, from.start, from.end, from.offset},
                                     static_cast<std::uint32_t>(first_binaries_.size()));
    if (is_new) first_binaries_.push_back(number);
    binaries_seen_.push_back(at->second);
  }

  const Stacks& stacks_;
  std::vector<std::uint32_t> stacks_seen_, locations_seen_, binaries_seen_;
  std::vector<std::uint32_t> first_locations_, first_binaries_;
  HashMap<std::uint64_t, std::uint32_t> stacks_by_key_;
  std::map<LocationKey, std::uint32_t> locations_by_key_;
  std::map<BinaryKey, std::uint32_t> binaries_by_key_;
};

}  // namespace evname::profiles
