#pragma once
// The functions of a sample's stack, as keys.

#include <cstdint>
#include <span>
#include <vector>

#include "recordings/locations/code_numbers.hpp"
#include "recordings/locations/frame_namer.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// For one pass, as FrameNamer.
class FrameKeysOfSample {
 public:
  FrameKeysOfSample(const PerfData& file, const Symbols& symbols, TextPool& texts)
      : namer_(file, symbols, true), texts_(texts) {}

  recording::FrameNamer& namer() { return namer_; }

  /// Where the sample itself was; kAbsent if it has no address.
  FrameKeys leaf(const Sample& sample);
  /// Innermost call first; valid until the next call.
  std::span<const FrameKeys> stack(const Sample& sample);

 private:
  FrameKeys keys_of(const recording::NamedCode& code, std::size_t frame);

  recording::FrameNamer namer_;
  recording::CodeNumbers numbers_;
  TextPool& texts_;
  std::vector<CodeAddress> addresses_;
  std::vector<FrameKeys> frames_;
};

}  // namespace evname::report
