#include "sampler/ring_merge.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "recordings/session/record_order.hpp"

namespace evname::sampler {
namespace {

constexpr std::endian kOrder = std::endian::native;
constexpr std::uint64_t kFuture = 1'000'000'000;  // ns
constexpr auto kLater = [](const auto* a, const auto* b) { return a->time > b->time; };

}  // namespace

RingMerge::RingMerge(std::span<sampling::Ring> rings, const perf_format::Events& events)
    : events_(events) {
  for (sampling::Ring& ring : rings)
    lanes_.push_back({.ring = &ring, .whole = std::make_unique<std::uint8_t[]>(kLongest)});
  heap_.reserve(lanes_.size());
}

void RingMerge::begin(std::uint64_t limit) {
  limit_ = limit;
  taken_ = nullptr;
  heap_.clear();
  for (Lane& lane : lanes_) {
    const auto content = lane.ring->read();
    if (!content) ++damaged_;
    lane.content = content.value_or(sampling::RingContent());
    lane.at = lane.size = lane.released = 0;
    look(lane);
    if (lane.size != 0) heap_.push_back(&lane);
  }
  std::ranges::make_heap(heap_, kLater);
}

bool RingMerge::next(perf_format::Record& record, const perf_format::Event*& event) {
  if (Lane* const lane = std::exchange(taken_, nullptr)) {
    lane->at += lane->size;
    if (lane->at - lane->released >= lane->ring->size() / 4) give_back(*lane);
    look(*lane);
    // Most often the lane remains the first of the heap.
    const auto below = std::span(heap_).subspan(1, std::min<std::size_t>(2, heap_.size() - 1));
    const auto is_earlier = [&](const Lane* other) { return other->time < lane->time; };
    if (lane->size == 0 || std::ranges::any_of(below, is_earlier)) {
      std::ranges::pop_heap(heap_, kLater);
      if (lane->size != 0)
        std::ranges::push_heap(heap_, kLater);
      else
        heap_.pop_back();
    }
  }
  if (heap_.empty()) {
    end();
    return false;
  }
  taken_ = heap_.front();
  const std::uint8_t* const bytes = bytes_at(*taken_, taken_->size);
  perf_format::read_record(bytes, kOrder, record);
  record.bytes = {bytes, taken_->size};  // even if its header changed since
  record.offset = taken_->content.end - taken_->content.size() + taken_->at;
  event = taken_->event;
  return true;
}

void RingMerge::end() {
  taken_ = nullptr;
  heap_.clear();
  for (Lane& lane : lanes_) give_back(lane);
}

void RingMerge::give_back(Lane& lane) {
  if (lane.released == lane.at) return;
  lane.released = lane.at;
  lane.ring->release(lane.content.end - lane.content.size() + lane.at);
}

void RingMerge::skip_rest(Lane& lane) {
  ++damaged_;
  lane.at = lane.content.size();
  give_back(lane);
}

void RingMerge::look(Lane& lane) {
  lane.size = 0;
  const std::size_t left = lane.content.size() - lane.at;
  if (left == 0) return;
  // Sizes and places are multiples of 8, so that a header is in one piece.
  const auto size = static_cast<std::size_t>(
      left < perf_format::kRecordHeader
          ? 0
          : load<std::uint16_t>(bytes_at(lane, perf_format::kRecordHeader) + 6, kOrder));
  if (size < perf_format::kRecordHeader || size % 8 != 0 || size > left) return skip_rest(lane);
  perf_format::Record record;
  const std::uint8_t* const bytes = bytes_at(lane, size);
  perf_format::read_record(bytes, kOrder, record);
  record.bytes = {bytes, size};
  using namespace session;
  const bool is_sample = record.type == perf_format::kRecordSample;
  lane.event = is_sample ? events_.of_sample(record, kOrder) : nullptr;
  const std::uint64_t time =
      is_sample ? sample_time(record, lane.event, kOrder) : record_time(record, events_, kOrder);
  lane.time = has_place_in_time(time) ? time : 0;  // records without a time come at once
  // A time that far in the future is wrong.
  if (lane.time > limit_ && lane.time - limit_ < kFuture) return;
  lane.size = size;
}

/// Returns the bytes of a record in one piece.
const std::uint8_t* RingMerge::bytes_at(Lane& lane, std::size_t size) {
  const Bytes first = lane.content.first, second = lane.content.second;
  if (lane.at >= first.size()) return second.data() + (lane.at - first.size());
  const std::size_t before = std::min(size, first.size() - lane.at);
  if (before == size) return first.data() + lane.at;
  std::memcpy(lane.whole.get(), first.data() + lane.at, before);
  std::memcpy(lane.whole.get() + before, second.data(), size - before);
  return lane.whole.get();
}

}  // namespace evname::sampler
