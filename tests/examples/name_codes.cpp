// Prints the names of codes. Usage: name_codes CPU PMU CONFIG…: name_codes skylakex cpu 0x20d1
#include <evname/evname.hpp>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto machine = evname::Machine::named(argv[1]);
  if (!machine) {
    std::cerr << machine.error().text() << '\n';
    return 1;
  }
  for (int i = 3; i < argc; ++i) {
    const evname::Code code = evname::make_code(0, {std::stoull(argv[i], nullptr, 0)});
    const evname::CodeNames found = machine->names_of(argv[2], code);
    std::cout << argv[i] << ": " << (found.names.empty() ? found.terms : found.names[0]);
    std::cout << (found.names.empty() || found.exact ? "" : " with " + found.qualifiers) << '\n';
  }
}
