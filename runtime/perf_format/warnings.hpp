#pragma once
// Collects the faults of a file. A hostile file can have one in every record, so the list is
// bounded; further faults are only counted.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evname::perf_format {

class Warnings {
 public:
  static constexpr std::size_t kMax = 100;

  /// Adds a fault at `offset` of the file, or of the stream that it was unpacked to.
  void add(std::uint64_t offset, std::string_view what);
  void add(std::string what);
  std::vector<std::string> take();

 private:
  std::vector<std::string> list_;
  std::uint64_t more_ = 0;
};

}  // namespace evname::perf_format
