#include "recordings/stream/stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/read_file.hpp"

namespace evname::stream {

OneWay::OneWay(int fd, bool owned) : fd_(fd), owned_(owned) { widen_pipe(fd); }

OneWay::~OneWay() {
  if (owned_) ::close(fd_);
}

Result<std::size_t> OneWay::read(std::uint8_t* to, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail(Errc::io, std::strerror(errno));
  }
}

namespace {

// A record is at most 64 KiB, except for COMPRESSED2 of early writers.
constexpr std::size_t kBlock = 256 << 10;
constexpr std::size_t kMaxBlock = 32 << 20;

}  // namespace

Gatherer::~Gatherer() {
  if (block_) blocks_.done(*block_);
}

// Moves what is left of a full block to the front of a new one.
void Gatherer::next_block() {
  const Bytes rest = block_ ? reader_.rest() : Bytes{};
  const std::uint64_t offset = block_ ? reader_.offset() : offset_;
  const std::size_t size = std::max(kBlock, rest.size() * 2);
  const std::uint32_t fresh = blocks_.add_owned(size, offset);
  std::copy(rest.begin(), rest.end(), blocks_.writable(fresh));
  if (block_) blocks_.done(*block_);
  block_ = fresh;
  offset_ = offset;
  size_ = size;
  used_ = rest.size();
  reader_ = perf_format::RecordReader(blocks_.bytes(fresh).first(used_), order_, offset_,
                                      perf_format::RecordReader::Extent::part);
}

std::span<std::uint8_t> Gatherer::room() {
  if (!block_ || used_ == size_) {
    if (pending() > kMaxBlock / 2) return {};
    next_block();
  }
  return {blocks_.writable(*block_) + used_, size_ - used_};
}

void Gatherer::add(std::size_t size) {
  const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, size));
  const std::size_t done = used_ - reader_.rest().size() + skipped;
  skip_ -= skipped;
  used_ += size;
  const Bytes bytes = blocks_.bytes(*block_).first(used_);
  reader_ = perf_format::RecordReader(bytes.subspan(done), order_, offset_ + done,
                                      perf_format::RecordReader::Extent::part);
}

// If no record is found, drops the data; later data are searched.
void Gatherer::resync() {
  if (!reader_.resync()) keep(reader_.rest().size() % 8);
}

void Gatherer::drop() {
  if (block_) keep(0);
}

void Gatherer::keep(std::size_t size) {
  const std::size_t from = used_ - size;
  reader_ = perf_format::RecordReader(blocks_.bytes(*block_).subspan(from, size), order_,
                                      offset_ + from, perf_format::RecordReader::Extent::part);
}

}  // namespace evname::stream
