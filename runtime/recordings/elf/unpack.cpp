// libelf unpacks files, too, but has no limit.

#include "recordings/elf/unpack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output/write_all.hpp"

#ifdef HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

namespace evname::elf {
namespace {

enum class Step { more, end, damaged };

/// Unpacks piece by piece.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// Unpacks from `in` to `out`, and shortens both to their rests.
  virtual Step step(std::span<const char>& in, std::span<char>& out) = 0;
};

/// zlib, bzip2 and lzma have the same form of streams.
template <class Stream, class Run>
Step run_stream(Stream& stream, std::span<const char>& in, std::span<char>& out, Run&& run) {
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<char*>(in.data()));
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
  stream.avail_in = static_cast<decltype(stream.avail_in)>(in.size());
  stream.avail_out = static_cast<decltype(stream.avail_out)>(out.size());
  const Step step = run();
  in = in.last(stream.avail_in);
  out = out.last(stream.avail_out);
  return step;
}

#ifdef HAVE_ZLIB
class Gzip final : public Unpacker {
 public:
  Gzip() { is_ready_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK; }
  ~Gzip() override { inflateEnd(&stream_); }
  Step step(std::span<const char>& in, std::span<char>& out) override {
    return run_stream(stream_, in, out, [&] {
      const int status = is_ready_ ? inflate(&stream_, Z_NO_FLUSH) : Z_STREAM_ERROR;
      return status == Z_STREAM_END                    ? Step::end
             : status == Z_OK || status == Z_BUF_ERROR ? Step::more
                                                       : Step::damaged;
    });
  }

 private:
  z_stream stream_ = {};
  bool is_ready_;
};
#endif

#ifdef HAVE_BZIP2
class Bzip2 final : public Unpacker {
 public:
  Bzip2() { is_ready_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK; }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  Step step(std::span<const char>& in, std::span<char>& out) override {
    return run_stream(stream_, in, out, [&] {
      const int status = is_ready_ ? BZ2_bzDecompress(&stream_) : BZ_DATA_ERROR;
      return status == BZ_STREAM_END ? Step::end : status == BZ_OK ? Step::more : Step::damaged;
    });
  }

 private:
  bz_stream stream_ = {};
  bool is_ready_;
};
#endif

#ifdef HAVE_LZMA
class Xz final : public Unpacker {
 public:
  Xz() { is_ready_ = lzma_stream_decoder(&stream_, kMostMemory, 0) == LZMA_OK; }
  ~Xz() override { lzma_end(&stream_); }
  Step step(std::span<const char>& in, std::span<char>& out) override {
    return run_stream(stream_, in, out, [&] {
      const lzma_ret status = is_ready_ ? lzma_code(&stream_, LZMA_RUN) : LZMA_DATA_ERROR;
      return status == LZMA_STREAM_END                       ? Step::end
             : status == LZMA_OK || status == LZMA_BUF_ERROR ? Step::more
                                                             : Step::damaged;
    });
  }

 private:
  static constexpr std::uint64_t kMostMemory = 128 << 20;  // xz -9 needs half of it
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool is_ready_;
};
#endif

#ifdef HAVE_ZSTD
class Zstd final : public Unpacker {
 public:
  Step step(std::span<const char>& in, std::span<char>& out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t status =
        stream_ ? ZSTD_decompressStream(stream_.get(), &to, &from) : std::size_t(-1);
    in = in.subspan(from.pos);
    out = out.subspan(to.pos);
    return !stream_ || ZSTD_isError(status) ? Step::damaged : status == 0 ? Step::end : Step::more;
  }

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_{ZSTD_createDStream(),
                                                                        &ZSTD_freeDStream};
};
#endif

template <class Kind>
std::unique_ptr<Unpacker> make_unpacker() {
  return std::make_unique<Kind>();
}

struct Packing {
  std::string_view magic;
  std::unique_ptr<Unpacker> (*make)();  ///< nullptr: this build lacks the library
};
constexpr Packing kPackings[] = {
#ifdef HAVE_ZLIB
    {"\x1f\x8b", make_unpacker<Gzip>},
#endif
#ifdef HAVE_BZIP2
    {"BZh", make_unpacker<Bzip2>},
#endif
#ifdef HAVE_LZMA
    {"\xfd"
     "7zXZ",
     make_unpacker<Xz>},
#endif
#ifdef HAVE_ZSTD
    {"\x28\xb5\x2f\xfd", make_unpacker<Zstd>},
#endif
    {"\x1f\x9d", nullptr},  // compress(1): none has it, and the table is never empty
};

/// Returns false on failure.
bool unpack_all(int packed, int file, const Packing& packing, const std::string& name,
                Budget& budget) {
  constexpr std::size_t kPiece = 1 << 16;
  std::vector<char> read(kPiece), made(kPiece);
  std::unique_ptr<Unpacker> unpacker = packing.make();
  std::uint64_t from = 0, total = 0;
  std::span<const char> in;
  for (auto start = std::chrono::steady_clock::now();;) {
    if (in.empty()) {
      const ssize_t got = ::pread(packed, read.data(), read.size(), static_cast<off_t>(from));
      if (got < 0) return false;
      in = std::span(read).first(static_cast<std::size_t>(got));
      from += in.size();
    }
    std::span<char> out(made);
    const bool was_last = in.empty();
    const Step step = unpacker->step(in, out);
    const std::size_t size = made.size() - out.size();
    total += size;
    if (step == Step::damaged || !write_all(file, {made.data(), size})) return false;
    if (total > budget.room(from)) return budget.take(total, from, name);
    const auto now = std::chrono::steady_clock::now();
    if (!budget.take_time(now - std::exchange(start, now), name)) return false;
    if (step == Step::end) return budget.take(total, from, name);
    if (was_last && size == 0) return false;
  }
}

using UnpackSection = bool (*)(std::span<const std::uint8_t> packed, std::span<std::uint8_t> out);

#ifdef HAVE_LIBDEFLATE
bool inflate_section(std::span<const std::uint8_t> packed, std::span<std::uint8_t> out) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> own(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  return own && libdeflate_zlib_decompress(own.get(), packed.data(), packed.size(), out.data(),
                                           out.size(), nullptr) == LIBDEFLATE_SUCCESS;
}
#endif

#ifdef HAVE_ZSTD
bool unzstd_section(std::span<const std::uint8_t> packed, std::span<std::uint8_t> out) {
  return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
}
#endif

constexpr std::pair<unsigned, UnpackSection> kSectionPackings[] = {
#ifdef HAVE_LIBDEFLATE
    {1, inflate_section},  // ELFCOMPRESS_ZLIB
#endif
#ifdef HAVE_ZSTD
    {2, unzstd_section},  // ELFCOMPRESS_ZSTD, which elf.h of glibc 2.36 does not have
#endif
    {0, nullptr},  // no type of ELF: the table is never empty
};

}  // namespace

bool unpack_section(unsigned type, std::span<const std::uint8_t> packed,
                    std::span<std::uint8_t> out) {
  for (const auto& [packing, run] : kSectionPackings)
    if (packing == type && run) return run(packed, out);
  return false;
}

Descriptor unpack(int packed, const std::string& name, Budget& budget) {
  char head[8] = {};
  if (::pread(packed, head, sizeof head, 0) != sizeof head) return Descriptor();
  for (const Packing& packing : kPackings) {
    if (!std::string_view(head, sizeof head).starts_with(packing.magic) || !packing.make) continue;
    Descriptor file(::memfd_create("unpacked", MFD_CLOEXEC));
    if (file.get() >= 0 && unpack_all(packed, file.get(), packing, name, budget)) return file;
  }
  return Descriptor();
}

}  // namespace evname::elf
