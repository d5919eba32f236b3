#pragma once
// One function for each feature that has a content. Each reads as far as the bytes go; the cursor
// tells whether that was far enough.

#include <string>

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::perfdata {

inline std::string read_string(Cursor& in) { return std::string(in.text(in.u32())); }

/// As many items as the file claims, as long as there are bytes.
template <class T, class Read>
void read_items(Cursor& in, std::uint64_t count, std::vector<T>& list, Read read) {
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    T item = read();
    if (in.ok()) list.push_back(std::move(item));
  }
}
template <class T, class Read>
void read_list(Cursor& in, std::vector<T>& list, Read read) {
  const std::uint32_t count = in.u32();
  read_items(in, count, list, read);
}

// Of the events: feature_events.cpp.
void decode_event_desc(Cursor& in, Features& out);
void decode_mappings(Cursor& in, Features& out);
void decode_groups(Cursor& in, Features& out);
void decode_cpu_caps(Cursor& in, Features& out);
void decode_pmu_caps(Cursor& in, Features& out);
void decode_hybrid(Cursor& in, Features& out);

// Of the machine: feature_machine.cpp.
void decode_topology(Cursor& in, Features& out);
void decode_numa(Cursor& in, Features& out);
void decode_caches(Cursor& in, Features& out);
void decode_memory(Cursor& in, Features& out);

// Of files, programs and traces: feature_files.cpp.
void decode_build_ids(Cursor& in, Features& out);
void decode_auxtrace(Cursor& in, Features& out);
void decode_bpf_programs(Cursor& in, Features& out);
void decode_bpf_btf(Cursor& in, Features& out);

}  // namespace evname::perfdata
