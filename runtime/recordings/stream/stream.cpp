#include "recordings/stream/stream.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

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
  if (block_) blocks_.release(*block_);
}

// Moves what is left of a full block to the front of a new one.
void Gatherer::next_block() {
  const Bytes rest = block_ ? reader_.rest() : Bytes{};
  const std::uint64_t offset = block_ ? reader_.offset() : offset_;
  const std::size_t size = std::max(kBlock, rest.size() * 2);
  const std::uint32_t fresh = blocks_.add_owned(size, offset);
  std::copy(rest.begin(), rest.end(), blocks_.writable(fresh));
  if (block_) blocks_.release(*block_);
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

namespace {

// The bytes of a mapped file that stay in memory behind the reader, and the bytes that may return
// for records that waited.
constexpr std::uint64_t kStays = 8 << 20, kAgain = 128 << 20;

std::string what_follows(bool salvage) {
  return salvage ? "searching for the next record" : "nothing after it is read";
}

// The maximum ratio of unpacking. Recordings with 64 KiB of stack in each sample reach some
// hundred; zstd allows 30,000, and a small file would then take minutes.
constexpr std::uint64_t kMostUnpacked = 1000;

// COMPRESSED has bytes up to the record's end, COMPRESSED2 their number.
Bytes packed_bytes(const perf_format::Record& record, std::endian order) {
  Cursor in(record.body(), order);
  if (record.type == perf_format::kRecordCompressed) return in.bytes(in.remaining());
  const std::uint64_t size = in.u64();
  return in.bytes(std::min<std::uint64_t>(size, in.remaining()));
}

}  // namespace

StreamReader::StreamReader(const Stream& stream, std::endian order, BlockStore& blocks,
                           perf_format::RecordCounts& counts, perf_format::Warnings& warnings,
                           perf_format::Damage damage)
    : stream_(stream),
      order_(order),
      counts_(counts),
      warnings_(warnings),
      damage_(damage),
      bytes_(stream.bytes, order, stream.offset,
             stream.more ? perf_format::RecordReader::Extent::part
                         : perf_format::RecordReader::Extent::whole),
      bytes_block_(blocks.add_view(stream.bytes, stream.offset)),
      piped_(blocks, order),
      unpacked_(blocks, order),
      release_at_(stream.mapped ? 2 * kStays : UINT64_MAX) {}

// The kernel reads pages again if they are needed.
void StreamReader::release() {
  static const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  release_at_ = position_ + kStays;
  const std::uint64_t read = std::min<std::uint64_t>(position_, stream_.bytes.size());
  const std::uint64_t end = read - std::min(read, kStays), start = end - std::min(end, kAgain);
  const auto base = reinterpret_cast<std::uintptr_t>(stream_.bytes.data());
  const std::uintptr_t first = (base + start + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (base + end) / kPage * kPage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void StreamReader::warn(std::uint64_t offset, std::string_view what) {
  warnings_.add(
      offset, stream_.name.empty() ? std::string(what) : fmt::format("{}: {}", stream_.name, what));
}

bool StreamReader::next_of_packed(perf_format::Record& record, std::uint32_t& block) {
  counts_.add(record.type);
  begin_packed(record);
  return next_unusual(record, block);
}

bool StreamReader::next_unusual(perf_format::Record& record, std::uint32_t& block) {
  for (;;) {
    if (unpacked_.next(record, block)) break;
    if (unpacked_.fault()) {
      mend_unpacked();
      continue;
    }
    if (unpack_more()) continue;
    if (!next_outer(record, block)) {
      if (unpacked_.pending() > 0) warn(packed_at_, "unpacked data end within a record");
      return false;
    }
    note(record);
    if (!perf_format::is_packed(record.type)) break;
    counts_.add(record.type);
    begin_packed(record);
  }
  counts_.add(record.type);
  return true;
}

bool StreamReader::next_outer(perf_format::Record& record, std::uint32_t& block) {
  block = bytes_block_;
  if (!piping_ && next_of_bytes(record)) return true;
  if (!stream_.more || ended_) return false;
  if (!piping_) begin_pipe();
  return next_of_pipe(record, block);
}

bool StreamReader::next_of_bytes(perf_format::Record& record) {
  while (!bytes_.next(record)) {
    if (!bytes_.fault() || (stream_.more && bytes_.cut_off())) return false;
    const char* fault = bytes_.fault();
    const std::uint64_t from = bytes_.offset();
    const Bytes rest = bytes_.rest();
    const bool salvage = damage_ == perf_format::Damage::salvage,
               goes_on = salvage && bytes_.resync();
    const std::uint64_t lost = goes_on ? bytes_.offset() - from : rest.size();
    warn(from, fmt::format("{}; {}", fault,
                           goes_on || !stream_.more
                               ? counted(lost, "byte is not read", "bytes are not read")
                               : what_follows(salvage)));
    if (goes_on) continue;
    ended_ = !salvage;
    // Records that follow through a pipe begin at multiples of 8, too.
    const std::size_t kept = stream_.more ? rest.size() % 8 : 0;
    bytes_ = perf_format::RecordReader(rest.last(kept), order_, from + rest.size() - kept,
                                       perf_format::RecordReader::Extent::part);
    return false;
  }
  return true;
}

// The first part of a record that goes on in the pipe is moved there. (missing() refers to the last
// record; earlier ones were complete.)
void StreamReader::begin_pipe() {
  piping_ = true;
  piped_.start_at(bytes_.offset());
  piped_.skip(bytes_.missing());
  for (Bytes rest = bytes_.rest(); !rest.empty();) {
    const auto room = piped_.room();
    if (room.empty()) return;
    const std::size_t size = std::min(rest.size(), room.size());
    std::copy_n(rest.begin(), size, room.begin());
    piped_.add(size);
    rest = rest.subspan(size);
  }
}

bool StreamReader::next_of_pipe(perf_format::Record& record, std::uint32_t& block) {
  while (!piped_.next(record, block)) {
    if (!piped_.fault()) {
      if (!read_more()) return false;
      continue;
    }
    const bool salvage = damage_ == perf_format::Damage::salvage;
    warn(piped_.offset(), fmt::format("{}; {}", piped_.fault(), what_follows(salvage)));
    if (!salvage) return false;
    piped_.resync();
  }
  return true;
}

bool StreamReader::read_more() {
  const auto room = piped_.room();
  if (room.empty()) {
    warn(piped_.offset(), "a record is too long to be one");
    return false;
  }
  const auto got = stream_.more->read(room.data(), room.size());
  if (!got) warn(piped_.offset(), got.error().message);
  if (!got || *got == 0) {
    if (piped_.pending() > 0)
      warn(piped_.offset(),
           "stream ends within a record; " +
               counted(piped_.pending(), "byte is not read", "bytes are not read"));
    return false;
  }
  piped_.add(*got);
  return true;
}

void StreamReader::mend_unpacked() {
  const bool salvage = damage_ == perf_format::Damage::salvage;
  warn(packed_at_,
       fmt::format("unpacked data, at offset {:#x}: {}; {}", unpacked_.offset(), unpacked_.fault(),
                   salvage ? "searching for the next record" : "nothing after it is unpacked"));
  if (salvage) return unpacked_.resync();
  broken_ = true;
  unpacked_.drop();
}

// One frame spans all records of a stream. After a fault only a new frame helps.
void StreamReader::begin_packed(const perf_format::Record& record) {
  unpacking_ = true;
  constexpr std::uint8_t kMagic[] = {0x28, 0xb5, 0x2f, 0xfd};
  packed_ = packed_bytes(record, order_);
  packed_at_ = record.offset;
  budget_ += packed_.size() * kMostUnpacked;
  unpacker_full_ = !packed_.empty();
  if (broken_ && damage_ == perf_format::Damage::salvage && packed_.size() > 4 &&
      std::equal(kMagic, kMagic + 4, packed_.begin())) {
    broken_ = false;
    unpacker_.reset();
    unpacked_.drop();
  }
}

#ifdef HAVE_ZSTD

bool can_unpack() { return true; }

/// Unpacks from the front of packed_. Returns the bytes written; fewer than there is room for at
/// its end.
Result<std::size_t> StreamReader::unpack(std::span<std::uint8_t> room) {
  if (!unpacker_) unpacker_.reset(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!unpacker_) throw std::bad_alloc();
  ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
  ZSTD_outBuffer out{room.data(), room.size(), 0};
  while (out.pos < out.size) {
    const std::size_t before_in = in.pos, before_out = out.pos;
    const std::size_t status = ZSTD_decompressStream(unpacker_.get(), &out, &in);
    if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(status))
      return fail(Errc::corrupt, std::string("zstd: ") + ZSTD_getErrorName(status));
    if (in.pos == before_in && out.pos == before_out) break;
  }
  packed_ = packed_.subspan(in.pos);
  return out.pos;
}

#else

bool can_unpack() { return false; }

Result<std::size_t> StreamReader::unpack(std::span<std::uint8_t>) {
  return fail(Errc::unsupported, "records are compressed, and this build has no zstd", {},
              install_hint("libzstd-dev", "libzstd-devel"));
}

#endif

bool StreamReader::unpack_more() {
  if (!unpacker_full_ || broken_) return false;
  const auto room = unpacked_.room();
  auto got = room.empty()   ? fail(Errc::corrupt, "an unpacked record is too long to be one")
             : budget_ == 0 ? fail(Errc::corrupt, fmt::format("data are more than {} times what is "
                                                              "packed; the rest is not unpacked",
                                                              kMostUnpacked))
                            : unpack(room);
  if (!got) {
    warn(packed_at_, got.error().text());
    broken_ = true;
    return false;
  }
  budget_ -= std::min<std::uint64_t>(budget_, *got);
  unpacker_full_ = *got == room.size();
  unpacked_.add(*got);
  return true;
}

}  // namespace evname::stream
