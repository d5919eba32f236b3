#include "base/build_id.hpp"

#ifndef __wasm__
#include <link.h>
#endif

namespace evname {
inline namespace base {

std::string build_id_of_notes(Bytes notes) {
  constexpr std::uint32_t kBuildIdNote = 3;
  Cursor in(notes);
  while (in.remaining() > 0 && in.ok()) {
    const std::uint32_t name_size = in.u32(), id_size = in.u32(), type = in.u32();
    const std::string_view name = in.text((std::uint64_t{name_size} + 3) / 4 * 4);
    const Bytes id = in.bytes((std::uint64_t{id_size} + 3) / 4 * 4);
    if (in.ok() && type == kBuildIdNote && name == "GNU" && id_size <= id.size())
      return {reinterpret_cast<const char*>(id.data()), id_size};
  }
  return {};
}

#ifdef __wasm__
std::string own_build_id() { return {}; }
#else
namespace {

struct LoadedImage {
  std::uintptr_t inside;  ///< an address in it
  std::string build_id;
};

/// Reads the notes of a loaded file. Ends the search if it is this file.
int look_at_image(dl_phdr_info* image, std::size_t, void* data) {
  auto& own = *static_cast<LoadedImage*>(data);
  bool is_own = false;
  std::string build_id;
  for (std::size_t i = 0; i < image->dlpi_phnum; ++i) {
    const auto& part = image->dlpi_phdr[i];
    const std::uintptr_t start = image->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD)
      is_own = is_own || (own.inside >= start && own.inside - start < part.p_memsz);
    if (part.p_type == PT_NOTE && build_id.empty())
      build_id =
          build_id_of_notes(Bytes(reinterpret_cast<const std::uint8_t*>(start), part.p_memsz));
  }
  if (is_own) own.build_id = std::move(build_id);
  return is_own ? 1 : 0;
}

}  // namespace

std::string own_build_id() {
  LoadedImage own{reinterpret_cast<std::uintptr_t>(&look_at_image), {}};
  ::dl_iterate_phdr(&look_at_image, &own);
  return own.build_id;
}
#endif

}  // namespace base
}  // namespace evname
