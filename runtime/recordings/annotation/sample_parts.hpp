#pragma once
// The parts of a sample that are more than a number: callchain, branch stack, data source,
// registers.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "evname/perf_data.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::annotation {

/// Calls each(address) for the addresses of a callchain, without context markers.
template <class Each>
void for_each_frame(const Sample& sample, Each&& each) {
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i] < recording::kContextMax) each(chain[i]);
}

/// The branch stack:
/// " 0x1000/0x2000/P/-/-/0/CALL/- " each, newest first: perf_sample__fprintf_brstack. `arch` as
/// uname -m says it ("aarch64"): it names the types of branches that only it has.
void write_branches_text(const Sample& sample, std::string_view arch, Output& out);

/// JSON: an array of {"from","to","predicted","not_taken","in_tx","abort","cycles","type","spec"};
/// CSV: as in text, without the spaces.
void write_branches_value(const Sample& sample, std::string_view arch, ValueWriter& out);

/// perf_mem_data_src in words:
/// "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", as perf script writes it; and
/// "|REG MMIO" if there is a memory region, which perf leaves out.
/// Layout: union perf_mem_data_src of include/uapi/linux/perf_event.h.
void write_data_src(std::uint64_t value, Output& out);

enum class RegisterSet : std::uint8_t { interrupt, user };

/// Registers by their names:
/// " ABI:2    x0:0x1    x1:0x2 ", nothing if there are none: perf_sample__fprintf_regs.
/// `arch` as uname -m says it ("aarch64").
void write_registers_text(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out);

/// JSON: {"x0":"0x1", …}; CSV: x0=0x1;…
void write_registers_value(const Sample& sample, RegisterSet set, std::string_view arch,
                           ValueWriter& out);

/// "prev_comm=swapper prev_pid=0 …": every field that is the tracepoint's own (not common_*).
/// Numbers are decimal, pointers and bytes hexadecimal; `printable`: see make_printable().
void write_trace_text(const perfdata::TraceFormat& format, std::string_view raw, bool big_endian,
                      Output& out, bool printable = false);
/// The same as an object (CSV: "name=value;…").
void write_trace_value(const perfdata::TraceFormat& format, std::string_view raw, bool big_endian,
                       ValueWriter& out);

}  // namespace evname::annotation
