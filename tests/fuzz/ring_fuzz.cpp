// Buffers of the kernel with any bytes in them. The input is an attr, a number of words of each of
// two buffers, their places, and the bytes that fill them: in each round a part of what is left.

#include <linux/perf_event.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "fuzz/input.hpp"
#include "sampler/live_samples.hpp"

namespace {

using namespace evname;

/// A buffer in whose page and data anything may be.
class AnyRing {
 public:
  AnyRing(unsigned bits, std::uint64_t start) : data_(std::size_t{1} << bits) {
    page_.data_head = page_.data_tail = start;
  }

  sampling::Ring ring() {
    return sampling::Ring::over(
        page_, {reinterpret_cast<const std::uint8_t*>(data_.data()), data_.size() * 8});
  }
  /// Writes bytes where the kernel would; `lies` is added to its place.
  void write(std::string_view bytes, std::uint64_t lies) {
    auto* const to = reinterpret_cast<char*>(data_.data());
    const std::size_t size = data_.size() * 8;
    for (const char byte : bytes.substr(0, bytes.size() / 8 * 8))
      to[page_.data_head++ % size] = byte;
    page_.data_head += lies;
  }
  bool is_empty() const { return page_.data_tail == page_.data_head; }

 private:
  std::vector<std::uint64_t> data_;
  perf_event_mmap_page page_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kAttr = 136;
  if (size < kAttr + 24) return 0;
  perfdata::Attr attr = perfdata::decode_attr({data, kAttr}, std::endian::native);
  perfdata::Events events;
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
  sampler::LiveSamples live(events, rings, {});
  while (!pieces.rest().empty()) {
    AnyRing& ring = pieces.byte() & 1 ? first : second;
    const std::size_t count = pieces.number<std::uint16_t>() % (std::size_t{8} << bits);
    const std::string_view bytes = pieces.take(count);
    ring.write(bytes, pieces.byte() == 255 ? 3 : 0);
    while (live.next_sample()) {
      const perfdata::SampleRecord& sample = live.contents().sample();
      live.contents().maps().find(sample.ip, false);
      if (sample.event == nullptr) std::abort();
    }
    // Whatever it was, it is given back.
    if (!first.is_empty() || !second.is_empty()) std::abort();
  }
  (void)live.tally();
  return 0;
}
