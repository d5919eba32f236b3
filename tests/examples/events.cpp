// The events of a recording: as they were asked for, and their names on the machine it is of.
// Usage: events perf.data
#include <cstdio>
#include <evname/evname.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: events perf.data\n"), 2;
  const auto file = evname::PerfData::open(argv[1]);
  if (!file) return std::fprintf(stderr, "%s\n", file.error().text().c_str()), 2;

  std::printf("# %s\n", file->machine().cpu().model.c_str());
  for (const evname::RecordedEvent& event : file->events())
    std::printf("%-24s %-24s %s\n", event.recorded_name.c_str(), event.full_name().c_str(),
                event.pmu.c_str());
  for (const std::string& warning : file->warnings())
    std::fprintf(stderr, "%s: %s\n", argv[1], warning.c_str());
  return file->warnings().empty() ? 0 : 1;
}
