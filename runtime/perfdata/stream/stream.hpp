#pragma once
// Where the records of a recording are.

#include <atomic>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname::perfdata {

/// A descriptor that yields its bytes once: a pipe.
class OneWay {
 public:
  explicit OneWay(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~OneWay();
  OneWay(const OneWay&) = delete;

  /// True for the first caller only, who may read.
  bool take() { return !taken_.exchange(true); }
  int fd() const { return fd_; }
  /// As read(2), less its interruptions; 0 at the end.
  Result<std::size_t> read(std::uint8_t* to, std::size_t size);

 private:
  int fd_;
  bool owned_;
  std::atomic<bool> taken_ = false;
};

/// Part of a recording that holds records.
struct Stream {
  Bytes bytes;                             ///< of a mapping or a buffer of the file
  std::uint64_t offset = 0;                ///< of the bytes, in their file
  std::string name;                        ///< of its file, for messages; empty: the main one
  std::shared_ptr<OneWay> more = nullptr;  ///< where the stream goes on after `bytes`
};

}  // namespace evname::perfdata
