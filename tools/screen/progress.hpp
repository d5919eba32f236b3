#pragma once
// How far long work is, on a terminal.

#include <chrono>
#include <cstdint>
#include <functional>

namespace evname::tools {

/// A line on stderr that is written anew at most ten times a second and erased at the end. Nothing
/// where stderr is no terminal, or where results go to the same one.
class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;

  /// Empty where nothing is shown. Valid as long as this.
  std::function<void(std::uint64_t done, std::uint64_t total)> callback();
  void end();

 private:
  void show(std::uint64_t done, std::uint64_t total);

  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace evname::tools
