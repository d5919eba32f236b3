#include "recordings/session/recorded_build_ids.hpp"

#include "evname/symbols.hpp"
#include "perf_format/record.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::session {
namespace {

std::string module_name(std::string_view file) { return dso_name({.file = file, .kernel = true}); }

}  // namespace

// Without an entry of its name, the kernel's build id is in the entry of a file that perf took for
// the kernel, as with `perf inject --vmlinux`: dsos__find_kernel_dso of tools/perf/util/dsos.c.
RecordedBuildIds::RecordedBuildIds(const std::vector<perf_format::BuildId>& entries) {
  const perf_format::BuildId* image = nullptr;
  for (const perf_format::BuildId& one : entries) {
    const std::uint16_t mode = one.misc & perf_format::kCpuMode;
    if (one.pid != -1 || (mode != perf_format::kCpuModeKernel && mode != perf_format::kCpuModeUser))
      continue;
    files_.emplace(one.file, &one);
    if (symbols::is_kernel_image(one.file)) {
      if (!kernel_) kernel_ = &one;
    } else if (mode != perf_format::kCpuModeKernel || one.file.empty() ||
               symbols::is_vdso(one.file)) {
      continue;
    } else if (symbols::is_module(one.file)) {
      modules_.emplace(module_name(one.file), &one);
    } else if (!image) {
      image = &one;
    }
  }
  if (!kernel_) kernel_ = image;
}

const perf_format::BuildId* RecordedBuildIds::module(std::string_view file) const {
  const auto at = modules_.find(module_name(file));
  return at == modules_.end() ? nullptr : at->second;
}

const perf_format::BuildId* RecordedBuildIds::file(std::string_view path) const {
  const auto at = files_.find(path);
  return at == files_.end() ? nullptr : at->second;
}

}  // namespace evname::session
