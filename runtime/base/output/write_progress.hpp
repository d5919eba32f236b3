#pragma once
// Tells how much of an output is written, and asks whether to go on.

#include <cstdint>
#include <functional>
#include <utility>

#include "evname/error.hpp"

namespace evname {
inline namespace base {

class WriteProgress {
 public:
  /// See OutputFile::tell().
  void tell(std::function<bool(std::uint64_t)> progress) { progress_ = std::move(progress); }

  void wrote(std::uint64_t bytes) {
    written_ += bytes;
    untold_ += bytes;
  }

  /// Fails if the output shall end; `bytes` are read and not written.
  Result<void> go_on(std::uint64_t bytes) {
    untold_ += bytes;
    if (!progress_ || untold_ < kSeldom) return {};
    untold_ = 0;
    if (!progress_(written_)) return fail(Errc::cancelled, "cancelled");
    return {};
  }

 private:
  static constexpr std::uint64_t kSeldom = 1 << 20;

  std::function<bool(std::uint64_t)> progress_;
  std::uint64_t written_ = 0, untold_ = kSeldom;  ///< bytes
};

}  // namespace base
}  // namespace evname
