// A whole perf.data as profiles, as a page's report, and cut to some of its samples.

#include "evname/extract.hpp"
#include "evname/profile.hpp"
#include "evname/report.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evname;
  const fuzz::MemoryFile input(fuzz::text_of(data, size));
  const auto file = PerfData::open(input.path());
  if (!file) return 0;
  const PerfData twice[] = {*file, *file};
  for (const ProfileFormatInfo& info : profile_formats())
    export_profile(twice, {.format = info.format}, [](std::string_view) { return true; });
  ReportOptions options{.keys = {SortKey::event, SortKey::comm, SortKey::cpu}};
  options.timeline = true;
  options.stacks = 100;
  Report report(options);
  report.add(*file);
  report.add(*file);
  report.rows();
  report.timeline();
  report.stacks(50);
  const fuzz::MemoryFile output("");
  extract(*file, {.times = {{0, INT64_MAX}}}, output.path());
  return 0;
}
