#include "perf_format/recorded_events.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "perf_format/sample_record.hpp"
#include "perf_format/simpleperf.hpp"

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

namespace {

void add_place(std::vector<std::int16_t>& places, std::int16_t place) {
  if (place != SampleLayout::kAbsent &&
      std::find(places.begin(), places.end(), place) == places.end())
    places.push_back(place);
}

std::vector<std::uint64_t> read_ids(Bytes bytes, std::endian order) {
  std::vector<std::uint64_t> ids(bytes.size() / 8);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = load<std::uint64_t>(bytes.data() + i * 8, order);
  return ids;
}

// Returns the distance of entries in the attrs section: the header's attr_size, unless it can't
// hold the attr or does not divide the section. Entries then follow each other by their own sizes.
std::uint64_t entry_size(const Header& header, std::uint64_t attrs_size, std::uint32_t own_size) {
  const std::uint64_t own = std::uint64_t{own_size} + kSectionBytes;
  const bool usable = header.attr_size >= own && attrs_size % header.attr_size == 0;
  return usable ? header.attr_size : own;
}

}  // namespace

bool is_off_cpu(std::string_view name, const Code& code) {
  return name == "offcpu-time" && is_bpf_output(code);
}

void Event::set_name(std::string text) {
  has_durations = is_off_cpu(text, attr.code);
  off_cpu = has_durations && attr.samples(kSampleRaw);
  name = std::move(text);
}

void Events::add(const Attr& attr, std::vector<std::uint64_t> ids, Section stored) {
  const auto index = static_cast<std::uint32_t>(list_.size());
  for (std::uint64_t id : ids) ids_[id] = index;
  Event event{.attr = attr,
              .ids = std::move(ids),
              .name = std::nullopt,
              .stored = stored,
              .branch_counters = (attr.branch_sample_type & kBranchCounters) != 0,
              .has_tail = has_sample_tail(attr),
              .sample = sample_layout(attr),
              .trailer = trailer_layout(attr)};
  add_place(sample_places_, event.sample.id);
  add_place(trailer_places_, event.trailer.id);
  list_.push_back(std::move(event));
}

void Events::add_id(std::size_t index, std::uint64_t id) {
  if (index >= recorded() || index_of(id) != kNoEvent) return;
  list_[index].ids.push_back(id);
  ids_[id] = static_cast<std::uint32_t>(index);
}

// perf counts ids of such events from the id of the first event on.
void Events::add_made(const Attr& attr, std::string_view name) {
  constexpr std::uint64_t kFirst = 1'000'000'000;
  Event event{.attr = attr,
              .ids = {kFirst + made_++},
              .name = std::string(name),
              .stored = {},
              .has_tail = true,
              .is_made = true,
              .sample = sample_layout(attr),
              .trailer = trailer_layout(attr)};
  list_.push_back(std::move(event));
}

void Events::add_group(std::size_t leader, std::size_t members) {
  if (leader >= list_.size()) return;
  const std::span group(list_.begin() + static_cast<std::ptrdiff_t>(leader),
                        std::min(members, list_.size() - leader));
  const auto has = [](const Event& event) { return event.branch_counters; };
  if (std::any_of(group.begin(), group.end(), has))
    for (Event& event : group) event.branch_counters = true;
}

const Event* Events::of_other(const Record& record, std::endian order) const {
  if (recorded() == 1 || !sample_id_all()) return list_.empty() ? nullptr : &list_[0];
  const Bytes body = record.body();
  for (std::int16_t place : trailer_places_) {
    if (body.size() < static_cast<std::size_t>(place)) continue;
    const Event* event = by_id(load<std::uint64_t>(body.data() + body.size() - place, order));
    if (event && event->trailer.id == place) return event;
  }
  return nullptr;
}

Record Events::without_trailer(const Record& record, std::endian order) const {
  return perf_format::without_trailer(record, of_other(record, order));
}

// Names need not end with a NUL.
Record without_trailer(const Record& record, const Event* event) {
  Record bare = record;
  const auto trailer = event ? static_cast<std::size_t>(event->trailer.size) : 0;
  if (trailer <= record.body().size())
    bare.bytes = record.bytes.first(record.bytes.size() - trailer);
  return bare;
}

void read_attrs(Bytes file, const Header& header, Events& events, Warnings& warnings) {
  Section section = header.attrs;
  if (section.offset > file.size()) return warnings.add(24, "attrs section is past the end");
  if (!section.inside(file.size())) {
    warnings.add(24, "attrs section is cut off by the end of the file");
    section.size = file.size() - section.offset;
  }
  const Bytes attrs = section_of(file, section);
  std::uint64_t unread = file.size();
  for (std::uint64_t at = 0; attrs.size() - at >= kAttrSizeMin + kSectionBytes;) {
    const std::uint64_t offset = section.offset + at;
    const std::uint32_t own = attr_size(attrs.subspan(at), header.order);
    const std::uint64_t entry = entry_size(header, attrs.size(), std::max(own, kAttrSizeMin));
    if (entry > attrs.size() - at) return warnings.add(offset, "attr is longer than its section");
    const Attr attr =
        decode_attr(attrs.subspan(at, std::min<std::uint64_t>(own, entry - 16)), header.order);
    Cursor in(attrs.subspan(at + entry - kSectionBytes), header.order);
    const Section ids{in.u64(), in.u64()};
    // Sections that overlap would take more memory than the file is long.
    const bool usable = ids.inside(file.size()) && ids.size <= unread;
    if (!usable)
      warnings.add(offset, fmt::format("ids of event {} are not in the file", events.size()));
    else
      unread -= ids.size;
    events.add(
        attr, usable ? read_ids(section_of(file, ids), header.order) : std::vector<std::uint64_t>{},
        {offset, entry - kSectionBytes});
    at += entry;
  }
}

bool read_attr_record(const Record& record, std::endian order, Events& events) {
  const Bytes body = record.body();
  if (body.size() < kAttrSizeMin) return false;
  const std::uint32_t size = std::max(attr_size(body, order), kAttrSizeMin);
  if (size > body.size()) return false;
  events.add(decode_attr(body.first(size), order), read_ids(body.subspan(size), order));
  return true;
}

// The names of events.

namespace {

/// Returns false if there is no such event, or if it has a name.
bool give_name(Events& events, std::size_t index, const EventDesc& desc) {
  if (index >= events.size() || events.at(index).name) return false;
  events.at(index).set_name(desc.name);
  return true;
}

bool name_by_ids(Events& events, const EventDesc& desc) {
  for (const std::uint64_t id : desc.ids)
    if (const std::uint32_t index = events.index_of(id); index != kNoEvent)
      return give_name(events, index, desc);
  return false;
}

bool name_by_attr(Events& events, const EventDesc& desc) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (!events.at(i).name && events.at(i).attr == desc.attr) return give_name(events, i, desc);
  return false;
}

void name_tracepoints(const Features& features, Events& events) {
  std::unordered_map<std::uint64_t, const TraceFormat*> formats;
  for (const TraceFormat& format : features.tracing.formats)
    formats.try_emplace(format.id, &format);
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& event = events.at(i);
    const auto at = formats.find(event.attr.code.config[0]);
    if (!event.name && event.attr.code.type == kTypeTracepoint && at != formats.end())
      event.set_name(at->second->system + ':' + at->second->name);
  }
}

}  // namespace

void name_events(const Features& features, Events& events) {
  // name_by_attr() is quadratic, which is fast enough for real files; hostile ones have a limit.
  constexpr std::size_t kSearched = 4096;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < features.event_desc.size(); ++i)
    if (!name_by_ids(events, features.event_desc[i])) left.push_back(i);
  const bool search = events.size() <= kSearched && left.size() <= kSearched;
  std::vector<std::size_t> unmatched;
  for (std::size_t i : left)
    if (!search || !name_by_attr(events, features.event_desc[i])) unmatched.push_back(i);
  for (std::size_t i : unmatched) give_name(events, i, features.event_desc[i]);
  name_by_meta_info(features, events);
  name_tracepoints(features, events);
  // An event is in one group; groups that overlap would make this quadratic.
  std::uint64_t left_in_groups = events.size();
  for (const GroupDesc& group : features.groups) {
    if (group.members > left_in_groups) continue;
    left_in_groups -= group.members;
    events.add_group(group.leader, group.members);
  }
}

}  // namespace evname::perf_format
