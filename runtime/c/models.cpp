// The models of this build.

#include "c/handles.hpp"
#include "tables/lookup.hpp"
#include "tables/registry.hpp"

namespace {

using evname::tables::ModelView;

/// Those that a machine can be named by: standard and system events belong to no CPU.
bool can_be_named(const evname::tables::Model& model) {
  return (model.flags & (evname::tables::kStandard | evname::tables::kSystem)) == 0;
}

/// Calls `fn` with each model; true ends it.
template <class Fn>
void each_model(Fn&& fn) {
  for (const auto& arch : evname::tables::architectures())
    for (const auto& model : arch.models)
      if (can_be_named(model) && fn(ModelView{arch, &model})) return;
}

std::uint64_t count_events(const ModelView& model) {
  std::uint64_t count = 0;
  for (const auto& list : model.pmus()) count += list.count;
  return count;
}

}  // namespace

size_t evname_model_count(void) {
  std::size_t count = 0;
  each_model([&](const ModelView&) { return ++count == 0; });
  return count;
}

int evname_model_at(size_t index, evname_model* out) {
  *out = {evname::c::text_of({}), evname::c::text_of({}), 0, {}};
  bool found = false;
  each_model([&](const ModelView& model) {
    if (index-- > 0) return false;
    *out = {evname::c::text_of(model.arch().arch),
            evname::c::text_of(model.name()),
            count_events(model),
            {}};
    return found = true;
  });
  return found ? EVNAME_OK : EVNAME_OUT_OF_RANGE;
}
