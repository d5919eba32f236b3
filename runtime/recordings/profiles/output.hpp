#pragma once
// Bytes of a profile on their way to a sink, compressed if need be.

#include <memory>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"
#include "evname/pass.hpp"

namespace evname::profile {

/// Can this build compress?
#ifdef HAVE_ZLIB
inline constexpr bool kHasGzip = true;
#else
inline constexpr bool kHasGzip = false;
#endif

/// A RapidJSON stream, too.
class Output {
 public:
  using Ch = char;

  /// `gzip` only if kHasGzip. `sink` outlives it.
  Output(const TextSink& sink, bool gzip);
  ~Output();
  Output(const Output&) = delete;

  void put(char byte) {
    buffer_.push_back(byte);
    if (buffer_.size() >= kFull) flush();
  }
  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kFull) flush();
  }
  void Put(char byte) { put(byte); }
  void Flush() {}
  /// False: the sink wants no more.
  bool wanted() const { return wanted_; }
  /// Once, after everything.
  void finish();

 private:
  static constexpr std::size_t kFull = 1 << 16;
  struct Gzip;

  void flush();

  const TextSink& sink_;
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_;
  bool wanted_ = true;
};

using Json = JsonWriter<Output>;

}  // namespace evname::profile
