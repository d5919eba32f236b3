// Prints the threads and files of a recording as they come and go. Usage: records RECORDING
#include <evname/evname.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const auto recording = evname::Recording::open(argc > 1 ? argv[1] : "perf.data");
  if (!recording) {
    std::cerr << recording.error().text() << '\n';
    return 1;
  }
  evname::SampleRange pass = recording->samples();
  while (const evname::Record* record = pass.next_record()) {
    if (const auto* comm = record->as<evname::Record::Comm>())
      std::cout << comm->tid << " is named " << comm->name << '\n';
    else if (const auto* task = record->as<evname::Record::Task>())
      std::cout << task->tid << (record->type == 4 ? " ended\n" : " began\n");
    else if (const auto* map = record->as<evname::Record::Map>())
      std::cout << map->pid << " mapped " << map->file << '\n';
    else if (const auto* lost = record->as<evname::Record::Lost>())
      std::cout << lost->lost << " records are lost\n";
  }
}
