// A perf.data with hardly any memory for waiting records. Samples must come in the same order as
// with enough memory; without room on disk, none may be missing. In the first byte, bit 0 skips
// damage, bit 1 takes away the room on disk.

#include <cstdlib>
#include <optional>
#include <tuple>
#include <vector>

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/session/record_cursor.hpp"
#include "recordings/session/record_order.hpp"
#include "support/environment.hpp"

namespace evname::fuzz::order_target {

namespace {

using namespace evname::perf_format;
using namespace evname::session;

struct Samples {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, const perf_format::Event*>> delivered;
  bool all_timed = true;
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> records;  ///< counts of samples
};

Samples read(const stream::File& file, const evname::PassOptions& options,
             const CursorOptions& more = {}) {
  Samples out;
  RecordCursor cursor(file, options, more);
  while (cursor.next_sample()) {
    const perf_format::SampleRecord& sample = cursor.sample();
    out.delivered.emplace_back(sample.time, sample.record.offset, sample.event);
    // Records without a time come at once, and so before waiting ones.
    out.all_timed = out.all_timed && has_place_in_time(sample.time);
  }
  const evname::SampleTally tally = cursor.tally();
  out.records = {tally.samples, tally.unknown_ids, tally.malformed};
  return out;
}

}  // namespace

FUZZ_TARGET(order, data, size) {
  if (size == 0) return 0;
  const bool salvage = data[0] & 1, no_room = data[0] & 2;
  const evname::fuzz::MemoryFile input(evname::fuzz::text_of(data + 1, size - 1));
  const auto file = stream::File::open(input.path());
  if (!file) return 0;
  evname::PassOptions options{.salvage = salvage};
  const Samples expected = read(*file, options);

  CursorOptions more;
  more.waiting_records = 64;
  more.waiting_bytes = 4096;
  more.progress_interval = 16;
  options.progress = [](std::uint64_t done, std::uint64_t total) {
    if (total != 0 && done > total) std::abort();
    return true;
  };
  std::optional<evname::test::Environment> nowhere;
  if (no_room) nowhere.emplace("TMPDIR", "/nonexistent");
  const Samples got = read(*file, options, more);

  if (got.records != expected.records) std::abort();
  const bool ordered = !no_room && expected.all_timed && got.all_timed;
  if (ordered && got.delivered != expected.delivered) std::abort();
  return 0;
}

}  // namespace evname::fuzz::order_target
