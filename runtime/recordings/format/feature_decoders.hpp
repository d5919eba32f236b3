#pragma once
// One function for each feature that has a content. Each reads as far as the bytes go; the cursor
// tells whether that was far enough.

#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "evname/features.hpp"
#include "recordings/format/record.hpp"

namespace evname::perfdata {
inline namespace format {

std::string read_string(Cursor& in);

template <std::string Features::*Member>
void decode_string(Cursor& in, Features& out) {
  out.*Member = read_string(in);
}
template <std::uint64_t Features::*Member>
void decode_number(Cursor& in, Features& out) {
  out.*Member = in.u64();
}

// Of the recording.
void decode_command_line(Cursor& in, Features& out);
void decode_sample_time(Cursor& in, Features& out);
void decode_compression(Cursor& in, Features& out);
void decode_clock(Cursor& in, Features& out);

// Of the events.
void decode_event_desc(Cursor& in, Features& out);
void decode_mappings(Cursor& in, Features& out);
void decode_groups(Cursor& in, Features& out);
void decode_cpu_caps(Cursor& in, Features& out);
void decode_pmu_caps(Cursor& in, Features& out);
void decode_hybrid(Cursor& in, Features& out);

// Of the machine.
void decode_cpus(Cursor& in, Features& out);
/// Of an MMAP2 record that has one, without its trailer; else nothing.
std::optional<BuildId> mapped_build_id(const Record& record, std::endian order);
/// Of a BPF_METADATA record: what of it is whole.
BpfMetadata read_bpf_metadata(const Record& record, std::endian order);

void decode_e_machine(Cursor& in, Features& out);
void decode_cpu_domains(Cursor& in, Features& out);
void decode_topology(Cursor& in, Features& out);
void decode_numa(Cursor& in, Features& out);
void decode_caches(Cursor& in, Features& out);
void decode_memory(Cursor& in, Features& out);

// Of files, programs and traces.
void decode_build_ids(Cursor& in, Features& out);
void decode_tracing_data(Cursor& in, Features& out);
void decode_auxtrace(Cursor& in, Features& out);
void decode_bpf_programs(Cursor& in, Features& out);
void decode_bpf_btf(Cursor& in, Features& out);

}  // namespace format
}  // namespace evname::perfdata
