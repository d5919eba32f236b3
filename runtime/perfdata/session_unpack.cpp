// The part of Session that reads compressed records.

#include <algorithm>

#include "base/cursor.hpp"
#include "perfdata/session.hpp"

namespace evname::perfdata {
namespace {

constexpr std::size_t kBlock = 256 << 10;  // a record is at most 64 KiB

// COMPRESSED is bytes up to the record's end, COMPRESSED2 says how many.
Bytes packed_bytes(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  if (record.type == kRecordCompressed) return in.bytes(in.remaining());
  const std::uint64_t size = in.u64();
  return in.bytes(std::min<std::uint64_t>(size, in.remaining()));
}

}  // namespace

// Moves what is left of a full block to the front of a new one.
void Session::next_block(Unpacked& unpacked) {
  const std::uint32_t fresh = blocks_.add_owned(kBlock, unpacked.offset + unpacked.parsed);
  const std::size_t kept = unpacked.used - unpacked.parsed;
  if (unpacked.block) {
    const Bytes rest = blocks_.bytes(*unpacked.block).subspan(unpacked.parsed, kept);
    std::copy(rest.begin(), rest.end(), blocks_.writable(fresh));
    blocks_.done(*unpacked.block);
  }
  unpacked.offset += unpacked.parsed;
  unpacked.block = fresh;
  unpacked.parsed = 0;
  unpacked.used = kept;
}

bool Session::unpack(const Record& record, Unpacked& unpacked) {
  Bytes input = packed_bytes(record, file_.header.order);
  for (bool more = !input.empty(); more && !unpacked.broken;) {
    if (!unpacked.block || unpacked.used == kBlock) next_block(unpacked);
    const std::size_t space = kBlock - unpacked.used;
    auto got =
        unpacked.unpacker.unpack(input, blocks_.writable(*unpacked.block) + unpacked.used, space);
    if (!got) {
      warnings_.add(record.offset, stream_name_ + got.error().message);
      unpacked.broken = true;
      return true;
    }
    more = *got == space;
    unpacked.used += *got;
    if (!take_unpacked(unpacked)) return false;
  }
  return true;
}

bool Session::take_unpacked(Unpacked& unpacked) {
  const Bytes bytes =
      blocks_.bytes(*unpacked.block).subspan(unpacked.parsed, unpacked.used - unpacked.parsed);
  RecordReader reader(bytes, file_.header.order, unpacked.offset + unpacked.parsed);
  for (Record record; reader.next(record);)
    if (!take(record, *unpacked.block)) return false;
  const Bytes rest = reader.rest();
  unpacked.parsed = unpacked.used - rest.size();
  // A record that is longer than what is left goes on in the data to come; another fault is final.
  const bool goes_on = rest.size() < kRecordHeader ||
                       (load<std::uint16_t>(rest.data() + 6, file_.header.order) > rest.size() &&
                        rest.size() < kBlock);
  if (goes_on) return true;
  unpacked.broken = true;
  warnings_.add(unpacked.offset + unpacked.parsed,
                fmt::format("{}unpacked data: {}; nothing after it is unpacked", stream_name_,
                            reader.fault()));
  return true;
}

void Session::end_unpacked(Unpacked& unpacked) {
  if (!unpacked.block) return;
  if (unpacked.used > unpacked.parsed && !unpacked.broken)
    warnings_.add(fmt::format("{}unpacked data end within a record", stream_name_));
  blocks_.done(*unpacked.block);
}

}  // namespace evname::perfdata
