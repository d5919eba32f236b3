// Writes folded stacks, input for flame graphs. Usage: folded RECORDING EVENT
#include <cstdio>
#include <evname/evname.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const auto file = evname::Recording::open(argc > 1 ? argv[1] : "perf.data");
  if (!file) {
    std::cerr << file.error().text() << '\n';
    return 1;
  }
  evname::AnnotateOptions options{.format = evname::Format::folded};
  if (argc > 2) options.filter.event = argv[2];  // or by time, thread, function, …
  const auto done = evname::annotate(*file, options, [](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  });
  if (done) return 0;
  std::cerr << done.error().text() << '\n';
  return 1;
}
