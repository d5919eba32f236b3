#include "recordings/report/frames.hpp"

#include "recordings/annotation/code_fields.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::report {
namespace {

std::uint32_t text_or_absent(TextPool& texts, std::string_view text) {
  return text.empty() ? kAbsent : texts.id(text);
}

}  // namespace

FrameKeys FrameKeysOfSample::keys_of(const recording::NamedCode& code, std::size_t frame) {
  constexpr std::size_t kKeys = 4;
  const auto numbers = numbers_.of(code, [&](std::vector<std::uint32_t>& out) {
    for (const Frame& one : code.frames) {
      std::string label;
      annotation::append_label(label, code, one);
      out.push_back(texts_.id(label));
      out.push_back(text_or_absent(texts_, code.is_mapped ? code.file : std::string_view()));
      out.push_back(text_or_absent(texts_, one.source));
      out.push_back(text_or_absent(texts_, annotation::source_place(one)));
    }
  });
  const auto at = numbers.subspan(frame * kKeys, kKeys);
  return {at[0], at[1], at[2], at[3]};
}

FrameKeys FrameKeysOfSample::leaf(const Sample& sample) {
  if (!sample.ip()) return {kAbsent, kAbsent, kAbsent, kAbsent};
  return keys_of(annotation::named_code(sample, namer_), 0);
}

std::span<const FrameKeys> FrameKeysOfSample::stack(const Sample& sample) {
  frames_.clear();
  namer_.stack(sample, addresses_);
  for (const CodeAddress& address : addresses_) {
    const recording::NamedCode& code = namer_.at(sample, address);
    for (std::size_t i = 0; i < code.frames.size(); ++i) frames_.push_back(keys_of(code, i));
  }
  return frames_;
}

}  // namespace evname::report
