#include "recordings/annotation/stat_lines.hpp"

#include <algorithm>

namespace evname::annotation {
namespace {

// Layout: perf_record_thread_map, perf_record_stat and perf_record_stat_round of
// tools/lib/perf/include/perf/event.h.
constexpr std::uint32_t kThreads = 73, kCount = 76, kRound = 77;

}  // namespace

StatLines::StatLines(const Recording& file)
    : state_(detail::state_of(file)), file_(file), counts_(file.events().size()) {}

bool StatLines::wants(std::uint32_t type) {
  return type == kThreads || type == kCount || type == kRound;
}

void StatLines::add(const perf_format::Record& record, Output& out) {
  constexpr std::size_t kNameBytes = 16;
  Cursor in(record.body(), state_.file.header.order);
  if (record.type == kCount) return add_count(in);
  const std::uint64_t first = in.u64();
  if (record.type == kRound) return write_round(in.u64(), out);
  for (std::uint64_t i = 0; i < first && in.remaining() > 0; ++i) {
    threads_.push_back(static_cast<std::int32_t>(in.u64()));
    in.skip(kNameBytes);
  }
}

void StatLines::add_count(Cursor in) {
  const perf_format::Event* const event = state_.file.events.of_id(in.u64());
  Count count;
  count.cpu = static_cast<std::int32_t>(in.u32());
  count.thread = in.u32();
  count.value = in.u64();
  count.enabled = in.u64();
  count.running = in.u64();
  if (!event || !in.ok()) return;
  std::vector<Count>& all = counts_[state_.file.events.index_of(*event)];
  const auto at = std::find_if(all.begin(), all.end(), [&](const Count& one) {
    return one.cpu == count.cpu && one.thread == count.thread;
  });
  if (at == all.end())
    all.push_back(count);
  else
    *at = count;
}

// __process_stat of tools/perf/builtin-script.c.
void StatLines::write_round(std::uint64_t time, Output& out) {
  if (!std::exchange(has_title_, true))
    out.format("{:>3} {:>8} {:>15} {:>15} {:>15} {:>15} {}\n", "CPU", "THREAD", "VAL", "ENA", "RUN",
               "TIME", "EVENT");
  for (const RecordedEvent& event : file_.events())
    for (const Count& one : counts_[event.attr])
      out.format("{:3} {:8} {:15} {:15} {:15} {:15} {}\n", one.cpu,
                 one.thread < threads_.size() ? threads_[one.thread] : -1, one.value, one.enabled,
                 one.running, time, event.recorded_name);
}

}  // namespace evname::annotation
