// The models of this build.

#include "c/guard.hpp"
#include "c/handles.hpp"
#include "evname/models.hpp"

using namespace evname::c;

namespace {

const std::vector<evname::ModelInfo>& models() {
  static const std::vector<evname::ModelInfo> kModels = evname::models();
  return kModels;
}

}  // namespace

size_t evname_model_count(void) {
  std::size_t count = 0;
  guarded(nullptr, [&]() -> evname::Result<void> {
    count = models().size();
    return {};
  });
  return count;
}

int evname_model_at(size_t index, evname_model* out) {
  *out = {"", "", 0, {}};
  return guarded(nullptr, [&]() -> evname::Result<void> {
    if (index >= models().size()) return evname::fail(evname::Errc::out_of_range, "no such model");
    const evname::ModelInfo& model = models()[index];
    *out = {text_of(model.arch), text_of(model.name), model.events, {}};
    return {};
  });
}
