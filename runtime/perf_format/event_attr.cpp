#include "perf_format/event_attr.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

namespace evname::perf_format {
namespace {

std::uint8_t reverse_bits(std::uint8_t byte) {
  std::uint8_t out = 0;
  for (int bit = 0; bit < 8; ++bit)
    if (byte >> bit & 1) out = static_cast<std::uint8_t>(out | 0x80 >> bit);
  return out;
}

// Big-endian compilers allocate bit-fields from the most significant bit: flag i is in byte i/8
// under mask 0x80 >> i%8, and bit 15 is the high bit of precise_ip.
std::uint64_t decode_flags(Bytes stored, std::endian order) {
  if (order == std::endian::little || stored.empty())
    return stored.empty() ? 0 : load<std::uint64_t>(stored.data(), std::endian::little);
  std::uint64_t flags = 0;
  for (std::size_t i = 0; i < 8; ++i)
    flags |= static_cast<std::uint64_t>(reverse_bits(stored[i])) << 8 * i;
  const std::uint64_t precise = flags >> kPreciseIp & 3;
  const std::uint64_t swapped = (precise & 1) << 1 | precise >> 1;
  return (flags & ~(std::uint64_t{3} << kPreciseIp)) | swapped << kPreciseIp;
}

}  // namespace

std::uint32_t attr_size(Bytes bytes, std::endian order) {
  const auto size = load<std::uint32_t>(bytes.data() + 4, order);
  return size == 0 ? kAttrSizeMin : size;
}

Attr decode_attr(Bytes bytes, std::endian order) {
  std::array<std::uint8_t, kAttrSizeKnown> full{};
  std::copy_n(bytes.begin(), std::min<std::size_t>(bytes.size(), full.size()), full.begin());
  Cursor in(full, order);
  Attr attr;
  attr.code.type = in.u32();
  attr.size = in.u32();
  attr.code.config[0] = in.u64();
  attr.sample_period = in.u64();
  attr.sample_type = in.u64();
  attr.read_format = in.u64();
  attr.flags = decode_flags(in.bytes(8), order);
  attr.wakeup = in.u32();
  attr.bp_type = in.u32();
  attr.code.config[1] = in.u64();
  attr.code.config[2] = in.u64();
  attr.branch_sample_type = in.u64();
  attr.regs_user = in.u64();
  attr.stack_user = in.u32();
  attr.clockid = in.u32();
  attr.regs_intr = in.u64();
  attr.aux_watermark = in.u32();
  attr.max_stack = in.u16();
  in.skip(2);
  attr.aux_sample_size = in.u32();
  in.skip(4);
  attr.sig_data = in.u64();
  attr.code.config[3] = in.u64();
  attr.code.config[4] = in.u64();
  return attr;
}

// The places of fields.

namespace {

struct LayoutField {
  SampleBit bit;
  std::int16_t SampleLayout::*place;
};

// IDENTIFIER comes before ID: the kernel writes the same number to both.
constexpr LayoutField kSampleFields[] = {{kSampleIdentifier, &SampleLayout::id},
                                         {kSampleIp, &SampleLayout::ip},
                                         {kSampleTid, &SampleLayout::tid},
                                         {kSampleTime, &SampleLayout::time},
                                         {kSampleAddr, &SampleLayout::addr},
                                         {kSampleId, &SampleLayout::id},
                                         {kSampleStreamId, &SampleLayout::stream_id},
                                         {kSampleCpu, &SampleLayout::cpu},
                                         {kSamplePeriod, &SampleLayout::period}};

// Places in a trailer are counted from the end of the record.
constexpr LayoutField kTrailerFields[] = {
    {kSampleIdentifier, &SampleLayout::id},      {kSampleCpu, &SampleLayout::cpu},
    {kSampleStreamId, &SampleLayout::stream_id}, {kSampleId, &SampleLayout::id},
    {kSampleTime, &SampleLayout::time},          {kSampleTid, &SampleLayout::tid}};

}  // namespace

SampleLayout sample_layout(const Attr& attr) {
  SampleLayout layout;
  for (const LayoutField& field : kSampleFields) {
    if (!attr.samples(field.bit)) continue;
    if (layout.*field.place == SampleLayout::kAbsent) layout.*field.place = layout.size;
    layout.size = static_cast<std::int16_t>(layout.size + 8);
  }
  return layout;
}

SampleLayout trailer_layout(const Attr& attr) {
  SampleLayout layout;
  if (!attr.has(kSampleIdAll)) return layout;
  for (const LayoutField& field : kTrailerFields) {
    if (!attr.samples(field.bit)) continue;
    layout.size = static_cast<std::int16_t>(layout.size + 8);
    if (layout.*field.place == SampleLayout::kAbsent) layout.*field.place = layout.size;
  }
  return layout;
}

}  // namespace evname::perf_format
