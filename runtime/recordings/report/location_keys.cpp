#include "recordings/report/location_keys.hpp"

#include "base/text.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::report {
namespace {

std::uint32_t text_or_absent(TextPool& texts, std::string_view text) {
  return text.empty() ? kAbsent : texts.id(text);
}

std::uint32_t none_if_absent(std::uint32_t value) {
  return value == kAbsent ? SampleGrid::kNone : value;
}

}  // namespace

std::vector<FrameKeys> LocationKeys::make_keys(const Locations::Named& location) {
  std::vector<FrameKeys> made;
  for (const Frame& frame : location.frames) {
    std::string label;
    if (nameless_by_file_ && frame.function.empty())
      label = std::string(location.is_mapped ? last_part(location.dso) : "unmapped") + " (no name)";
    else
      locations::append_label(label, location, frame);
    if (inlined_apart_ && &frame != &location.frames.back()) label += " (inlined)";
    FrameKeys keys = {
        texts_.id(label),
        text_or_absent(texts_, location.is_mapped ? location.dso : std::string_view()),
        text_or_absent(texts_, frame.source),
        text_or_absent(texts_, locations::source_place(frame))};
    if (location.is_mapped && frame.function.empty())
      keys.unnamed = unnamed_.add({keys.dso, text_or_absent(texts_, location.build_id)}).first;
    keys.frame = frame_pool_.id({SampleGrid::Kind::function, keys.sym, none_if_absent(keys.dso),
                                 none_if_absent(keys.srcfile)});
    made.push_back(keys);
  }
  return made;
}

FrameKeys LocationKeys::leaf(const Sample& sample) {
  if (!sample.ip()) return {kAbsent, kAbsent, kAbsent, kAbsent};
  const auto frames = keys_of(sample, perf_data::instruction_of(sample));
  return inlined_apart_ ? function_of(frames) : frames[0];
}

FrameKeys LocationKeys::function_of(std::span<const FrameKeys> frames) {
  FrameKeys keys = frames.back();
  keys.srcfile = frames.front().srcfile;
  keys.srcline = frames.front().srcline;
  return keys;
}

std::span<const FrameKeys> LocationKeys::keys_of(const Sample& sample,
                                                 std::span<const Address> addresses) {
  frames_.clear();
  for (const Address& address : addresses) {
    const auto keys = keys_of(sample, address);
    frames_.insert(frames_.end(), keys.begin(), keys.end());
  }
  return frames_;
}

BranchEnd LocationKeys::end_of(const Sample& sample, std::uint64_t value) {
  const Address address = locations_.branch_address(sample, value);
  return ends_.of(locations_.place(sample, address), [&] {
    const Locations::Named& location = locations_.at(sample, address);
    BranchEnd end{function_of(make_keys(location))};
    end.address = texts_.id(locations::address_text(location, location.frames.back()));
    return end;
  });
}

}  // namespace evname::report
