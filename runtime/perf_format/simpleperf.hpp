#pragma once
// Reads what simpleperf, the profiler of Android, writes into a perf.data beside what perf does.
// Source: record.h, record_file_format.h, record_file.proto and dso.h of system/extras/simpleperf.

#include <bit>
#include <string>

#include "base/bytes.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/record.hpp"
#include "perf_format/recorded_events.hpp"

namespace evname::perf_format {

///@{
/// Read the features FILE, FILE2 and META_INFO.
void decode_file_list(Cursor& in, Features& out);
void decode_file_messages(Cursor& in, Features& out);
void decode_meta_info(Cursor& in, Features& out);
///@}

/// Names events that have no name by the entry "event_type_info" of META_INFO.
void name_by_meta_info(const Features& features, Events& events);

/// Returns true if simpleperf wrote the recording, whose first record has this type.
bool is_of_simpleperf(const Features& features, std::uint32_t first_type);

/// Reads the records of a file that describe it: formats of tracepoints, the kernel's symbols, and
/// ids of events; also those that are split into pieces, as they are longer than records can be.
class SimpleperfRecords {
 public:
  SimpleperfRecords(std::endian order, Features& features, Events& events, Warnings& warnings)
      : order_(order), features_(features), events_(events), warnings_(warnings) {}

  void add(const Record& record);

 private:
  void read(std::uint32_t type, Bytes body, std::uint64_t offset);
  void join(std::uint64_t offset);
  void add_ids(Bytes body);

  std::endian order_;
  Features& features_;
  Events& events_;
  Warnings& warnings_;
  std::string pieces_;
};

}  // namespace evname::perf_format
