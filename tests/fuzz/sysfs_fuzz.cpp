// A PMU as sysfs shows it, whose files hold the pieces of the input between NULs; then an event
// text, the last piece, is resolved on it.

#include "evname/machine.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::sysfs_target {

namespace {

constexpr const char* kFiles[] = {"type",
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
                                  "nr_addr_filters",
                                  "cpumask",
                                  "events/plain.snapshot"};

}  // namespace

FUZZ_TARGET(sysfs, data, size) {
  static evname::fuzz::FileTree tree(kFiles, "bus/event_source/devices/cpu/");
  evname::fuzz::Pieces pieces(data, size);
  tree.fill(pieces);
  const auto machine = evname::Machine::named("skylakex", tree.path());
  if (!machine) return 0;
  machine->events("*plain*");
  const auto encodings = machine->resolve(pieces.rest());
  for (std::size_t i = 0; encodings && i < encodings->size(); ++i)
    machine->name_of((*encodings)[i]);
  return 0;
}

}  // namespace evname::fuzz::sysfs_target
