#include "base/build_id.hpp"

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

}  // namespace base
}  // namespace evname
