#pragma once
// The parts of a sample that are more than a number: callchain, branch stack, data source,
// registers.

#include <cstdint>
#include <string_view>

#include "annotation/text_output.hpp"
#include "evname/perf_data.hpp"

namespace evname::annotation {

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

/// The branch stack:
/// " 0x1000/0x2000/P/-/-/0/CALL " each, newest first: perf_sample__fprintf_brstack of perf 6.1.
void write_branches_text(const Sample& sample, Output& out);

/// JSON: an array of {"from","to","predicted","in_tx","abort","cycles","type"}; CSV: as in text,
/// without the spaces.
void write_branches_value(const Sample& sample, ValueWriter& out);

/// perf_mem_data_src in words:
/// "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", as perf script 6.1 writes it.
/// Layout: union perf_mem_data_src of include/uapi/linux/perf_event.h.
void write_data_src(std::uint64_t value, Output& out);

enum class RegisterSet : std::uint8_t { interrupt, user };

/// Registers by their names:
/// " ABI:2    x0:0x1    x1:0x2 ", nothing where there are none: perf_sample__fprintf_regs.
/// `arch` as uname -m says it ("aarch64").
void write_registers_text(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out);

/// JSON: {"x0":"0x1", …}; CSV: x0=0x1;…
void write_registers_value(const Sample& sample, RegisterSet set, std::string_view arch,
                           ValueWriter& out);

}  // namespace evname::annotation
