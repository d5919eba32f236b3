// The least that reading a recording takes: a walk over the headers of its records.
//   bench-walk perf.data    prints how many there are

#include <fmt/format.h>

#include "recordings/stream/recording_file.hpp"

int main(int argc, char** argv) {
  using namespace evname::stream;
  const auto file = argc > 1 ? File::open(argv[1]) : File::open("perf.data");
  if (!file) return 2;
  std::uint64_t records = 0;
  for (const Stream& stream : file->streams) {
    const std::uint8_t* at = stream.bytes.data();
    for (const std::uint8_t* end = at + stream.bytes.size(); end - at >= 8; ++records) {
      const auto size = evname::load<std::uint16_t>(at + 6, file->header.order);
      if (size < 8 || size > end - at) break;
      at += size;
    }
  }
  fmt::print("{}\n", records);
}
