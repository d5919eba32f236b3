#pragma once
// The formats.

#include <memory>

#include "recordings/profiles/output.hpp"
#include "recordings/profiles/walk.hpp"

namespace evname::profiles {

/// The means to write a format; all of it outlives the Writer.
struct WriterSetup {
  Profile& profile;
  Output& out;
};

#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) \
  std::unique_ptr<Writer> make_##name##_writer(const WriterSetup& setup);
#include "evname/profile_formats.def"

}  // namespace evname::profiles
