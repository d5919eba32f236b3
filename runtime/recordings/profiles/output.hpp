#pragma once
// Sends the bytes of a profile to a sink, compressed if necessary.

#include <memory>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"
#include "evname/pass.hpp"

namespace evname::profiles {

/// True if this build can compress.
#ifdef HAVE_ZLIB
inline constexpr bool kHasGzip = true;
#else
inline constexpr bool kHasGzip = false;
#endif

class Output {
 public:
  /// `gzip` may be set only if kHasGzip. `sink` must outlive the object.
  Output(const TextSink& sink, bool gzip);
  ~Output();
  Output(const Output&) = delete;

  void append(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kFull) flush();
  }
  /// Returns false if the sink accepts no more.
  bool wanted() const { return wanted_; }
  /// Completes the output. Must be called once, after everything else.
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

}  // namespace evname::profiles
