#include "annotation/code_filter.hpp"

#include <algorithm>

#include "annotation/code_fields.hpp"
#include "base/text.hpp"

namespace evname::annotation {

bool accepts_code(const SampleFilter& filter, const Sample& sample, recording::FrameNamer& namer) {
  if (!filter.asks_for_code()) return true;
  const recording::NamedCode& code = named_code(sample, namer);
  if (!filter.dso.empty() && !glob_match(filter.dso, code.file) &&
      !glob_match(filter.dso, last_part(code.file)))
    return false;
  return filter.sym.empty() ||
         std::any_of(code.frames.begin(), code.frames.end(), [&](const Frame& frame) {
           return !frame.function.empty() && glob_match(filter.sym, frame.function);
         });
}

}  // namespace evname::annotation
