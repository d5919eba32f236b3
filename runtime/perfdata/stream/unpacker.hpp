#pragma once
// COMPRESSED records: a zstd stream whose plain text is a stream of records.
// Source: tools/perf/util/zstd.c and perf_session__process_compressed_event.

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname::perfdata {

/// One decoder lives as long as its stream: later records continue the frame of the first.
class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(Unpacker&&) noexcept;
  Unpacker& operator=(Unpacker&&) noexcept;

  /// False in a build without zstd.
  static bool available();

  /// Unpacks from the front of `input`, which shrinks, to `output`; returns the bytes written.
  /// Call until it returns less than `size`.
  Result<std::size_t> unpack(Bytes& input, std::uint8_t* output, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evname::perfdata
