// Packets of SPE by the layout of the Arm Architecture Reference Manual; command/spe_test.py
// compares samples with perf's.

#include "recordings/spe/packets.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace evname::spe {
namespace {

using std::string_literals::operator""s;

Buffer buffer_of(std::string_view bytes, std::uint64_t place = 0, std::uint64_t offset = 0) {
  return {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, place, offset};
}

struct Decoded {
  std::vector<Operation> operations;
  PacketReader::Faults faults;
};

Decoded decode(const std::vector<Buffer>& buffers) {
  PacketReader reader(buffers);
  Decoded out;
  for (Operation operation; reader.next(operation);) out.operations.push_back(operation);
  out.faults = reader.faults();
  return out;
}

Operation only(const std::string& packets) {
  const Decoded out = decode({buffer_of(packets + "\1")});
  EXPECT_EQ(out.faults.bytes + out.faults.operations, 0u);
  EXPECT_EQ(out.operations.size(), 1u);
  return out.operations.empty() ? Operation{} : out.operations[0];
}

TEST(SpePackets, SizesOfPayloadsAreInTheHeader) {
  EXPECT_EQ(only("\x42\x81"s).events, 0x81u);
  EXPECT_EQ(only("\x52\x81\x02"s).events, 0x281u);
  EXPECT_EQ(only("\x62\x81\x02\x03\x04"s).events, 0x4030281u);
  EXPECT_EQ(only("\x72\x81\x02\x03\x04\x05\x06\x07\x08"s).events, 0x807060504030281u);
  EXPECT_EQ(only("\x43\x0d"s).source, 0xd);
  EXPECT_EQ(only("\x53\x0d\x01"s).source, 0x10d);
  EXPECT_EQ(only("\x64\x0d\x01\0\0"s).context, 0x10du);
  EXPECT_EQ(only("\x98\x0d\x01"s).latency, 0x10du);
  EXPECT_EQ(only("\x99\x0d\x01"s).latency, 0u);          // of the issue
  EXPECT_EQ(only("\x20\x98\x0d\x01"s).latency, 0x10du);  // with the long header
  EXPECT_EQ(decode({buffer_of("\x71\x0d\x01\0\0\0\0\0\0"s)}).operations.at(0).timestamp, 0x10du);
}

TEST(SpePackets, AddressesSayWhoseTheyAre) {
  const std::string address =
      "\x10\0\x08\x80\0\x80\xff"s;  // 0xff80_0080_0800_10, less its top byte
  const auto pc = [&](char top) { return only("\xb0" + address + top).pc; };
  EXPECT_EQ(pc('\x80'), 0xff800080080010u);    // EL0
  EXPECT_EQ(pc('\xa0'), 0xffff800080080010u);  // EL1
  EXPECT_EQ(pc('\xc0'), 0xffff800080080010u);  // EL2
  EXPECT_EQ(pc('\xe0'), 0xff800080080010u);    // EL3
  EXPECT_EQ(pc('\x20'), 0xff800080080010u);    // EL1, secure
  EXPECT_EQ(only("\xb1" + address + '\xa0').target, 0xffff800080080010u);
  EXPECT_EQ(only("\xb2" + address + '\x12').data, 0xffff800080080010u);  // tagged
  EXPECT_EQ(only("\xb3" + address + '\x80').physical, 0xff800080080010u);
  EXPECT_EQ(only("\xb4" + address + '\xa0').previous_target, 0xffff800080080010u);
  EXPECT_EQ(only("\x20\xb4" + address + '\xa0').previous_target, 0xffff800080080010u);
  EXPECT_EQ(only("\x21\xb4" + address + '\xa0').previous_target, 0u);  // address 12, which is new
}

TEST(SpePackets, OperationsAreOfThreeClasses) {
  const auto is = [](char header, char payload) { return only({header, payload}).is; };
  EXPECT_EQ(is('\x48', '\x00'), 0u);
  EXPECT_EQ(is('\x48', '\x04'), kIsAse);
  EXPECT_EQ(is('\x48', '\x08'), kIsSve);
  EXPECT_EQ(is('\x48', '\x0c'), kIsSve | kIsPredicated);
  EXPECT_EQ(is('\x48', '\x88'), kIsSme);
  EXPECT_EQ(is('\x49', '\x00'), kIsMemory | kIsLoad);
  EXPECT_EQ(is('\x49', '\x01'), kIsMemory | kIsStore);
  EXPECT_EQ(is('\x49', '\x05'), kIsMemory | kIsStore | kIsAse);
  EXPECT_EQ(is('\x49', '\x0e'), kIsMemory | kIsLoad);  // exclusive, atomic
  EXPECT_EQ(is('\x49', '\x48'), kIsMemory | kIsLoad | kIsSve);
  EXPECT_EQ(is('\x49', '\x4d'), kIsMemory | kIsStore | kIsSve | kIsPredicated);
  EXPECT_EQ(is('\x4a', '\x03'), kIsBranch | kIsConditional | kIsIndirect);
  EXPECT_EQ(is('\x4a', '\x18'), kIsBranch | kIsPlainBranch);
  EXPECT_TRUE(is('\x4a', '\x08') & kIsCall);
  EXPECT_TRUE(is('\x4a', '\x10') & kIsReturn);
}

TEST(SpePackets, EachHeaderIsAPacketOrNot) {
  unsigned good = 0;
  for (int header = 0; header < 256; ++header) {
    const std::string packet =
        std::string(1, static_cast<char>(header)) + "\xb0" + std::string(9, '\0');
    good += decode({buffer_of(packet + "\1")}).faults.bytes == 0;
  }
  // Padding, end, timestamp; 4 sizes of events and of sources; 4 contexts, 3 operations, 4 long
  // headers, 8 addresses, 8 counters.
  EXPECT_EQ(good, 3u + 8 + 4 + 3 + 4 + 8 + 8);
}

TEST(SpePackets, AlignmentIsOfThePlaceInTheHardwaresBuffer) {
  for (const std::uint64_t offset : {0, 3, 14, 15, 1000}) {
    const std::uint64_t size = std::max<std::uint64_t>(16 - offset % 16, 2);
    const std::string bytes = "\x23\0"s + std::string(size - 2, '\x40') + "\x98\5\0\1"s;
    const Decoded out = decode({buffer_of(bytes, 0, offset)});
    ASSERT_EQ(out.operations.size(), 1u) << offset;
    EXPECT_EQ(out.operations[0].latency, 5u);
    EXPECT_EQ(out.faults.bytes, 0u);
  }
}

TEST(SpePackets, PlacesAreThoseOfTheFile) {
  const std::string first = "\0\0\x98\5\0\1"s, second = "\x98\6\0"s, third = "\x40\1\x98\7\0\1"s;
  const Decoded out = decode(
      {buffer_of(first, 100), buffer_of(second, 200), buffer_of("", 250), buffer_of(third, 300)});
  ASSERT_EQ(out.operations.size(), 2u);
  EXPECT_EQ(out.operations[0].place, 102u);
  EXPECT_EQ(out.operations[1].place, 302u);
  EXPECT_EQ(out.faults.bytes, 1u);
  EXPECT_EQ(out.faults.operations, 1u);
  EXPECT_EQ(out.faults.first, 300u);
}

}  // namespace
}  // namespace evname::spe
