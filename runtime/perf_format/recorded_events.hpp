#pragma once
// The events of a recording: their attrs, their recorded names, and the event of each record.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash_map.hpp"
#include "evname/attr.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/file_header.hpp"
#include "perf_format/record.hpp"

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

/// Returns true for the kernel's event whose samples BPF programs write.
inline bool is_bpf_output(const Code& code) {
  constexpr std::uint64_t kBpfOutput = 10;  // PERF_COUNT_SW_BPF_OUTPUT
  return code.type == kTypeSoftware && code.config[0] == kBpfOutput;
}

/// Returns true for events whose samples perf takes for single branches, with their targets as
/// addresses: is_bts_event of tools/perf/util/event.c, which also takes events whose number has
/// more bits, such as branch-misses.
inline bool is_branch_trace(const Attr& attr) {
  constexpr std::uint64_t kBranches = 4;  // PERF_COUNT_HW_BRANCH_INSTRUCTIONS
  return attr.code.type == kTypeHardware && attr.code.config[0] == kBranches &&
         attr.sample_period == 1;
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

/// The index of no event.
inline constexpr std::uint32_t kNoEvent = UINT32_MAX;

/// Returns true for the event of perf record --off-cpu.
bool is_off_cpu(std::string_view name, const Code& code);

struct Event {
  Attr attr;
  std::vector<std::uint64_t> ids;
  std::optional<std::string> name;  ///< as recorded; nullopt: the file has none
  Section stored;  ///< of the attr in a file; the section of its ids is described after it
  /// Its branch stacks come with counters, which the event or one of its group asks for.
  bool branch_counters = false;
  /// Of a tracepoint, if the recording has it; set when the recording is open.
  const TraceFormat* format = nullptr;
  bool has_tail = false;  ///< its samples have fields after the fixed part
  bool off_cpu = false;   ///< its samples have their fields in their raw data, as below
  /// A BPF program of perf made its samples, of threads off their CPU: periods are times, in ns.
  bool has_durations = false;
  bool is_made = false;  ///< its samples are made of trace data, and end with SampleParts::flags
  SampleLayout sample;
  SampleLayout trailer;

  /// Sets the name, off_cpu and has_durations by it (evsel__is_offcpu_event of tools/perf).
  void set_name(std::string text);
  bool has_callchain() const { return off_cpu || attr.samples(kSampleCallchain); }
};

/// Returns a record that is no sample, without the trailer that this event's records have
/// (nullptr: none).
Record without_trailer(const Record& record, const Event* event);

class Events {
 public:
  void add(const Attr& attr, std::vector<std::uint64_t> ids, Section stored = {});

  /// Adds an id, if it is new, to the event at `index`, if there is one.
  void add_id(std::size_t index, std::uint64_t id);

  /// Adds an event that the file has no records of; its id is not looked up.
  void add_made(const Attr& attr, std::string_view name);

  /// Makes the event at `leader` and those after it a group of `members`.
  void add_group(std::size_t leader, std::size_t members);

  const std::vector<Event>& list() const { return list_; }
  Event& at(std::size_t index) { return list_[index]; }
  std::size_t size() const { return list_.size(); }
  /// Returns the number of the file's own events, which come first.
  std::size_t recorded() const { return list_.size() - made_; }
  /// Returns the event of an id, kNoEvent if there is none. Synthesized records carry id 0 and
  /// belong to the first event.
  std::uint32_t index_of_id(std::uint64_t id) const {
    const std::uint32_t index = index_of(id);
    return index == kNoEvent && id == 0 ? 0 : index;
  }
  /// Of one of list().
  std::uint32_t index_of(const Event& event) const {
    return static_cast<std::uint32_t>(&event - list_.data());
  }

  /// Returns the event of a record; nullptr if its id is unknown, or it is too short to have one.
  const Event* of_sample(const Record& record, std::endian order) const {
    if (recorded() == 1) return &list_[0];
    const Bytes body = record.body();
    for (const std::int16_t place : sample_places_) {
      if (body.size() < static_cast<std::size_t>(place) + 8) continue;
      const Event* event = by_id(load<std::uint64_t>(body.data() + place, order));
      if (event && event->sample.id == place) return event;
    }
    return nullptr;
  }
  const Event* of_other(const Record& record, std::endian order) const;
  /// Returns a record that is no sample, without the trailer of sample_id_all.
  Record without_trailer(const Record& record, std::endian order) const;
  /// Returns the event that has the id; nullptr if there is none. A file's only event has all ids.
  const Event* of_id(std::uint64_t id) const {
    return recorded() == 1 ? &list_[0] : list_.empty() ? nullptr : by_id(id);
  }
  /// Returns the event that owns an id, the last one if several do, as in perf; kNoEvent if none
  /// does.
  std::uint32_t index_of(std::uint64_t id) const {
    const auto at = ids_.find(id);
    return at == ids_.end() ? kNoEvent : at->second;
  }

  /// Returns true if the user part of callchains comes in records of its own.
  bool defer_callchains() const {
    return std::any_of(list_.begin(), list_.end(),
                       [](const Event& event) { return event.attr.has(kDeferCallchain); });
  }
  bool sample_id_all() const { return !list_.empty() && list_[0].attr.has(kSampleIdAll); }

 private:
  const Event* by_id(std::uint64_t id) const {
    const std::uint32_t index = index_of_id(id);
    return index != kNoEvent ? &list_[index] : nullptr;
  }

  std::vector<Event> list_;
  std::size_t made_ = 0;  ///< events at the end of the list
  HashMap<std::uint64_t, std::uint32_t> ids_;
  std::vector<std::int16_t> sample_places_;  ///< the places of ids; most files have one
  std::vector<std::int16_t> trailer_places_;
};

/// Reads the attrs section and the ids that it points to.
void read_attrs(Bytes file, const Header& header, Events& events, Warnings& warnings);

/// Reads a HEADER_ATTR record. Returns false if it is too short.
bool read_attr_record(const Record& record, std::endian order, Events& events);

/// Names events by the entries of EVENT_DESC that have their ids, else the identical attr, else the
/// same position; then by simpleperf's META_INFO, and tracepoints by their id. Events that the file
/// does not name stay without name.
void name_events(const Features& features, Events& events);

}  // namespace evname::perf_format
