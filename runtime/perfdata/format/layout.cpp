#include "perfdata/format/layout.hpp"

namespace evname::perfdata {
namespace {

struct Field {
  SampleBit bit;
  std::int16_t SampleLayout::*place;
};

// ID after IDENTIFIER: the kernel writes the same number to both.
constexpr Field kSampleFields[] = {{kSampleIdentifier, &SampleLayout::id},
                                   {kSampleIp, &SampleLayout::ip},
                                   {kSampleTid, &SampleLayout::tid},
                                   {kSampleTime, &SampleLayout::time},
                                   {kSampleAddr, &SampleLayout::addr},
                                   {kSampleId, &SampleLayout::id},
                                   {kSampleStreamId, &SampleLayout::stream_id},
                                   {kSampleCpu, &SampleLayout::cpu},
                                   {kSamplePeriod, &SampleLayout::period}};

// From the end of the record backwards.
constexpr Field kTrailerFields[] = {
    {kSampleIdentifier, &SampleLayout::id},      {kSampleCpu, &SampleLayout::cpu},
    {kSampleStreamId, &SampleLayout::stream_id}, {kSampleId, &SampleLayout::id},
    {kSampleTime, &SampleLayout::time},          {kSampleTid, &SampleLayout::tid}};

}  // namespace

SampleLayout sample_layout(const Attr& attr) {
  SampleLayout layout;
  for (const Field& field : kSampleFields) {
    if (!attr.samples(field.bit)) continue;
    if (layout.*field.place == SampleLayout::kAbsent) layout.*field.place = layout.size;
    layout.size = static_cast<std::int16_t>(layout.size + 8);
  }
  return layout;
}

SampleLayout trailer_layout(const Attr& attr) {
  SampleLayout layout;
  if (!attr.has(kSampleIdAll)) return layout;
  for (const Field& field : kTrailerFields) {
    if (!attr.samples(field.bit)) continue;
    layout.size = static_cast<std::int16_t>(layout.size + 8);
    if (layout.*field.place == SampleLayout::kAbsent) layout.*field.place = layout.size;
  }
  return layout;
}

}  // namespace evname::perfdata
