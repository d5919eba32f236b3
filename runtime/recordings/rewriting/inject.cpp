#include "evname/rewrite.hpp"

#include "recordings/rewriting/copy_recording.hpp"

namespace evname {

std::vector<Renamed> names_to_inject(const PerfData& file) {
  std::vector<Renamed> renamed;
  for (const RecordedEvent& event : file.events())
    if (event.named_by == NamedBy::tables && event.full_name() != event.recorded_name)
      renamed.push_back({event.attr, event.recorded_name, event.full_name()});
  return renamed;
}

Result<std::vector<Renamed>> inject(const PerfData& file, const std::string& path) {
  std::vector<Renamed> renamed = names_to_inject(file);
  const auto done = recording::copy_recording(file, {renamed}, path);
  if (!done) return tl::unexpected(done.error());
  return renamed;
}

}  // namespace evname
