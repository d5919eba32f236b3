#pragma once
// perf_event_attr: decoding it, and where the samples it describes have their fields.

#include <cstdint>

#include "base/bytes.hpp"
#include "evname/attr.hpp"

namespace evname::perfdata {
inline namespace format {

inline constexpr std::uint32_t kAttrSizeMin = 64;     ///< PERF_ATTR_SIZE_VER0
inline constexpr std::uint32_t kAttrSizeKnown = 144;  ///< up to config4

/// Decodes the attr at the start of `bytes`; what is missing reads as zero, what is more is
/// ignored.
Attr decode_attr(Bytes bytes, std::endian order);

/// The size an attr claims (0 means 64), without decoding it. `bytes` holds at least 8.
std::uint32_t attr_size(Bytes bytes, std::endian order);

// Everything before READ is a fixed number of 8-byte words, so the places of an event's fields are
// worked out once. Source: perf_output_sample and perf_event__output_id_sample of
// kernel/events/core.c.

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

}  // namespace format
}  // namespace evname::perfdata
