// Names that a recording has of its own, as they were packed; and damaged ones.

#include "recordings/symbols/packed_names.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "support/packed_names.hpp"

namespace evname::symbols {
namespace {

std::string text_of(const std::vector<Frame>& frames) {
  std::string out;
  for (const Frame& frame : frames)
    out += fmt::format("{}+{:#x} {:#x} {}:{}{}{}\n", frame.function, frame.offset, frame.address,
                       frame.source, frame.line, frame.has_debug_info ? " debug" : "",
                       frame.inlined ? " inlined" : "");
  return out;
}

TEST(PackedNames, ReadWhatWasPacked) {
  const auto names = PackedNames::read(packed_program());
  ASSERT_TRUE(names) << names.error().text();
  EXPECT_EQ(names->file("program"), nullptr);  // a part of its identity
  const PackedFile* const program = names->file({"program\0x", 9});
  ASSERT_NE(program, nullptr);
  std::vector<Frame> frames;
  ASSERT_TRUE(program->frames(0x18, frames));
  EXPECT_EQ(text_of(frames),
            "inner+0x8 0x401018 /a.c:7 debug inlined\nouter+0x8 0x401018 /b.c:70000 debug\n");
  ASSERT_TRUE(program->frames(0x10, frames));
  EXPECT_EQ(text_of(frames), "whole+0x10 0x401010 :0\n");
  EXPECT_EQ(text_of({program->function(0x18).value()}), "outer+0x8 0x401018 :0\n");
  for (const std::uint64_t place : {0x0u, 0x11u, 0x17u, 0x19u}) {
    EXPECT_FALSE(program->frames(place, frames)) << place;
    EXPECT_FALSE(program->function(place)) << place;
  }
  const Bytes dump = program->jitdump();
  EXPECT_EQ(std::string(dump.begin(), dump.end()), "the dump");

  const PackedFile* const package = names->file("package");
  ASSERT_NE(package, nullptr);
  const auto place = package->inner(0x3000);
  ASSERT_TRUE(place);
  EXPECT_EQ(
      fmt::format("{} {:#x} {:#x} {:#x}", place->name, place->start, place->size, place->origin),
      "a.apk!/lib.so 0x2000 0x5000 0x1000");
  EXPECT_FALSE(package->inner(0x2000));
  const Bytes id = names->file("inside")->build_id();
  EXPECT_EQ(std::vector<std::uint8_t>(id.begin(), id.end()), (std::vector<std::uint8_t>{1, 2, 3}));
}

TEST(PackedNames, AreAnErrorOrFewerIfTheyAreDamaged) {
  const std::string whole = packed_program();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(PackedNames::read(std::string_view(whole).substr(0, size))) << size;
  // Each byte of the content, without its packing.
  const std::string bytes = plain(whole);
  ASSERT_TRUE(PackedNames::read(bytes));
  for (std::size_t at = 16; at < bytes.size(); ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      if (const auto names = PackedNames::read(damaged)) ask(*names);
    }
}

// A content that is packed too well would look like a claim.
TEST(PackedNames, AreReadHoweverAlikeTheyAre) {
  CollectedFile file{.identity = "program"};
  for (std::uint64_t place = 0; place < 100'000; ++place)
    file.places.push_back({place, {{.function = "f", .source = "/f.c", .line = 1}}});
  const auto names = PackedNames::read(pack_names({&file, 1}));
  ASSERT_TRUE(names) << names.error().text();
  std::vector<Frame> frames;
  ASSERT_TRUE(names->file("program")->frames(99'999, frames));
  EXPECT_EQ(text_of(frames), "f+0x0 0x0 /f.c:1\n");
}

/// Returns a content, not packed, of one file "f" with these texts, frames and places.
std::string content(std::string_view texts, std::span<const std::uint32_t> frames,
                    std::span<const std::uint64_t> places) {
  ByteWriter out(std::endian::little);
  out.u32(1);
  out.u32(0);
  out.u64(8 + texts.size() + 4 + 4 + 1 + 4 + 4 + 4 + frames.size() * 4 + 4 + places.size() * 8 + 8);
  out.u64(texts.size());
  out.raw(texts);
  out.u32(1);
  out.u32(1);
  out.raw(std::string_view("f"));
  out.u32(0);
  out.u32(0);
  out.u32(static_cast<std::uint32_t>(frames.size() / 3));
  for (const std::uint32_t number : frames) out.u32(number);
  out.u32(static_cast<std::uint32_t>(places.size() / 4));
  for (const std::uint64_t number : places) out.u64(number);
  out.u64(0);
  return out.bytes();
}

/// Returns the last word of a place.
constexpr std::uint64_t frames_at(std::uint32_t first, std::uint32_t count) {
  return std::uint64_t{count} << 33 | first;
}

// Places that share frames would make any number of them from a few bytes.
TEST(PackedNames, EachPlaceHasFramesOfItsOwn) {
  const std::string_view texts("\0f", 3);
  const std::uint32_t frames[] = {1, 0, 0, 1, 0, 0};
  const struct {
    const char* what;
    std::uint64_t first, second;
    bool is_fine;
  } cases[] = {
      {"one after the other", frames_at(0, 1), frames_at(1, 1), true},
      {"the same", frames_at(0, 2), frames_at(0, 2), false},
      {"one is in both", frames_at(0, 2), frames_at(1, 1), false},
      {"beyond the end", frames_at(0, 1), frames_at(1, 2), false},
      {"in another order", frames_at(1, 1), frames_at(0, 1), false},
      {"one is in none", frames_at(0, 1), frames_at(1, 0), false},
  };
  for (const auto& c : cases) {
    const std::uint64_t places[] = {1, 0, 0, c.first, 2, 0, 0, c.second};
    EXPECT_EQ(static_cast<bool>(PackedNames::read(content(texts, frames, places))), c.is_fine)
        << c.what;
  }
}

TEST(PackedNames, LongTextsAreCut) {
  const std::string texts = '\0' + std::string(100'000, 'x') + '\0';
  const std::uint32_t frames[] = {1, 50'001, 7};
  const std::uint64_t places[] = {1, 0, 0, frames_at(0, 1)};
  const auto names = PackedNames::read(content(texts, frames, places));
  ASSERT_TRUE(names) << names.error().text();
  std::vector<Frame> found;
  ASSERT_TRUE(names->file("f")->frames(1, found));
  EXPECT_EQ(found[0].function.size(), 65'535u);
  EXPECT_EQ(found[0].source.size(), 50'000u);
}

// Each mapping asks for the file inside at its offset.
TEST(PackedNames, FilesInsideAreFoundByOffset) {
  CollectedFile package{.identity = "package"};
  for (std::uint64_t offset = 0; offset < 300'000; offset += 3)
    package.inner.push_back({offset, {"inner", offset, 2, 1}});
  const auto names = PackedNames::read(pack_names({&package, 1}));
  ASSERT_TRUE(names) << names.error().text();
  for (std::uint64_t offset = 0; offset < 300'000; ++offset) {
    const auto place = names->file("package")->inner(offset);
    ASSERT_EQ(place.has_value(), offset % 3 == 0) << offset;
    ASSERT_EQ(place.value_or(OuterFile::Place()).start, place ? offset : 0);
  }
}

TEST(PackedNames, ClaimsCostNoMemory) {
  const struct {
    const char* what;
    std::uint32_t version, packing;
    std::uint64_t size;
    const char* error;
  } cases[] = {
      {"a later version", 2, 0, 4, "are of version 2, not 1"},
      {"an unknown packing", 1, 9, 4, "can't be unpacked"},
      {"a terabyte", 1, 1, std::uint64_t{1} << 40, "claim to have 1099511627776 bytes"},
      {"more than there is", 1, 0, 5, "can't be unpacked"},
  };
  for (const auto& c : cases) {
    ByteWriter out(std::endian::little);
    out.u32(c.version);
    out.u32(c.packing);
    out.u64(c.size);
    out.raw(std::string_view("abcd"));
    const auto names = PackedNames::read(out.bytes());
    ASSERT_FALSE(names) << c.what;
    EXPECT_NE(names.error().text().find(c.error), std::string::npos) << names.error().text();
  }
}

}  // namespace
}  // namespace evname::symbols
