// Prints the instructions with samples of the first event. Usage: instructions RECORDING
#include <evname/evname.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const auto recording = evname::Recording::open(argc > 1 ? argv[1] : "perf.data");
  const evname::Symbols symbols;
  evname::InstructionReport report({.symbols = &symbols});  // filters are options, too
  const auto added = recording ? report.add(*recording) : evname::fail(recording);
  if (!added) {
    std::cerr << added.error().text() << '\n';
    return 1;
  }
  for (const auto& function : report.functions())
    for (const auto& one : report.code(function).instructions)
      if (one.samples[0] > 0)
        std::cout << function.name << ": " << one.samples[0] << " at 0x" << std::hex << one.address
                  << std::dec << ' ' << one.text << '\n';
}
