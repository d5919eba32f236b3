// The directory of a ZIP archive, and what it says of the content.

#include <cstdlib>

#include "fuzz/target.hpp"
#include "recordings/elf/zip_directory.hpp"

namespace evname::fuzz::zip_target {

FUZZ_TARGET(zip, data, size) {
  const Bytes archive(data, size);
  const auto directory = elf::ZipDirectory::read(archive);
  if (!directory) return 0;
  for (std::size_t place = 0; place < size; place += 1 + size / 256) {
    const auto found = directory->at(place);
    if (!found) continue;
    if (found->start > place || found->size > size - found->start) std::abort();
    if (place - found->start >= found->size) std::abort();
    directory->named(found->name);
  }
  return 0;
}

}  // namespace evname::fuzz::zip_target
