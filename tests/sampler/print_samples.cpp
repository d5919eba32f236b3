// Prints samples of this program while they are taken, the number of loads and branches that a
// filter selects of them, then the samples that were kept, which it takes twice. Usage:
// print-samples EVENTS FILE [cpus|thread [TRACE_PAGES]]: ends once the file is there.
// traces_test.py runs it.

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <evname/evname.hpp>

namespace {

void print(const char* what, const evname::Sample& sample) {
  std::printf("%s %s %" PRIx64 " %d %" PRIu64 " %d %" PRIx64 " %" PRIu64 "\n", what,
              sample.event().name.c_str(), sample.ip().value_or(0), sample.tid().value_or(-1),
              sample.time().value_or(0), static_cast<int>(sample.cpu().value_or(0)),
              sample.addr().value_or(0), sample.weight().value_or(0));
}

int end_with(const evname::Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto machine = evname::Machine::live();
  if (!machine) return end_with(machine.error());
  evname::SamplerOptions options;
  // There is an area for each CPU then.
  options.inherit = argc == 3 || std::string_view(argv[3]) == "cpus";
  if (argc > 4) options.setup.trace_pages = std::strtoul(argv[4], nullptr, 10);
  options.keep = std::size_t{64} << 20;
  auto sampler = evname::Sampler::open(*machine, argv[1], {}, options);
  if (!sampler) return end_with(sampler.error());
  for (const std::string& note : sampler->warnings())
    std::fprintf(stderr, "note: %s\n", note.c_str());
  for (const evname::RecordedEvent& event : sampler->events())
    std::printf("event %s\n", event.name.c_str());
  const evname::SampleFilter loads{.operations = unsigned(evname::SampledOperation::load)};
  const evname::SampleFilter branches{.operations = unsigned(evname::SampledOperation::branch)};
  const auto are_loads = evname::Selection::make(loads, sampler->recording());
  const auto are_branches = evname::Selection::make(branches, sampler->recording());
  if (!are_loads || !are_branches) return end_with(are_loads.error());
  std::size_t load_count = 0, branch_count = 0;
  if (auto done = sampler->enable(); !done) return end_with(done.error());
  for (bool is_last = false; !is_last;) {
    is_last = access(argv[2], F_OK) == 0;
    for (const evname::Sample& sample : sampler->samples()) {
      print("live", sample);
      load_count += are_loads->accepts(sample);
      branch_count += are_branches->accepts(sample);
    }
    if (!is_last) usleep(1000);
  }
  std::printf("selected %zu %zu\n", load_count, branch_count);
  for (const std::string& note : sampler->samples().tally().gaps)
    std::fprintf(stderr, "note: %s\n", note.c_str());
  const evname::Sampler::Losses losses = sampler->losses();
  std::printf("losses %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", losses.lost, losses.damaged,
              losses.not_kept);
  for (int taken = 0; taken < 2; ++taken) {  // the second has none
    const auto kept = sampler->take_recording();
    if (!kept) return end_with(kept.error());
    for (const std::string& warning : kept->warnings())
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
    evname::SampleRange samples = kept->samples();
    for (const evname::Sample& sample : samples) print("kept", sample);
    for (const std::string& warning : samples.tally().warnings)
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  return 0;
}
