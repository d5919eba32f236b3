// Every sample of some recordings as a line of JSON, with the name of its event.
// Usage: annotate perf.data… | python3 query.py
#include <cstdio>
#include <evname/evname.hpp>

namespace {

bool print(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

// Samples are written as they are read: memory does not grow with the file.
evname::Result<evname::SampleTally> write_samples(const char* path) {
  using evname::Field;
  const evname::AnnotateOptions options{
      .format = evname::Format::jsonl,
      .fields = {Field::file, Field::comm, Field::time, Field::full_name, Field::period}};
  return evname::PerfData::open(path).and_then(
      [&](const evname::PerfData& file) { return evname::annotate(file, options, print); });
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  for (int i = 1; i < argc; ++i) {
    const auto tally = write_samples(argv[i]);
    if (!tally) std::fprintf(stderr, "%s\n", tally.error().text().c_str());
    if (!tally || !tally->warnings.empty()) code = 1;
  }
  return code;
}
