#pragma once
// Decodes perf_event_attr, and finds the places of the fields of the samples that it describes.

#include <cstdint>

#include "base/bytes.hpp"
#include "evname/attr.hpp"

namespace evname::perf_format {

inline constexpr std::uint32_t kAttrSizeMin = 64;     ///< PERF_ATTR_SIZE_VER0
inline constexpr std::uint32_t kAttrSizeKnown = 144;  ///< up to config4

/// Decodes the attr at the start of `bytes`. Missing fields are zero; further bytes are ignored.
Attr decode_attr(Bytes bytes, std::endian order);

/// Returns the size that an attr claims (0 means 64), without decoding it. `bytes` has at least 8.
std::uint32_t attr_size(Bytes bytes, std::endian order);

/// Returns true for the kernel's event that counts nothing (PERF_COUNT_SW_DUMMY). perf adds it to
/// record mappings, names and the like.
inline bool is_dummy(const Attr& attr) {
  constexpr std::uint64_t kDummy = 9;
  return attr.code.type == kTypeSoftware && attr.code.config[0] == kDummy;
}

// The fields before READ are a fixed number of 8-byte words, so their places are computed once for
// an event. Source: perf_output_sample and perf_event__output_id_sample of kernel/events/core.c.

/// The offsets of fields, in bytes: from the start of a sample's body or, for a trailer, back from
/// the end of the record.
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

/// Returns the layout of sample_id, the trailer of other kernel records; its size is 0 without
/// sample_id_all.
SampleLayout trailer_layout(const Attr& attr);

}  // namespace evname::perf_format
