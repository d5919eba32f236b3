#pragma once
// The packets of Arm's Statistical Profiling Extension (SPE), and the operations that they
// describe. Source: the chapter "Statistical Profiling Extension Sample Record Specification" of
// the Arm Architecture Reference Manual.

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace evname::spe {

/// Bits of the Events packet.
enum EventBit : std::uint64_t {
  kL1dAccess = 1u << 2,
  kL1dRefill = 1u << 3,
  kTlbAccess = 1u << 4,
  kTlbWalk = 1u << 5,
  kNotTaken = 1u << 6,
  kMispredicted = 1u << 7,
  kLlcAccess = 1u << 8,
  kLlcMiss = 1u << 9,
  kRemoteAccess = 1u << 10,
  kTransactional = 1u << 16,
  kPartialPredicate = 1u << 17,
  kEmptyPredicate = 1u << 18,
  kL2dAccess = 1u << 19,
  kL2dMiss = 1u << 20,
  kModified = 1u << 21,
  kRecentlyFetched = 1u << 22,
  kSnooped = 1u << 23,
};

/// The kinds of an operation, from its Operation Type packets.
enum OperationBit : std::uint32_t {
  kIsMemory = 1u << 0,  ///< load, store or atomic
  kIsLoad = 1u << 1,
  kIsStore = 1u << 2,
  kIsSve = 1u << 3,
  kIsBranch = 1u << 4,
  kIsConditional = 1u << 5,
  kIsIndirect = 1u << 6,
  kIsCall = 1u << 7,
  kIsReturn = 1u << 8,
  kIsPlainBranch = 1u << 9,  ///< known to be neither call nor return
  kIsSme = 1u << 10,
  kIsAse = 1u << 11,  ///< Advanced SIMD, or a load or store of its registers
  kIsPredicated = 1u << 12,
  kIsVector = kIsSve | kIsSme | kIsAse,
};

/// A sampled operation: the packets up to a timestamp or an end.
struct Operation {
  static constexpr std::uint64_t kNoContext = UINT64_MAX;

  std::uint64_t events = 0;  ///< EventBit
  std::uint32_t is = 0;      ///< OperationBit
  std::uint32_t latency = 0;
  std::uint16_t source = 0;
  std::uint64_t pc = 0, target = 0, previous_target = 0;
  std::uint64_t data = 0, physical = 0;
  std::uint64_t context = kNoContext;
  std::uint64_t timestamp = 0;
  std::uint64_t place = 0;  ///< of its first packet in the file
};

/// A piece of trace data.
struct Buffer {
  Bytes data;
  std::uint64_t place = 0;   ///< in the file
  std::uint64_t offset = 0;  ///< offset among all bytes that the hardware wrote to this AUX area
};

/// Reads the operations of consecutive pieces. Skips invalid bytes one by one, and leaves out the
/// operation that contains them.
class PacketReader {
 public:
  /// The maximum size of an operation in bytes; the hardware writes 2 KiB at most.
  static constexpr std::size_t kLongestOperation = 4096;

  /// `is_live`: there is one buffer, and an operation cut off by its end is left for resume().
  explicit PacketReader(std::span<const Buffer> buffers, bool is_live = false)
      : buffers_(buffers), is_live_(is_live) {}

  /// Reads the next operation. Returns false at the end.
  bool next(Operation& operation);

  /// Continues in the buffer, which begins with unread() now.
  void resume();
  /// Returns the unread bytes of a live buffer; after its end at most kLongestOperation.
  Bytes unread() const { return {at_, end_}; }

  /// Bytes and operations that were not read.
  struct Faults {
    std::uint64_t bytes = 0;       ///< that are no packet
    std::uint64_t operations = 0;  ///< left out for them, or cut off by the end
    std::uint64_t first = 0;       ///< the place of the first one in the file
  };
  const Faults& faults() const { return faults_; }

 private:
  static constexpr std::size_t kLongest = 10;  ///< bytes of a packet

  /// The type of a packet, and its payload.
  struct Packet;

  bool read_operation(Operation& operation);
  bool leave_cut_operation(const Operation& operation, const std::uint8_t* from);
  bool read_short_packets(Operation& operation);
  bool next_packet(Packet& packet);
  bool next_buffer();
  void leave_joined();
  bool join_cut_packet();
  bool skip_to_alignment();
  void skip_byte();
  std::uint64_t place() const { return place_ + static_cast<std::uint64_t>(at_ - begin_); }

  std::span<const Buffer> buffers_;
  bool is_live_;
  std::size_t next_ = 0;  ///< the buffer after the one that is being read
  const std::uint8_t *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::uint64_t place_ = 0, offset_ = 0;           ///< of begin_
  std::array<std::uint8_t, 2 * kLongest> joined_;  ///< a packet that two buffers share
  std::size_t from_next_ = 0;                      ///< bytes of the next buffer that are in it
  std::size_t resume_ = 0;                         ///< bytes of it that are read already
  std::uint64_t start_ = 0;                        ///< the place of the packet that was read last
  bool has_begun_ = false;                         ///< the operation at hand has a packet
  bool is_damaged_ = false;                        ///< it has invalid bytes
  Faults faults_;
};

}  // namespace evname::spe
