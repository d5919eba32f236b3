#pragma once
// The name of a kernel's module, which files, the kernel and perf write in different ways.

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace evname::perf_format {

/// Returns the name of a kernel's module, of "/lib/modules/…/snd-pcm.ko.xz" or "[snd_pcm]": as
/// kmod_path__parse of tools/perf/util/dso.c.
inline std::string module_name(std::string_view path) {
  std::string name(last_part(path));
  if (name.starts_with('[')) name.erase(0, 1);
  name.erase(std::min({name.find(']'), name.rfind(".ko"), name.size()}));
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace evname::perf_format
