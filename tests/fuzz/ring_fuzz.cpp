// Buffers of the kernel, and areas of traces beside them, with any bytes in them. The input is an
// attr, a number of words of each of two buffers, their places, and the bytes that fill them or the
// areas: in each round a part of what is left.

#include <linux/perf_event.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "sampler/live_samples.hpp"

namespace evname::fuzz::ring_target {

namespace {

/// A buffer in whose page and data anything may be.
class AnyRing {
 public:
  AnyRing(unsigned bits, std::uint64_t start)
      : data_(std::size_t{1} << bits), area_(data_.size() * 8) {
    page_.data_head = page_.data_tail = page_.aux_head = page_.aux_tail = start;
  }

  sampling::Ring ring() {
    return sampling::Ring::over(
        page_, {reinterpret_cast<const std::uint8_t*>(data_.data()), data_.size() * 8}, area_);
  }
  /// Writes bytes where the kernel would; `lies` is added to its place.
  void write(std::string_view bytes, std::uint64_t lies) {
    auto* const to = reinterpret_cast<char*>(data_.data());
    const std::size_t size = data_.size() * 8;
    for (const char byte : bytes.substr(0, bytes.size() / 8 * 8))
      to[page_.data_head++ % size] = byte;
    page_.data_head += lies;
  }
  /// Does the same with the area.
  void write_trace(std::string_view bytes, std::uint64_t lies) {
    for (const char byte : bytes)
      area_[page_.aux_head++ % area_.size()] = static_cast<std::uint8_t>(byte);
    page_.aux_head += lies;
  }
  bool is_empty() const {
    return page_.data_tail == page_.data_head && page_.aux_tail == page_.aux_head;
  }

 private:
  std::vector<std::uint64_t> data_;
  std::vector<std::uint8_t> area_;
  perf_event_mmap_page page_{};
};

/// The trace that the event of an attr writes: AUXTRACE_INFO of Arm's SPE.
std::shared_ptr<const spe::Trace> trace_of(perf_format::Events& events, std::uint32_t pmu) {
  constexpr std::uint64_t kCpu = 0x1010101010101010, kMidr = 0x410fd0c0;
  const std::uint64_t words[] = {
      std::uint64_t{104} << 48 | 70, 4, 2, 4, pmu, 1, kCpu, 0, 4, kMidr, pmu, 1024, 0};
  const spe::Records info{{reinterpret_cast<const std::uint8_t*>(words), sizeof words}};
  perf_format::Warnings warnings;
  return spe::read_trace({&info, 1}, std::endian::native, {}, {}, events, warnings);
}

}  // namespace

FUZZ_TARGET(ring, data, size) {
  constexpr std::size_t kAttr = 136;
  if (size < kAttr + 24) return 0;
  perf_format::Attr attr = perf_format::decode_attr({data, kAttr}, std::endian::native);
  perf_format::Events events;
  events.add(attr, {1});
  if (data[kAttr] & 1) events.add(attr, {2});
  fuzz::Pieces pieces(data + kAttr + 1, size - kAttr - 1);
  const unsigned bits = 4 + pieces.byte() % 8;
  // Places of the kernel are multiples of 8, unless somebody else wrote them.
  AnyRing first(bits, pieces.number<std::uint64_t>() & ~std::uint64_t{7});
  AnyRing second(bits, pieces.number<std::uint64_t>());
  std::vector<sampling::Ring> rings;
  rings.push_back(first.ring());
  rings.push_back(second.ring());
  const auto trace = data[kAttr] & 2 ? trace_of(events, attr.code.type) : nullptr;
  sampler::LiveSamples live(events, rings, {});
  const sampling::TraceSource sources[] = {{0, -1, 0}, {1, 7, -1}};
  if (trace) live.add_traces(*trace, sources);
  while (!pieces.rest().empty()) {
    const std::uint8_t which = pieces.byte();
    AnyRing& ring = which & 1 ? first : second;
    const std::size_t count = pieces.number<std::uint16_t>() % (std::size_t{8} << bits);
    const std::string_view bytes = pieces.take(count);
    const std::uint64_t lies = pieces.byte() == 255 ? 3 : 0;
    if (trace && (which & 2) != 0)
      ring.write_trace(bytes, lies);
    else
      ring.write(bytes, lies);
    while (live.next_sample()) {
      const perf_format::SampleRecord& sample = live.contents().sample();
      live.contents().maps().find(sample.ip, false);
      if (sample.event == nullptr) std::abort();
    }
    // Whatever it was, it is given back.
    if (!first.is_empty() || !second.is_empty()) std::abort();
  }
  (void)live.tally();
  return 0;
}

}  // namespace evname::fuzz::ring_target
