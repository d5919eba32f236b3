#include "perf_format/warnings.hpp"

#include <utility>

#include <fmt/format.h>

namespace evname::perf_format {

void Warnings::add(std::uint64_t offset, std::string_view what) {
  if (list_.size() < kMax)
    list_.push_back(fmt::format("offset {:#x}: {}", offset, what));
  else
    ++more_;
}

void Warnings::add(std::string what) {
  if (list_.size() < kMax)
    list_.push_back(std::move(what));
  else
    ++more_;
}

std::vector<std::string> Warnings::take() {
  if (more_ > 0) list_.push_back(fmt::format("{} more faults of this file not listed", more_));
  more_ = 0;
  return std::exchange(list_, {});
}

}  // namespace evname::perf_format
