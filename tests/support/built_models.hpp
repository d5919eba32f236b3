#pragma once
// The models compiled into this build, for tests that go through all of them.

#include <string_view>
#include <vector>

#include "events/tables/model_view.hpp"
#include "events/tables/registry.hpp"

namespace evname::test {

/// Architectures of the kernel's tree without a machine: one that Linux has removed, and the input
/// of perf's own tests.
inline bool is_described(std::string_view arch) { return arch != "nds32" && arch != "test"; }

/// All models of the other architectures, without models that have one of the flags.
inline std::vector<tables::ModelView> built_models(std::uint32_t without_flags = 0) {
  std::vector<tables::ModelView> out;
  for (const tables::ArchTables& arch : tables::architectures())
    for (const tables::Model& model : arch.models)
      if (is_described(arch.arch) && arch.arch != tables::kCommonName &&
          (model.flags & without_flags) == 0)
        out.push_back({arch, &model});
  return out;
}

}  // namespace evname::test
