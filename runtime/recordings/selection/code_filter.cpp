#include "recordings/selection/code_filter.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recordings/annotation/code_fields.hpp"

namespace evname::annotation {
namespace {

/// Names have the letters of globs in them: [kernel.kallsyms], operator[](int).
bool fits(std::string_view glob, std::string_view name) {
  return glob == name || glob_match(glob, name);
}

}  // namespace

bool accepts_code(const SampleFilter& filter, const Sample& sample, recording::FrameNamer& namer) {
  if (!filter.asks_for_code()) return true;
  const recording::NamedCode& code = named_code(sample, namer);
  if (!filter.dso.empty() && !fits(filter.dso, code.file) &&
      !fits(filter.dso, last_part(code.file)))
    return false;
  return filter.sym.empty() ||
         std::any_of(code.frames.begin(), code.frames.end(), [&](const Frame& frame) {
           return !frame.function.empty() && fits(filter.sym, frame.function);
         });
}

}  // namespace evname::annotation
