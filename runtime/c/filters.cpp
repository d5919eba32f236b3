#include "c/filters.hpp"

#include "c/handles.hpp"

namespace evname::c {

SampleFilter filter_of(const evname_filter* from) {
  SampleFilter to;
  if (from == nullptr) return to;
  if (from->event != nullptr) to.event = from->event;
  to.cpus.assign(from->cpus, from->cpus + from->cpus_count);
  to.pids.assign(from->pids, from->pids + from->pids_count);
  to.tids.assign(from->tids, from->tids + from->tids_count);
  to.comms.assign(from->comms, from->comms + from->comms_count);
  for (std::size_t i = 0; i < from->times_count; ++i)
    to.times.push_back({from->times[i].first, from->times[i].last});
  if (from->sym != nullptr) to.sym = from->sym;
  if (from->dso != nullptr) to.dso = from->dso;
  return to;
}

Result<PassOptions> pass_of(const evname_filter* from) {
  if (from == nullptr) return PassOptions();
  auto options = pass_options(from->samples_flags);
  if (options) options->jobs = from->jobs;
  return options;
}

void set_tally(const SampleTally& tally, evname_tally* out) {
  if (out != nullptr) *out = tally_of(tally);
}

}  // namespace evname::c
