// Files that gzip, bzip2, xz and zstd packed, whole and damaged, and how large they may become.

#include "recordings/elf/unpack.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "recordings/elf/elf_fixture.hpp"
#include "support/temp_dir.hpp"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

namespace evname::elf {
namespace {

std::string of_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// What the programs of these names made of `kText`; not every build has all libraries.
constexpr std::string_view kText = "evname reads what is packed\n";
struct Packed {
  const char* program;
  std::string_view hex;
};
const std::vector<Packed> kPacked = {
#ifdef HAVE_ZLIB
    {"gzip",
     "1f8b08000000000000034b2dcb4bcc4d55284a4d4c295628cf482c51c82c5628484cce4e4de1020031b30e1e1c000"
     "000"},
#endif
#ifdef HAVE_BZIP2
    {"bzip2",
     "425a6839314159265359ffe4f1f5000007d180001040002e6b5d80200031434d3000534c80d3ca7a904e5858736ec"
     "099"
     "40e53d12898f8bb9229c28487ff278fa80"},
#endif
#ifdef HAVE_LZMA
    {"xz",
     "fd377a585a000004e6d6b4460200210116000000742fe5a301001b65766e616d65207265616473207768617420697"
     "3207"
     "061636b65640a004f0b53af6b71886e0001341c931aad8f1fb6f37d010000000004595a"},
#endif
#ifdef HAVE_ZSTD
    {"zstd", "28b52ffd0458e1000065766e616d652072656164732077686174206973207061636b65640a05f25444"},
#endif
};

class Unpack : public testing::Test {
 protected:
  /// The text of the file that unpack() makes; "(none)" without one.
  std::string unpacked(const std::string& bytes, Budget& budget) {
    const Descriptor packed(::open(dir_.write("packed", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    const Descriptor file = unpack(packed.get(), "packed", budget);
    if (file.get() < 0) return "(none)";
    std::string out(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(file.get(), out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
    return out;
  }
  std::string unpacked(const std::string& bytes) {
    Budget budget;
    return unpacked(bytes, budget);
  }

  test::TempDir dir_;
};

TEST_F(Unpack, WholeAndCut) {
  for (const Packed& packed : kPacked) {
    const std::string bytes = of_hex(packed.hex);
    EXPECT_EQ(unpacked(bytes), kText) << packed.program;
    EXPECT_EQ(unpacked(bytes + "what follows"), kText) << packed.program;
    // zstd's own end is a checksum; the others have one, too, or a size.
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_EQ(unpacked(bytes.substr(0, size)), "(none)") << packed.program << size;
  }
}

TEST_F(Unpack, Damaged) {
  for (const Packed& packed : kPacked) {
    const std::string bytes = of_hex(packed.hex);
    for (std::size_t at = bytes.size() / 3; at < bytes.size() - 8; ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      EXPECT_EQ(unpacked(damaged), "(none)") << packed.program << at;
    }
  }
  EXPECT_EQ(unpacked("\x1f\x9d" + std::string(20, 'x')), "(none)");  // compress(1)
  EXPECT_EQ(unpacked(std::string(kText)), "(none)");
  EXPECT_EQ(unpacked(""), "(none)");
}

#ifdef HAVE_ZLIB
std::string gzip(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// More than one piece of 64 KiB goes in and comes out.
TEST_F(Unpack, LongerThanAPiece) {
  std::string text;
  std::uint32_t random = 1;
  for (const std::size_t size : {std::size_t{1} << 16, (std::size_t{1} << 16) + 1,
                                 std::size_t{200000}, std::size_t{1000000}}) {
    while (text.size() < size)
      text += static_cast<char>((random = random * 1664525 + 1013904223) >> 25);
    EXPECT_TRUE(unpacked(gzip(text)) == text) << size;
  }
}

// What a file becomes, beyond 20 times its size, comes from a budget that all files share.
TEST_F(Unpack, WhatBecomesTooLarge) {
  const std::string packed = gzip(std::string(std::size_t{8} << 20, 'x'));
  ASSERT_LT(packed.size() * Budget::kFreeGrowth, std::size_t{1} << 20);
  std::vector<std::string> told;
  Budget budget([&](const std::string& message) { told.push_back(message); });
  constexpr std::uint64_t kLeft = std::uint64_t{12} << 20;
  EXPECT_TRUE(budget.take(Budget::kBytes - kLeft, 0, "others"));
  EXPECT_EQ(unpacked(packed, budget).size(), std::size_t{8} << 20);
  EXPECT_EQ(budget.room(0), kLeft - (std::uint64_t{8} << 20) + 20 * packed.size());
  EXPECT_EQ(unpacked(packed, budget), "(none)");
  EXPECT_EQ(told, std::vector<std::string>{"packed becomes too large, or takes too long, to be "
                                           "read: it is left out"});
  EXPECT_EQ(unpacked(gzip("small")), "small");
  EXPECT_EQ(unpacked(gzip("small"), budget), "small");  // within what is free
}
#endif

// A program's file may be packed as a whole, and be called anything.
TEST(UnpackedFiles, HaveSymbols) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
#ifdef HAVE_ZLIB
  const test::TempDir dir;
  const std::string path = dir.write("program", gzip(test::elf_file()));
  SymbolOptions options;
  options.cache = dir.path("cache");
  const Symbols symbols(options);
  EXPECT_EQ(symbols
                .function(test::kStart + 1,
                          {.file = path, .start = test::kStart, .offset = test::ElfParts::kText})
                .function,
            "first_function");
#endif
}

TEST(SymbolBudget, SharesWhatIsNotFree) {
  const struct {
    std::uint64_t grown, size;
    bool fits;
    std::uint64_t left;  ///< room of nothing, afterwards
  } cases[] = {
      {20, 1, true, Budget::kBytes},
      {21, 1, true, Budget::kBytes - 1},
      {0, 0, true, Budget::kBytes},
      {Budget::kBytes, 0, true, 0},
      {Budget::kBytes + 1, 0, false, 0},
      {Budget::kBytes + 20, 1, true, 0},
      {Budget::kMostOfOne, std::uint64_t{1} << 30, true, Budget::kBytes},
      {Budget::kMostOfOne + 1, std::uint64_t{1} << 30, false, 0},
      {Budget::kMostOfOne, std::uint64_t{5} << 30, true, Budget::kBytes},
      {UINT64_MAX, UINT64_MAX, false, 0},
  };
  for (const auto& c : cases) {
    int told = 0;
    Budget budget([&](const std::string&) { ++told; });
    EXPECT_EQ(budget.take(c.grown, c.size, "it"), c.fits) << c.grown;
    EXPECT_EQ(told, c.fits ? 0 : 1) << c.grown;
    EXPECT_EQ(budget.room(0), c.left) << c.grown;
  }
  const Budget whole;
  EXPECT_EQ(whole.room(10), Budget::kBytes + 200);
  EXPECT_EQ(whole.room(std::uint64_t{1} << 30), Budget::kMostOfOne);
  EXPECT_EQ(whole.room(UINT64_MAX), Budget::kMostOfOne);
}

TEST(SymbolBudget, SharesTime) {
  int told = 0;
  Budget budget([&](const std::string&) { ++told; });
  EXPECT_TRUE(budget.take_time(std::chrono::seconds(30), "it"));
  EXPECT_TRUE(budget.take_time(std::chrono::seconds(20), "it"));
  EXPECT_FALSE(budget.take_time(std::chrono::seconds(20), "it"));
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace evname::elf
