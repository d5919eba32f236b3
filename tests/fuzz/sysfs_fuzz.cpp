// A PMU as sysfs shows it, whose files hold the pieces of the input between NULs; then an event
// text, the last piece, is resolved on it.

#include "evname/machine.hpp"
#include "fuzz/input.hpp"
#include "support/temp_dir.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const evname::test::TempDir dir;
  static constexpr const char* kFiles[] = {"type",
                                           "cpus",
                                           "alias",
                                           "identifier",
                                           "caps/pmu_name",
                                           "format/event",
                                           "format/umask",
                                           "format/long",
                                           "events/plain",
                                           "events/other",
                                           "events/plain.scale",
                                           "events/plain.unit",
                                           "events/plain.per-pkg",
                                           "nr_addr_filters"};
  evname::fuzz::Pieces pieces(data, size);
  for (const char* file : kFiles)
    dir.write(std::string("bus/event_source/devices/cpu/") + file, pieces.until('\0'));
  const auto machine = evname::Machine::named("skylakex", dir.path());
  if (!machine) return 0;
  machine->events("*plain*");
  const auto encodings = machine->resolve(pieces.rest());
  for (std::size_t i = 0; encodings && i < encodings->size(); ++i)
    machine->name_of((*encodings)[i]);
  return 0;
}
