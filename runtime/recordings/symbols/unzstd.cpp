#include "recordings/symbols/unzstd.hpp"

#ifdef HAVE_ZSTD

#include <memory>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/read_file.hpp"

namespace evname::symbols {
namespace {

constexpr std::size_t kMostPacked = std::size_t{64} << 20, kMost = std::size_t{256} << 20;

bool write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool unpack(const std::string& packed, int descriptor) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                             &ZSTD_freeDStream);
  std::vector<char> piece(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t total = 0;
  while (stream) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(status) || (total += out.pos) > kMost ||
        !write_all(descriptor, piece.data(), out.pos))
      return false;
    if (in.pos == in.size && out.pos < out.size) return status == 0;
  }
  return false;
}

}  // namespace

int unzstd(const std::string& path) {
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  const auto head = read_head(path, kMagic.size());
  if (!head || *head != kMagic) return -1;
  const auto packed = read_head(path, kMostPacked);
  const int descriptor = packed ? ::memfd_create("unzstd", MFD_CLOEXEC) : -1;
  if (descriptor < 0 || unpack(*packed, descriptor)) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace evname::symbols

#else

namespace evname::symbols {

int unzstd(const std::string&) { return -1; }

}  // namespace evname::symbols

#endif
