#include "recordings/spe/packets.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace evname::spe {

enum class Kind : std::uint8_t {
  bad,
  pad,
  end,
  timestamp,
  events,
  source,
  context,
  operation,
  address,
  counter,
  extended,  ///< the second byte has the type
};

namespace {

/// Classes of operations; the third is branches.
constexpr unsigned kOther = 0, kLoadStore = 1, kClasses = 3;

struct Header {
  Kind kind = Kind::bad;
  std::uint8_t size = 0;   ///< bytes of the payload
  std::uint8_t index = 0;  ///< which address or counter; the class of an operation
};

/// A header is `value` in the bits of `mask`.
struct Pattern {
  std::uint8_t mask, value;
  Kind kind;
  std::uint8_t index_mask;
};
constexpr Pattern kPatterns[] = {
    {0xff, 0x00, Kind::pad, 0},       {0xff, 0x01, Kind::end, 0},
    {0xff, 0x71, Kind::timestamp, 0}, {0xcf, 0x42, Kind::events, 0},
    {0xcf, 0x43, Kind::source, 0},    {0xfc, 0x64, Kind::context, 3},
    {0xfc, 0x48, Kind::operation, 3}, {0xfc, 0x20, Kind::extended, 3},
    {0xf8, 0xb0, Kind::address, 7},   {0xf8, 0x98, Kind::counter, 7},
};

constexpr std::array<Header, 256> all_headers() {
  std::array<Header, 256> headers{};
  for (unsigned byte = 0; byte < headers.size(); ++byte)
    for (const Pattern& row : kPatterns) {
      if ((byte & row.mask) != row.value) continue;
      if (row.kind == Kind::operation && (byte & row.index_mask) == kClasses) break;
      const bool has_payload =
          row.kind != Kind::pad && row.kind != Kind::end && row.kind != Kind::extended;
      headers[byte] = {row.kind, static_cast<std::uint8_t>(has_payload ? 1u << (byte >> 4 & 3) : 0),
                       static_cast<std::uint8_t>(byte & row.index_mask)};
      break;
    }
  return headers;
}
constexpr std::array<Header, 256> kHeaders = all_headers();

std::uint64_t payload_of(const std::uint8_t* at, std::size_t size) {
  switch (size) {
    case 1:
      return *at;
    case 2:
      return load<std::uint16_t>(at, std::endian::little);
    case 4:
      return load<std::uint32_t>(at, std::endian::little);
    default:
      return load<std::uint64_t>(at, std::endian::little);
  }
}

// Addresses.

constexpr std::uint64_t kLow = (std::uint64_t{1} << 56) - 1, kTop = ~kLow;

/// Returns an address of code. The top byte has the exception level and NS; EL1 and EL2 mean the
/// kernel.
std::uint64_t code_address(std::uint64_t payload) {
  const std::uint64_t level = payload >> 61 & 3;
  const bool is_kernel = payload >> 63 != 0 && (level == 1 || level == 2);
  return (payload & kLow) | (is_kernel ? kTop : 0);
}

/// Returns an address of data without its tag; bits 52 to 55 are all ones only in the kernel.
std::uint64_t data_address(std::uint64_t payload) {
  constexpr std::uint64_t kKernelBits = std::uint64_t{0xf} << 52;
  return (payload & kLow) | ((payload & kKernelBits) == kKernelBits ? kTop : 0);
}

void set_address(unsigned index, std::uint64_t payload, Operation& operation) {
  switch (index) {
    case 0:
      operation.pc = code_address(payload);
      break;
    case 1:
      operation.target = code_address(payload);
      break;
    case 2:
      operation.data = data_address(payload);
      break;
    case 3:
      operation.physical = payload & kLow;
      break;
    case 4:
      operation.previous_target = code_address(payload);
      break;
    default:
      break;
  }
}

// Operation types.

bool fits(std::uint64_t payload, unsigned mask, unsigned value) {
  return (payload & mask) == value;
}

std::uint32_t predicated(std::uint64_t payload) {
  return (payload & 4) != 0 ? std::uint32_t{kIsPredicated} : 0;
}

std::uint32_t of_other(std::uint64_t payload) {
  if (fits(payload, 0x89, 0x08)) return kIsSve | predicated(payload);
  if (fits(payload, 0x89, 0x88)) return kIsSme;
  return fits(payload, 0xfc, 4) ? std::uint32_t{kIsAse} : 0;
}

/// The first of these that fits is the subclass.
struct Subclass {
  unsigned mask, value;
  std::uint32_t is;
};
constexpr Subclass kLoadStores[] = {
    {0xfe, 0x00, 0}, {0xfe, 0x04, kIsAse}, {0xfe, 0x10, 0},      {0xfe, 0x30, 0},
    {0xfe, 0x14, 0}, {0xe2, 0x02, 0},      {0x0a, 0x08, kIsSve},
};

std::uint32_t of_load_store(std::uint64_t payload) {
  const std::uint32_t is = kIsMemory | ((payload & 1) != 0 ? kIsStore : kIsLoad);
  const auto* found =
      std::find_if(std::begin(kLoadStores), std::end(kLoadStores),
                   [&](const Subclass& row) { return fits(payload, row.mask, row.value); });
  if (found == std::end(kLoadStores)) return is;
  return is | found->is | (found->is == kIsSve ? predicated(payload) : 0);
}

// perf has one bit for "call" and "SIMD register", and one for "return" and "SVE". It makes a
// `memory` sample of each, and its key `simd` counts them: arm_spe_2nd_op_branch and is_simd_op of
// tools/perf/util/arm-spe.c.
std::uint32_t of_branch(std::uint64_t payload) {
  constexpr std::uint32_t kKinds[] = {0, kIsCall | kIsAse, kIsReturn | kIsSve, kIsPlainBranch};
  const std::uint32_t condition = (payload & 1) != 0 ? std::uint32_t{kIsConditional} : 0;
  const std::uint32_t indirect = (payload & 2) != 0 ? std::uint32_t{kIsIndirect} : 0;
  return kIsBranch | condition | indirect | kKinds[payload >> 3 & 3];
}

Header extended(const Header& first, const Header& second) {
  if (second.kind != Kind::address && second.kind != Kind::counter) return {};
  return {second.kind, second.size, static_cast<std::uint8_t>(first.index << 3 | second.index)};
}

void add(Kind kind, unsigned index, std::uint64_t payload, Operation& operation) {
  switch (kind) {
    case Kind::events:
      operation.events = payload;
      break;
    case Kind::source:
      operation.source = static_cast<std::uint16_t>(payload);
      break;
    case Kind::context:
      operation.context = payload;
      break;
    case Kind::address:
      set_address(index, payload, operation);
      break;
    case Kind::counter:
      if (index == 0) operation.latency = static_cast<std::uint32_t>(payload);
      break;
    case Kind::operation:
      operation.is |= index == kOther       ? of_other(payload)
                      : index == kLoadStore ? of_load_store(payload)
                                            : of_branch(payload);
      break;
    default:
      break;
  }
}

}  // namespace

struct PacketReader::Packet {
  Kind kind = Kind::bad;
  unsigned index = 0;
  std::uint64_t payload = 0;
};

void PacketReader::resume() {
  at_ = end_;
  next_ = 0;
  (void)next_buffer();
}

bool PacketReader::next(Operation& operation) {
  for (;;) {
    operation = {};
    is_damaged_ = has_begun_ = false;
    const std::uint8_t* const from = at_;
    const std::uint64_t bytes = faults_.bytes;
    if (!read_operation(operation)) {
      if (is_live_ && leave_cut_operation(operation, from)) {
        faults_.bytes = bytes;
        return false;
      }
      if ((has_begun_ || is_damaged_) && faults_.operations++ == 0 && faults_.bytes == 0)
        faults_.first = operation.place;
      return false;
    }
    if (!is_damaged_) return true;
    ++faults_.operations;
  }
}

/// Goes back to the start of a live operation that the end of the data cuts off. Returns false if
/// it is too long for an operation; it then ends here.
bool PacketReader::leave_cut_operation(const Operation& operation, const std::uint8_t* from) {
  if (has_begun_ && !is_damaged_) from = begin_ + (operation.place - place_);
  if (has_begun_ || is_damaged_) at_ = from;
  if (end_ - at_ <= static_cast<std::ptrdiff_t>(kLongestOperation)) return true;
  at_ = end_;
  return false;
}

/// Returns false if the data end before the operation does.
bool PacketReader::read_operation(Operation& operation) {
  for (Packet packet;;) {
    if (from_next_ == 0 && read_short_packets(operation)) return true;
    if (!next_packet(packet)) return false;
    if (!std::exchange(has_begun_, true)) operation.place = start_;
    if (packet.kind == Kind::timestamp) operation.timestamp = packet.payload;
    if (packet.kind == Kind::timestamp || packet.kind == Kind::end) return true;
    add(packet.kind, packet.index, packet.payload, operation);
  }
}

/// Reads packets with a short header while there are enough bytes for any packet. Returns true at
/// the end of the operation. next_packet() reads the other packets.
bool PacketReader::read_short_packets(Operation& operation) {
  constexpr std::uint64_t kMasks[] = {0, 0xff, 0xffff, 0, 0xffffffff, 0, 0, 0, UINT64_MAX};
  while (end_ - at_ >= static_cast<std::ptrdiff_t>(kLongest)) {
    const Header header = kHeaders[*at_];
    if (header.kind == Kind::pad) {
      const auto zeros = std::countr_zero(load<std::uint64_t>(at_, std::endian::little)) / 8;
      at_ += zeros;
      continue;
    }
    if (header.kind == Kind::bad || header.kind == Kind::extended) return false;
    if (!std::exchange(has_begun_, true)) operation.place = place();
    const std::uint64_t payload =
        load<std::uint64_t>(at_ + 1, std::endian::little) & kMasks[header.size];
    at_ += 1 + header.size;
    if (header.kind == Kind::timestamp) operation.timestamp = payload;
    if (header.kind == Kind::timestamp || header.kind == Kind::end) return true;
    add(header.kind, header.index, payload, operation);
  }
  return false;
}

/// Moves on to the next buffer with data. Returns false if there is none.
bool PacketReader::next_buffer() {
  while (next_ < buffers_.size()) {
    const Buffer& buffer = buffers_[next_++];
    begin_ = buffer.data.data();
    at_ = begin_ + std::exchange(resume_, 0);
    end_ = begin_ + buffer.data.size();
    place_ = buffer.place;
    offset_ = buffer.offset;
    from_next_ = 0;
    if (at_ < end_) return true;
  }
  return false;
}

/// A packet at the end of a buffer continues in the next buffer if the hardware wrote that next.
/// Returns false if not; otherwise more of the packet is at at_.
bool PacketReader::join_cut_packet() {
  if (from_next_ > 0 || next_ == 0 || next_ == buffers_.size()) return false;
  const Buffer &last = buffers_[next_ - 1], &more = buffers_[next_];
  if (more.data.empty() || last.offset + last.data.size() != more.offset) return false;
  const auto left = static_cast<std::size_t>(end_ - at_);
  from_next_ = std::min(kLongest, more.data.size());
  place_ = place();
  offset_ = more.offset - left;
  end_ = std::copy_n(more.data.data(), from_next_, std::copy(at_, end_, joined_.data()));
  begin_ = at_ = joined_.data();
  return true;
}

/// Goes to the buffer that the rest of a joined packet came from, once the packet is read.
void PacketReader::leave_joined() {
  const auto left = static_cast<std::size_t>(end_ - at_);
  if (left > from_next_) return;
  resume_ = from_next_ - left;
  at_ = end_;
}

/// Skips the alignment of the next packet: two bytes, or the bytes up to a multiple of a power of
/// two. Returns false if these are still to come.
bool PacketReader::skip_to_alignment() {
  const std::uint64_t unit = std::uint64_t{2} << (*at_ & 0xf);
  const std::uint64_t offset = offset_ + static_cast<std::uint64_t>(at_ - begin_);
  const std::uint64_t size = std::max<std::uint64_t>(unit - offset % unit, 2);
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  if (is_live_ && size > left) return false;
  at_ += std::min(size, left);
  return true;
}

void PacketReader::skip_byte() {
  if (faults_.bytes++ == 0 && faults_.operations == 0) faults_.first = place();
  is_damaged_ = true;
  ++at_;
}

/// Reads the next packet other than padding. Returns false at the end of all data.
bool PacketReader::next_packet(Packet& packet) {
  for (;;) {
    if (from_next_ > 0) leave_joined();
    if (at_ == end_ && !next_buffer()) return false;
    Header header = kHeaders[*at_];
    if (header.kind == Kind::pad) {
      ++at_;
      continue;
    }
    const auto left = static_cast<std::size_t>(end_ - at_);
    std::size_t size = 1;
    if (header.kind == Kind::extended && left > 1) {
      if (at_[1] == 0) {
        if (!skip_to_alignment()) return false;
        continue;
      }
      header = extended(header, kHeaders[at_[1]]);
      size = 2;
    }
    const bool is_whole = header.kind != Kind::extended && left >= size + header.size;
    if (header.kind == Kind::bad || !is_whole) {
      if (header.kind != Kind::bad && is_live_) return false;
      if (header.kind == Kind::bad || !join_cut_packet()) skip_byte();
      continue;
    }
    const std::uint8_t* const payload = at_ + size;
    packet = {header.kind, header.index, header.size > 0 ? payload_of(payload, header.size) : 0};
    start_ = place();
    at_ = payload + header.size;
    return true;
  }
}

}  // namespace evname::spe
