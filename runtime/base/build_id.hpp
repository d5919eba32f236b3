#pragma once
// Reads build ids: notes of the linker that identify each build of a file.

#include <string>

#include "base/bytes.hpp"

namespace evname {
inline namespace base {

/// Returns the build id in a section of ELF notes, as bytes; "" if there is none.
std::string build_id_of_notes(Bytes notes);

}  // namespace base
}  // namespace evname
