#include "perfdata/stream/unpacker.hpp"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

namespace evname::perfdata {

#ifdef HAVE_ZSTD

struct Unpacker::State {
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream{ZSTD_createDStream(),
                                                                       &ZSTD_freeDStream};
};

bool Unpacker::available() { return true; }

Result<std::size_t> Unpacker::unpack(Bytes& input, std::uint8_t* output, std::size_t size) {
  if (!state_) state_ = std::make_unique<State>();
  if (!state_->stream) return fail(Errc::io, "no memory for the zstd decoder");
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  ZSTD_outBuffer out{output, size, 0};
  while (out.pos < out.size) {
    const std::size_t before_in = in.pos, before_out = out.pos;
    const std::size_t status = ZSTD_decompressStream(state_->stream.get(), &out, &in);
    if (ZSTD_isError(status))
      return fail(Errc::corrupt, std::string("zstd: ") + ZSTD_getErrorName(status));
    if (in.pos == before_in && out.pos == before_out) break;
  }
  input = input.subspan(in.pos);
  return out.pos;
}

#else

struct Unpacker::State {};

bool Unpacker::available() { return false; }

Result<std::size_t> Unpacker::unpack(Bytes&, std::uint8_t*, std::size_t) {
  return fail(Errc::unsupported, "records are compressed, and this build has no zstd");
}

#endif

Unpacker::Unpacker() = default;
Unpacker::~Unpacker() = default;
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker& Unpacker::operator=(Unpacker&&) noexcept = default;

}  // namespace evname::perfdata
