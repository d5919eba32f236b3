#pragma once
// Where the fields of an event's samples are. Everything before READ is a fixed number of 8-byte
// words, so these places are worked out once for each event.
// Source: perf_output_sample and perf_event__output_id_sample of kernel/events/core.c.

#include <cstdint>

#include "perfdata/format/attr.hpp"

namespace evname::perfdata {

/// Byte offsets into a sample's body, or, for a trailer, back from the end of the record.
struct SampleLayout {
  static constexpr std::int16_t kAbsent = -1;

  std::int16_t id = kAbsent;  ///< of IDENTIFIER, else of ID
  std::int16_t ip = kAbsent;
  std::int16_t tid = kAbsent;  ///< u32 pid, u32 tid
  std::int16_t time = kAbsent;
  std::int16_t addr = kAbsent;
  std::int16_t stream_id = kAbsent;
  std::int16_t cpu = kAbsent;
  std::int16_t period = kAbsent;
  std::int16_t size = 0;  ///< of the fixed part, or of the trailer

  bool operator==(const SampleLayout&) const = default;
};

SampleLayout sample_layout(const Attr& attr);

/// sample_id at the end of other kernel records; size 0 without sample_id_all.
SampleLayout trailer_layout(const Attr& attr);

}  // namespace evname::perfdata
