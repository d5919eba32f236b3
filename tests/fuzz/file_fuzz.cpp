// A whole perf.data, of any form that has a file.

#include "evname/perf_data.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const evname::fuzz::MemoryFile input(evname::fuzz::text_of(data, size));
  const auto file = evname::PerfData::open(input.path());
  if (!file) return 0;
  const auto sink = [](std::string_view) { return true; };
  evname::write_text(*file, sink);
  evname::write_jsonl(*file, sink);
  return 0;
}
