#pragma once
// Numbers that one who counts frames has for what was named, such as those of its own texts.

#include <cstdint>
#include <span>
#include <vector>

#include "recordings/format/recorded_events.hpp"
#include "recordings/locations/shared_names.hpp"

namespace evname::recording {

/// For one thread at a time. Forgets all when there are too many, to make them again.
class CodeNumbers {
 public:
  /// Valid until the next call. make(numbers) appends those of a code that has none yet.
  template <class Make>
  std::span<const std::uint32_t> of(const NamedCode& code, Make&& make) {
    std::uint32_t at = starts_[code.serial];
    if (at == starts_.kNone) {
      if (numbers_.size() > kMost) numbers_.clear(), starts_ = {};
      at = static_cast<std::uint32_t>(numbers_.size());
      numbers_.push_back(0);
      make(numbers_);
      numbers_[at] = static_cast<std::uint32_t>(numbers_.size()) - at - 1;
      starts_.insert(code.serial, at);
    }
    return std::span(numbers_).subspan(at + 1, numbers_[at]);
  }

 private:
  static constexpr std::size_t kMost = 1 << 20;

  perfdata::IndexMap<std::uint32_t> starts_;  ///< by serial: where in numbers_ their count is
  std::vector<std::uint32_t> numbers_;
};

}  // namespace evname::recording
