#pragma once
// The events of a recording with their recorded names, and the event of each record.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/big_pages.hpp"
#include "evname/features.hpp"
#include "perf_format/event_attr.hpp"
#include "perf_format/file_header.hpp"
#include "perf_format/record.hpp"

namespace evname::perf_format {

/// Returns an odd number that differs between processes, so that nobody can write a recording with
/// ids that all collide.
std::uint64_t hash_factor();

/// A hash map from numbers to indexes, with open addressing. If a number is inserted again, the
/// later index counts, as in perf.
template <class Number>
class IndexMap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void insert(Number number, std::uint32_t index) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = find(number);
    if (slot.index == kNone) ++count_;
    slot = {number, index};
  }
  std::uint32_t operator[](Number number) const {
    return slots_.empty() ? kNone : const_cast<IndexMap*>(this)->find(number).index;
  }
  std::size_t size() const { return count_; }

 private:
  struct Slot {
    Number number = 0;
    std::uint32_t index = kNone;
  };
  using Slots = std::vector<Slot, BigPages<Slot>>;

  // The upper bits of a product spread consecutive numbers, as ids are, and any others.
  Slot& find(Number number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (static_cast<std::uint64_t>(number) * factor_) >> shift_;
    while (slots_[at].index != kNone && slots_[at].number != number) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    Slots old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    shift_ = 64 - std::countr_zero(slots_.size());
    for (const Slot& slot : old)
      if (slot.index != kNone) find(slot.number) = slot;
  }

  Slots slots_;
  std::size_t count_ = 0;
  std::uint64_t factor_ = hash_factor();
  int shift_ = 0;
};

/// The map from sample ids to events.
using IdMap = IndexMap<std::uint64_t>;

struct Event {
  Attr attr;
  std::vector<std::uint64_t> ids;
  std::optional<std::string> name;  ///< as recorded; nullopt: the file has none
  Section stored;  ///< of the attr in a file; the section of its ids is described after it
  /// Its branch stacks come with counters, which the event or one of its group asks for.
  bool branch_counters = false;
  bool has_tail = false;  ///< its samples have fields after the fixed part
  bool off_cpu = false;   ///< a BPF program of perf made its samples, off the CPU
  bool is_made = false;   ///< its samples are made of trace data, and end with SampleParts::flags
  SampleLayout sample;
  SampleLayout trailer;

  /// Sets the name, from which off_cpu follows (evsel__is_offcpu_event of tools/perf).
  void set_name(std::string text);
  bool has_callchain() const { return off_cpu || attr.samples(kSampleCallchain); }
};

class Events {
 public:
  void add(const Attr& attr, std::vector<std::uint64_t> ids, Section stored = {});

  /// Adds an event that the file has no records of; its id is not looked up.
  void add_made(const Attr& attr, std::string_view name);

  /// Makes the event at `leader` and those after it a group of `members`.
  void add_group(std::size_t leader, std::size_t members);

  const std::vector<Event>& list() const { return list_; }
  Event& at(std::size_t index) { return list_[index]; }
  std::size_t size() const { return list_.size(); }
  /// Returns the number of the file's own events, which come first.
  std::size_t recorded() const { return list_.size() - made_; }
  /// Returns the event of an id, IdMap::kNone if there is none. Synthesized records carry id 0 and
  /// belong to the first event.
  std::uint32_t index_of_id(std::uint64_t id) const {
    const std::uint32_t index = ids_[id];
    return index == IdMap::kNone && id == 0 ? 0 : index;
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
  /// Returns the body of a record that is no sample, without the trailer of sample_id_all.
  Record without_trailer(const Record& record, std::endian order) const;
  /// Returns the event that has the id; nullptr if there is none. A file's only event has all ids.
  const Event* of_id(std::uint64_t id) const {
    return recorded() == 1 ? &list_[0] : list_.empty() ? nullptr : by_id(id);
  }
  /// Returns the event that owns an id; kNone if none does.
  std::uint32_t index_of(std::uint64_t id) const { return ids_[id]; }

  /// Returns true if the user part of callchains comes in records of its own.
  bool defer_callchains() const {
    return std::any_of(list_.begin(), list_.end(),
                       [](const Event& event) { return event.attr.has(kDeferCallchain); });
  }
  bool sample_id_all() const { return !list_.empty() && list_[0].attr.has(kSampleIdAll); }

 private:
  const Event* by_id(std::uint64_t id) const {
    const std::uint32_t index = index_of_id(id);
    return index != IdMap::kNone ? &list_[index] : nullptr;
  }

  std::vector<Event> list_;
  std::size_t made_ = 0;  ///< events at the end of the list
  IdMap ids_;
  std::vector<std::int16_t> sample_places_;  ///< the places of ids; most files have one
  std::vector<std::int16_t> trailer_places_;
};

/// Reads the attrs section and the ids that it points to.
void read_attrs(Bytes file, const Header& header, Events& events, Warnings& warnings);

/// Reads a HEADER_ATTR record. Returns false if it is too short.
bool read_attr_record(const Record& record, std::endian order, Events& events);

/// Names events by the entries of EVENT_DESC that have their ids, else the identical attr, else the
/// same position; then tracepoints by their id. Events that the file does not name stay without
/// name.
void name_events(const Features& features, Events& events);

}  // namespace evname::perf_format
