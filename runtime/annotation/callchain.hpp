#pragma once
// The frames of a sample's callchain, leaf first.

#include "evname/perf_data.hpp"

namespace evname {

// enum perf_callchain_context of include/uapi/linux/perf_event.h.
inline constexpr std::uint64_t kContextHypervisor = -32, kContextKernel = -128, kContextUser = -512,
                               kContextMax = -4095;

/// All addresses; without context markers and what looks like one. `each` takes an address.
template <class Each>
void for_each_frame(const Sample& sample, Each&& each) {
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i] < kContextMax) each(chain[i]);
}

/// Those that perf script prints: at most 127, those of user space as offsets in their files; none
/// where a marker is none it knows (thread__resolve_callchain_sample and add_callchain_ip of
/// tools/perf/util/machine.c), as where a stack walk went astray.
template <class Each>
void for_each_printed_frame(const Sample& sample, Each&& each) {
  constexpr std::size_t kMostFrames = 127;  // PERF_MAX_STACK_DEPTH
  const SampleWords chain = sample.callchain();
  std::size_t end = 0;
  for (std::size_t frames = 0; end < chain.size() && frames < kMostFrames; ++end) {
    const std::uint64_t address = chain[end];
    if (address < kContextMax)
      ++frames;
    else if (address != kContextUser && address != kContextKernel && address != kContextHypervisor)
      return;
  }
  bool user = true;
  for (std::size_t i = 0; i < end; ++i) {
    if (chain[i] >= kContextMax)
      user = chain[i] == kContextUser;
    else
      each(user ? sample.file_offset(chain[i]) : chain[i]);
  }
}

}  // namespace evname
