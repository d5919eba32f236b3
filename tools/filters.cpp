#include "filters.hpp"

#include <fmt/format.h>

#include "number_list.hpp"

namespace evname::tools {

void FilterOptions::add_to(CLI::App& command) {
  command.add_option("--event", event, "Only events whose name matches this glob");
  command.add_option("--cpu", cpus, "Only these CPUs: 0,2-3")->delimiter(',');
  command.add_option("--comm", comms, "Only threads of these names")->delimiter(',');
  command.add_option("--pid", pids, "Only these processes")->delimiter(',');
  command.add_option("--tid", tids, "Only these threads")->delimiter(',');
  command.add_option("--time", time, "Only from A to B: A,B in seconds, either may lack");
}

bool FilterOptions::fill(SampleFilter& filter) const {
  filter.event = event;
  filter.comms = comms;
  if (!time.empty()) {
    if (const auto good = filter.set_time(time); !good) {
      fmt::print(stderr, "evname: {}\n", good.error().text());
      return false;
    }
  }
  return read_numbers("--cpu", cpus, filter.cpus) && read_numbers("--pid", pids, filter.pids) &&
         read_numbers("--tid", tids, filter.tids);
}

}  // namespace evname::tools
