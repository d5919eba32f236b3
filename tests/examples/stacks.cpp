// Prints the stack of each sample, the innermost function first. Usage: stacks RECORDING
#include <evname/evname.hpp>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  const auto recording = evname::Recording::open(argc > 1 ? argv[1] : "perf.data");
  if (!recording) {
    std::cerr << recording.error().text() << '\n';
    return 1;
  }
  const evname::Symbols symbols;
  evname::Locations locations(*recording, symbols);  // remembers the functions of addresses
  std::vector<evname::Address> stack;
  for (const evname::Sample& sample : recording->samples()) {
    std::cout << sample.comm() << "\n";
    locations.stack(sample, stack);
    for (const evname::Address address : stack) {
      const evname::Locations::Named& at = locations.at(sample, address);
      for (const evname::Frame& frame : at.frames)  // with those that are inlined
        std::cout << "  " << at.label(frame) << " (" << at.dso << ")\n";
    }
  }
}
