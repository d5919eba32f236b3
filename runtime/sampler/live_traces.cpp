#include "sampler/live_traces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace evname::sampler {

using spe::Buffer;
using spe::PacketReader;
using spe::SampleMaker;

LiveTraces::LiveTraces(const spe::Trace& described, std::span<sampling::Ring> rings,
                       std::span<const sampling::TraceSource> sources,
                       const perf_format::Events& events, SampleMaker::ProcessOf process_of)
    : trace_(described) {
  trace_.is_live = true;
  for (const sampling::TraceSource& source : sources) {
    sampling::Ring& ring = rings[source.ring];
    const std::size_t room = PacketReader::kLongestOperation + ring.trace_size();
    areas_.push_back({&ring, source, std::make_unique_for_overwrite<std::uint8_t[]>(room)});
    trace_.queues.push_back({static_cast<std::uint32_t>(source.ring),
                             source.cpu,
                             source.thread,
                             {Buffer{{areas_.back().bytes.get(), 0}}}});
  }
  samples_ =
      std::make_unique<SampleMaker>(trace_, events, std::endian::native, std::move(process_of));
}

void LiveTraces::begin() {
  for (std::size_t i = 0; i < areas_.size(); ++i) take(i);
  samples_->resume();
}

/// Appends the new bytes to the rest of the last walk, which is one operation at most.
void LiveTraces::take(std::size_t number) {
  Area& area = areas_[number];
  Buffer& buffer = trace_.queues[number].buffers.front();
  Bytes left = samples_->unread(number);
  const auto content = area.ring->read_trace();
  if (!content) ++damaged_;
  const sampling::RingContent fresh = content.value_or(sampling::RingContent());
  const std::uint64_t from = fresh.end - fresh.size();
  if (fresh.size() > 0 && !left.empty() && from != buffer.offset + buffer.data.size()) {
    ++damaged_;
    left = {};
  }
  std::uint8_t* const to = area.bytes.get();
  if (!left.empty()) std::memmove(to, left.data(), left.size());
  std::uint8_t* end = std::ranges::copy(fresh.first, to + left.size()).out;
  end = std::ranges::copy(fresh.second, end).out;
  const std::uint64_t place =
      fresh.size() > 0 ? from - left.size() : buffer.offset + buffer.data.size() - left.size();
  area.kept = place;
  buffer = {{to, end}, place, place};
  if (fresh.size() > 0) area.ring->release_trace(fresh.end);
}

void LiveTraces::keep_in(KeptRecords& kept) {
  for (std::size_t i = 0; i < areas_.size(); ++i) {
    const Buffer& buffer = trace_.queues[i].buffers.front();
    const std::uint64_t until = samples_->made_until(i);
    const std::uint64_t from = std::exchange(areas_[i].kept, until);
    if (until == from) continue;
    kept.add_trace(areas_[i].source,
                   {buffer.data.subspan(from - buffer.place, until - from), {}, until});
  }
}

}  // namespace evname::sampler
