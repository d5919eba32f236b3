#pragma once
// Samples kept until a thread has time for them.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recording/state.hpp"

namespace evname {

/// Samples, and the text they have become. Records outside of `mapped` are copied: they may be gone
/// by then.
class Batch {
 public:
  explicit Batch(Bytes mapped) : mapped_(mapped) {}

  bool full() const { return items_.size() >= kItems || used_ >= kBytes; }
  bool empty() const { return items_.empty(); }

  void add(const perfdata::SampleView& view, std::uint32_t event) {
    const Bytes record = view.record.bytes;
    const bool stays = std::less_equal<>()(mapped_.data(), record.data()) &&
                       std::less<>()(record.data(), mapped_.data() + mapped_.size());
    items_.push_back({stays ? record.data() : nullptr, event, keep(view.comm)});
    if (view.event.attr.samples(perfdata::kSampleRead)) cores_.push_back(view.core);
    if (!stays) bytes_.insert(bytes_.end(), record.begin(), record.end());
    used_ += record.size();
    maps_ = &view.maps;
  }

  void clear() {
    items_.clear();
    cores_.clear();
    bytes_.clear();
    comms_.clear();
    used_ = 0;
    text.clear();
  }

  /// Calls visit(const Sample&) for each, until it returns false.
  template <class Visit>
  void for_each(const detail::PerfDataState& state, Visit&& visit) const {
    const std::endian order = state.file.header.order;
    const std::uint8_t* copied = bytes_.data();
    auto changed = cores_.begin();
    perfdata::Record record;
    perfdata::SampleCore core;
    perfdata::SampleTail tail;
    for (const Item& item : items_) {
      const perfdata::Event& event = state.file.events.list()[item.event];
      perfdata::read_record(item.data ? item.data : copied, order, record);
      if (!item.data) copied += record.bytes.size();
      perfdata::parse_core(record, event, order, core);
      if (event.attr.samples(perfdata::kSampleRead)) core = *changed++;
      if (event.has_tail) perfdata::parse_tail(record, event, order, tail);
      const perfdata::SampleView view{
          event, core, event.has_tail ? tail : kNoTail, comms_[item.comm], record, *maps_};
      const detail::SampleRef ref{state.events[item.event], view, order != std::endian::native};
      if (!visit(sample_of(ref))) return;
    }
  }

  std::string text;

 private:
  static constexpr perfdata::SampleTail kNoTail{};
  static constexpr std::size_t kItems = 4096;
  static constexpr std::size_t kBytes = 1 << 18;

  /// Small, as it goes from one core to another.
  struct Item {
    const std::uint8_t* data;  ///< the record; nullptr: the next of bytes_
    std::uint32_t event;
    std::uint32_t comm;  ///< of comms_
  };

  /// Mostly it is one of the last few.
  std::uint32_t keep(std::string_view comm) {
    std::size_t at = comms_.size();
    for (std::size_t tries = 0; at > 0 && tries < 8; ++tries)
      if (comms_[--at].data() == comm.data()) return static_cast<std::uint32_t>(at);
    comms_.push_back(comm);
    return static_cast<std::uint32_t>(comms_.size() - 1);
  }

  Bytes mapped_;
  std::vector<Item> items_;
  std::vector<perfdata::SampleCore> cores_;  ///< of samples that stand for counter values
  std::vector<std::uint8_t> bytes_;
  std::vector<std::string_view> comms_;  ///< as the session keeps them
  std::size_t used_ = 0;
  const perfdata::AddressMaps* maps_ = nullptr;
};

}  // namespace evname
