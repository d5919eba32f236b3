#include "filters.hpp"

#include <fmt/format.h>

#include "number_list.hpp"

namespace evname::tools {

void FilterOptions::add_to(Command& command) {
  command.option("--event", event, "Only events whose name matches this glob")
      .value_name("PATTERN");
  command.option("-C,--cpu", cpus, "Only these CPUs: 0,2-3").value_name("LIST").comma_separated();
  command.option("-c,--comm,--comms", comms, "Only threads of these names")
      .value_name("NAMES")
      .comma_separated();
  command.option("--pid", pids, "Only these processes").value_name("LIST").comma_separated();
  command.option("--tid", tids, "Only these threads").value_name("LIST").comma_separated();
  command
      .option("--time", time, "Only these times: A,B in seconds, either may lack; 10%-20%; 10%/2")
      .value_name("TIMES");
}

bool FilterOptions::fill(SampleFilter& filter) const {
  filter.event = event;
  filter.comms = comms;
  return read_numbers("--cpu", cpus, filter.cpus) && read_numbers("--pid", pids, filter.pids) &&
         read_numbers("--tid", tids, filter.tids);
}

Result<void> FilterOptions::fill_times(const PerfData& file, SampleFilter& filter) const {
  if (time.empty()) return {};
  auto times = parse_times(time, file);
  if (!times) return tl::unexpected(times.error());
  filter.times = std::move(*times);
  return {};
}

}  // namespace evname::tools
