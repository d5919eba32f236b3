// Prints the events of a CPU whose names match a glob. Usage: list_events CPU GLOB
#include <evname/evname.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const auto machine = argc > 1 ? evname::Machine::named(argv[1]) : evname::Machine::live();
  if (!machine) {
    std::cerr << machine.error().text() << '\n';
    return 1;
  }
  for (const evname::EventInfo& event : machine->events(argc > 2 ? argv[2] : "*"))
    std::cout << event.pmu << '/' << event.terms << "/ " << event.name << ": " << event.desc
              << '\n';
}
