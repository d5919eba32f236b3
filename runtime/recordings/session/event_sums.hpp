#pragma once
// What the samples of a recording add up to by event, where neither their order nor their threads
// matter: all cores read at once, each its part of the file.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "evname/pass.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::perfdata::session {

struct Sums {
  std::vector<SampleSums> events;  ///< parallel to the file's
  std::uint64_t lost = 0;          ///< of events that are not told, too
  RecordCounts records;
};

struct SumOptions {
  unsigned jobs = 1;
  std::size_t part = 4 << 20;  ///< bytes that one thread reads at a time; at least 8
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< bytes
};

/// nullopt: the recording is a pipe or packed, has samples that stand for several, or there is
/// something to warn about: then only a Session tells all there is to tell.
std::optional<Sums> sum_up(const stream::File& file, const SumOptions& options);

}  // namespace evname::perfdata::session
