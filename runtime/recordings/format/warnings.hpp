#pragma once
// What was wrong with a file and has been left out. A hostile file can be wrong in every record, so
// the list is bounded: further ones are only counted.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evname::perfdata {
inline namespace format {

class Warnings {
 public:
  static constexpr std::size_t kMax = 100;

  /// `offset` is where in the file (or in the stream it was unpacked to) the fault is.
  void add(std::uint64_t offset, std::string_view what);
  void add(std::string what);
  std::vector<std::string> take();

 private:
  std::vector<std::string> list_;
  std::uint64_t more_ = 0;
};

}  // namespace format
}  // namespace evname::perfdata
