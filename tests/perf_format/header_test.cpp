#include "perf_format/file_header.hpp"

#include <gtest/gtest.h>

#include "perf_format/recorded_events.hpp"
#include "support/perf_file.hpp"

namespace evname::perf_format {
namespace {

using test::PerfFile;
using test::view_of;

Result<Header> read(const std::string& file, Warnings* warnings = nullptr) {
  Warnings own;
  return read_header(view_of(file), "f", warnings ? *warnings : own);
}

class AnyHeader : public testing::TestWithParam<std::endian> {};
INSTANTIATE_TEST_SUITE_P(Header, AnyHeader, testing::Values(std::endian::little, std::endian::big));

TEST_P(AnyHeader, MagicTellsTheOrderAndTheSectionsAreFound) {
  const std::string file =
      PerfFile(GetParam()).event({}).record(68, "").feature(3, "x").feature(31, "y").file();
  const auto header = read(file);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_EQ(header->order, GetParam());
  EXPECT_EQ(header->attr_size, 152u);
  EXPECT_EQ(header->attrs.size, 152u);
  EXPECT_EQ(header->data.size, 8u);
  EXPECT_EQ(header->feature_table, header->data.offset + 8);
  EXPECT_EQ(header->features.count(), 2u);
  EXPECT_TRUE(header->features[3] && header->features[31]);
}

TEST_P(AnyHeader, AHeaderOf72BytesHasNoFeatures) {
  PerfFile file(GetParam());
  file.header_size = 72;
  const auto header = read(file.event({}).record(68, "").file());
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->features.none());
  EXPECT_EQ(header->data.size, 8u);
}

TEST_P(AnyHeader, ALongerHeaderIsReadWithAWarning) {
  PerfFile file(GetParam());
  file.header_size = 112;
  Warnings warnings;
  ASSERT_TRUE(read(file.event({}).record(68, "").feature(3, "x").file(), &warnings));
  EXPECT_EQ(warnings.take().size(), 1u);
}

// struct perf_file_header of tools/perf/util/header.h: the size is at 8, attrs at 24, data at 40.
TEST_P(AnyHeader, WhatOverlapsIsAWarningWithItsPlace) {
  struct Case {
    std::size_t at;
    std::uint64_t value;
    std::vector<std::string> told;
  };
  const Case cases[] = {
      {8, 103, {"at offset 0x8: unusual header size 103"}},
      {24, 103, {"at offset 0x18: header overlaps the attrs or data section"}},
      {40,
       103,
       {"at offset 0x18: header overlaps the attrs or data section",
        "at offset 0x18: attrs and data sections overlap"}},
      {40, 104 + 151, {"at offset 0x18: attrs and data sections overlap"}},
      {40, 104 + 152, {}},
  };
  const std::string whole =
      PerfFile(GetParam()).event({}).record(68, "").record(68, "").file() + std::string(64, 0);
  for (const Case& one : cases) {
    std::string file = whole;
    for (std::size_t i = 0; i < 8; ++i)
      file[one.at + (GetParam() == std::endian::little ? i : 7 - i)] =
          static_cast<char>(one.value >> 8 * i);
    Warnings warnings;
    ASSERT_TRUE(read(file, &warnings));
    EXPECT_EQ(warnings.take(), one.told) << one.at << " " << one.value;
  }
}

TEST_P(AnyHeader, OldMagicWorksInBothOrders) {
  std::string file = PerfFile(GetParam()).event({}).record(68, "").file();
  file.replace(0, 8, "PERFFILE");
  const auto header = read(file);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->order, GetParam());
}

TEST_P(AnyHeader, ASizeOf16MeansAPipe) {
  const auto header = read(PerfFile(GetParam()).pipe());
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->pipe);
}

TEST_P(AnyHeader, AnUnterminatedFileIsReadToItsEnd) {
  PerfFile file(GetParam());
  file.unterminated = true;
  Warnings warnings;
  const auto header = read(file.event({}).record(68, "").record(68, "").file(), &warnings);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->data.size, 16u);
  EXPECT_EQ(header->feature_table, 0u);
  EXPECT_EQ(warnings.take().size(), 1u);
}

TEST_P(AnyHeader, AFileWithoutRecordsKeepsItsFeatures) {
  Warnings warnings;
  const auto header = read(PerfFile(GetParam()).event({}).feature(3, "x").file(), &warnings);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->data.size, 0u);
  EXPECT_NE(header->feature_table, 0u);
  EXPECT_EQ(warnings.take(),
            (std::vector<std::string>{
                "at offset 0x30: the data size is 0: was `perf record` terminated properly?"}));
}

TEST(Header, ABigEndian32BitRecorderFillsTheFirstHalfOfAWord) {
  std::string file = PerfFile(std::endian::big).event({}).record(68, "").feature(3, "x").file();
  file.replace(72, 8, std::string("\0\0\0\x08\0\0\0\0", 8));
  const auto header = read(file);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->features.count(), 1u);
  EXPECT_TRUE(header->features[3]);
}

TEST(Header, DataPastTheEndOfTheFileAreClipped) {
  std::string file = PerfFile().event({}).record(68, "").record(68, "").file();
  file.resize(file.size() - 3);
  Warnings warnings;
  const auto header = read(file, &warnings);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->data.size, 13u);
  EXPECT_EQ(warnings.take().size(), 1u);
}

TEST(Header, WhatIsNoRecordingIsAnError) {
  const std::string good = PerfFile().event({}).file();
  std::string small_header = good;
  small_header[8] = 71;
  const std::string kFiles[] = {"",
                                "PERFILE2",
                                std::string(200, 'x'),
                                good.substr(0, 71),
                                small_header,
                                std::string("PERFFILE") + std::string(100, '\xff')};
  for (const std::string& file : kFiles) {
    const auto header = read(file);
    ASSERT_FALSE(header) << file.size();
    EXPECT_EQ(header.error().code, Errc::corrupt);
  }
}

Events attrs_of(const std::string& file, std::size_t* warnings = nullptr) {
  Warnings list;
  Events events;
  const auto header = read(file, &list);
  if (header) read_attrs(view_of(file), *header, events, list);
  if (warnings) *warnings = list.take().size();
  return events;
}

TEST_P(AnyHeader, AttrsOfAnySizeAreRead) {
  for (std::uint32_t size : {64u, 72u, 96u, 112u, 136u, 144u, 200u}) {
    PerfFile file(GetParam());
    file.event({.config = 1, .size = size, .ids = {7, 8}})
        .event({.config = 2, .size = size, .ids = {9}});
    const Events events = attrs_of(file.file());
    ASSERT_EQ(events.size(), 2u) << size;
    EXPECT_EQ(events.list()[1].attr.code.config[0], 2u);
    EXPECT_EQ(events.list()[0].ids, (std::vector<std::uint64_t>{7, 8}));
    EXPECT_EQ(events.index_of(9), 1u);
    EXPECT_EQ(events.index_of(10), kNoEvent);
  }
}

TEST(Attrs, AWrongEntrySizeInTheHeaderIsFoundOut) {
  for (std::uint64_t entry : {1u, 90u, 152u, 1000u}) {
    PerfFile file;
    file.attr_entry = entry;
    file.event({.config = 1, .size = 112, .ids = {1}})
        .event({.config = 2, .size = 112, .ids = {2}});
    const Events events = attrs_of(file.file());
    ASSERT_EQ(events.size(), 2u) << entry;
    EXPECT_EQ(events.index_of(2), 1u);
  }
}

TEST(Attrs, IdsThatAreNotInTheFileAreLeftOut) {
  std::string file = PerfFile().event({.ids = {1}}).record(68, "").file();
  file.replace(104 + 8 + 136 + 8, 8, std::string(8, '\x7f'));
  std::size_t warnings = 0;
  const Events events = attrs_of(file, &warnings);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events.list()[0].ids.empty());
  EXPECT_EQ(warnings, 1u);
}

TEST(Attrs, TheLaterOfTwoEventsWithOneIdHasIt) {
  EXPECT_EQ(attrs_of(PerfFile().event({.ids = {5}}).event({.ids = {5}}).file()).index_of(5), 1u);
}

}  // namespace
}  // namespace evname::perf_format
