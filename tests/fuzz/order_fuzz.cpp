// A perf.data of which hardly anything may wait in memory. Samples have to come in the order that
// they have where there is room; without room on disk either, none may be missing. Of the first
// byte, bit 0 passes over damage, bit 1 takes away the room on disk, bit 2 leaves the pass at each
// sample.

#include <cstdlib>
#include <optional>
#include <tuple>
#include <vector>

#include "fuzz/input.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/session/session.hpp"
#include "support/environment.hpp"

namespace {

using namespace evname::perfdata;
using namespace evname::perfdata::session;

struct Samples final : SampleSink {
  bool sample(const SampleView& view) override {
    delivered.emplace_back(view.core.time, view.record.offset, &view.event);
    // What has no time comes when it is met, and so earlier than what waits.
    all_timed = all_timed && has_place_in_time(view.core.time);
    return true;
  }
  std::vector<std::tuple<std::uint64_t, std::uint64_t, const Event*>> delivered;
  bool all_timed = true;
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> records;  ///< those of samples
};

Samples read(const stream::File& file, PassOptions options) {
  Samples out;
  Session session(file, out, std::move(options));
  while (session.advance()) {
  }
  const Tally& tally = session.tally();
  out.records = {tally.samples, tally.unknown_ids, tally.malformed};
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool salvage = data[0] & 1, no_room = data[0] & 2, stepwise = data[0] & 4;
  const evname::fuzz::MemoryFile input(evname::fuzz::text_of(data + 1, size - 1));
  const auto file = stream::File::open(input.path());
  if (!file) return 0;
  PassOptions options{.damage = salvage ? evname::perfdata::Damage::salvage
                                        : evname::perfdata::Damage::stop};
  const Samples expected = read(*file, options);

  options.stepwise = stepwise;
  options.waiting = {.records = 64, .bytes = 4096};
  options.progress_interval = 16;
  options.progress = [](std::uint64_t done, std::uint64_t total) {
    if (total != 0 && done > total) std::abort();
  };
  std::optional<evname::test::Environment> nowhere;
  if (no_room) nowhere.emplace("TMPDIR", "/nonexistent");
  const Samples got = read(*file, options);

  if (got.records != expected.records) std::abort();
  const bool ordered = !no_room && expected.all_timed && got.all_timed;
  if (ordered && got.delivered != expected.delivered) std::abort();
  return 0;
}
