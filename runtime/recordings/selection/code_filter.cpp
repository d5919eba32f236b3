#include "recordings/selection/code_filter.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace evname::annotation {
namespace {

/// Names have the letters of globs in them: [kernel.kallsyms], operator[](int).
bool fits(std::string_view glob, std::string_view name) {
  return glob == name || glob_match(glob, name);
}

}  // namespace

bool accepts_code(const SampleFilter& filter, const Sample& sample,
                  recording::LocationCache& locations) {
  if (!filter.asks_for_code()) return true;
  const NamedLocation& location = locations.at(sample);
  if (!filter.dso.empty() && !fits(filter.dso, location.dso) &&
      !fits(filter.dso, last_part(location.dso)))
    return false;
  return filter.sym.empty() ||
         std::any_of(location.frames.begin(), location.frames.end(), [&](const Frame& frame) {
           return !frame.function.empty() && fits(filter.sym, frame.function);
         });
}

}  // namespace evname::annotation
