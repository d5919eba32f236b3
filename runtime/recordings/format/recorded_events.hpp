#pragma once
// The events of a recording, which of them a record belongs to, and what they are called in it.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evname/features.hpp"
#include "recordings/format/event_attr.hpp"
#include "recordings/format/file_header.hpp"
#include "recordings/format/record.hpp"

namespace evname::perfdata {
inline namespace format {

/// An odd number that differs from one process to the next, so that nobody can write a recording
/// whose ids all meet in one slot.
std::uint64_t hash_factor();

/// From numbers to indexes of something. Open addressing; a later insertion of the same number
/// wins, as in perf.
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

  // The upper bits of a product spread consecutive numbers, as ids are, and any others.
  Slot& find(Number number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (static_cast<std::uint64_t>(number) * factor_) >> shift_;
    while (slots_[at].index != kNone && slots_[at].number != number) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    shift_ = 64 - std::countr_zero(slots_.size());
    for (const Slot& slot : old)
      if (slot.index != kNone) find(slot.number) = slot;
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  std::uint64_t factor_ = hash_factor();
  int shift_ = 0;
};

/// From sample ids to events.
using IdMap = IndexMap<std::uint64_t>;

struct Event {
  Attr attr;
  std::vector<std::uint64_t> ids;
  std::optional<std::string> name;  ///< as recorded; nullopt: the file names it nowhere
  Section stored;  ///< where the attr is in a file; what says where its ids are follows it
  /// Its branch stacks come with counters: asked for by the event or by one of its group.
  bool branch_counters = false;
  bool has_tail = false;  ///< its samples have parts of variable length, or what follows them
  bool off_cpu = false;   ///< its samples are what a BPF program of perf measured off the CPU
  SampleLayout sample;
  SampleLayout trailer;

  /// What it is called tells more than what it is (evsel__is_offcpu_event of tools/perf).
  void set_name(std::string text);
  bool has_callchain() const { return off_cpu || attr.samples(kSampleCallchain); }
};

class Events {
 public:
  void add(const Attr& attr, std::vector<std::uint64_t> ids, Section stored = {});

  /// The event at `leader` and those after it are a group of `members`.
  void add_group(std::size_t leader, std::size_t members);

  const std::vector<Event>& list() const { return list_; }
  Event& at(std::size_t index) { return list_[index]; }
  std::size_t size() const { return list_.size(); }
  /// IdMap::kNone: of no event. Synthesized records carry id 0 and belong to the first.
  std::uint32_t index_of_id(std::uint64_t id) const {
    const std::uint32_t index = ids_[id];
    return index == IdMap::kNone && id == 0 ? 0 : index;
  }
  /// Of one of list().
  std::uint32_t index_of(const Event& event) const {
    return static_cast<std::uint32_t>(&event - list_.data());
  }

  /// nullptr: the record's id is unknown, or it is too short to hold one.
  const Event* of_sample(const Record& record, std::endian order) const {
    if (list_.size() == 1) return &list_[0];
    const Bytes body = record.body();
    for (const std::int16_t place : sample_places_) {
      if (body.size() < static_cast<std::size_t>(place) + 8) continue;
      const Event* event = by_id(load<std::uint64_t>(body.data() + place, order));
      if (event && event->sample.id == place) return event;
    }
    return nullptr;
  }
  const Event* of_other(const Record& record, std::endian order) const;
  /// The record, which is no sample, less what sample_id_all added to it.
  Record without_trailer(const Record& record, std::endian order) const;
  /// nullptr: no event has that id. A file's only event has all of them.
  const Event* of_id(std::uint64_t id) const {
    return list_.size() == 1 ? &list_[0] : list_.empty() ? nullptr : by_id(id);
  }
  /// The event that owns an id; kNone if none does.
  std::uint32_t index_of(std::uint64_t id) const { return ids_[id]; }

  /// Does a record of its own bring the user part of callchains?
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
  IdMap ids_;
  std::vector<std::int16_t> sample_places_;  ///< the places ids are at; one, in sane files
  std::vector<std::int16_t> trailer_places_;
};

/// Reads the attrs section and the ids it points to.
void read_attrs(Bytes file, const Header& header, Events& events, Warnings& warnings);

/// Reads a HEADER_ATTR record; false if it is too short.
bool read_attr_record(const Record& record, std::endian order, Events& events);

/// EVENT_DESC entries to events: by ids, else by identical attr, else by position; then tracepoints
/// by their id. Events the file names nowhere stay without name.
void name_events(const Features& features, Events& events);

}  // namespace format
}  // namespace evname::perfdata
