#include "recordings/report/frames.hpp"

#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::report {
namespace {

std::uint32_t text_or_absent(TextPool& texts, std::string_view text) {
  return text.empty() ? kAbsent : texts.id(text);
}

}  // namespace

std::span<const FrameKeys> FrameKeysOfSample::keys_of(const NamedLocation& location) {
  return keys_.of(location, [&](std::vector<FrameKeys>& out) {
    for (const Frame& frame : location.frames) {
      std::string label;
      recording::append_label(label, location, frame);
      out.push_back({texts_.id(label),
                     text_or_absent(texts_, location.is_mapped ? location.dso : std::string_view()),
                     text_or_absent(texts_, frame.source),
                     text_or_absent(texts_, recording::source_place(frame))});
    }
  });
}

FrameKeys FrameKeysOfSample::leaf(const Sample& sample) {
  if (!sample.ip()) return {kAbsent, kAbsent, kAbsent, kAbsent};
  return keys_of(locations_.at(sample))[0];
}

std::span<const FrameKeys> FrameKeysOfSample::stack(const Sample& sample) {
  frames_.clear();
  locations_.stack(sample, stack_);
  for (const Address& address : stack_) {
    const auto keys = keys_of(locations_.at(sample, address));
    frames_.insert(frames_.end(), keys.begin(), keys.end());
  }
  return frames_;
}

}  // namespace evname::report
