#pragma once
// Formats that add samples up have one sample for all rows with the same key.

#include <compare>
#include <cstdint>
#include <tuple>

#include "recordings/profiles/walk.hpp"

namespace evname::profile {

/// All that samples have in common that are one sample of a profile.
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

}  // namespace evname::profile
