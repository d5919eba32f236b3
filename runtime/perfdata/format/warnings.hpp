#pragma once
// What was wrong with a file and has been left out. A hostile file can be wrong in every record, so
// the list is bounded: further ones are only counted.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace evname::perfdata {

class Warnings {
 public:
  static constexpr std::size_t kMax = 100;

  /// `offset` is where in the file (or in the stream it was unpacked to) the fault is.
  void add(std::uint64_t offset, std::string_view what) {
    if (list_.size() < kMax)
      list_.push_back(fmt::format("offset {:#x}: {}", offset, what));
    else
      ++more_;
  }
  void add(std::string what) {
    if (list_.size() < kMax)
      list_.push_back(std::move(what));
    else
      ++more_;
  }
  std::vector<std::string> take() {
    if (more_ > 0) list_.push_back(fmt::format("{} more faults of this file not listed", more_));
    more_ = 0;
    return std::exchange(list_, {});
  }

 private:
  std::vector<std::string> list_;
  std::uint64_t more_ = 0;
};

}  // namespace evname::perfdata
