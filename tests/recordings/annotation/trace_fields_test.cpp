#include "recordings/annotation/sample_parts.hpp"

#include <gtest/gtest.h>

#include "support/bytes_out.hpp"

namespace evname::annotation {
namespace {

using perf_format::TraceField;
using perf_format::TraceFormat;

class TraceFields : public testing::TestWithParam<std::endian> {
 protected:
  std::string text(std::vector<TraceField> fields, std::string_view raw) const {
    return written(
        [&](Output& out) { write_trace_text(format_of(std::move(fields)), raw, big(), out); });
  }
  std::string json(std::vector<TraceField> fields, std::string_view raw) const {
    return written([&](Output& out) {
      ValueWriter value(out, ValueWriter::Style::json);
      write_trace_value(format_of(std::move(fields)), raw, big(), value);
    });
  }
  std::string csv(std::vector<TraceField> fields, std::string_view raw) const {
    return written([&](Output& out) {
      ValueWriter value(out, ValueWriter::Style::csv);
      value.cell([&] { write_trace_value(format_of(std::move(fields)), raw, big(), value); });
    });
  }
  bool big() const { return GetParam() == std::endian::big; }
  test::BytesOut out() const { return test::BytesOut(GetParam()); }

 private:
  static TraceFormat format_of(std::vector<TraceField> fields) {
    TraceFormat format;
    format.fields = std::move(fields);
    return format;
  }

  template <class Write>
  static std::string written(Write write) {
    std::string result;
    const TextSink sink = [&](std::string_view piece) { return result += piece, true; };
    Output out(sink);
    write(out);
    out.flush();
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(TraceFields, TraceFields,
                         testing::Values(std::endian::little, std::endian::big));

TEST_P(TraceFields, AreNumbersTextsArraysAndPointers) {
  const std::string all = out()
                              .u16(7)
                              .u16(9)
                              .u32(0xfffffffe)
                              .raw(std::string_view("name\0\0\0\0", 8))
                              .u32(1)
                              .u32(2)
                              .u64(0xdead)
                              .str();
  const std::vector<TraceField> fields = {
      {.name = "common_type", .type = "unsigned short", .offset = 0, .size = 2},
      {.name = "port", .type = "u16", .offset = 2, .size = 2},
      {.name = "ret", .type = "int", .offset = 4, .size = 4, .is_signed = true},
      {.name = "comm", .type = "char", .offset = 8, .size = 8, .count = 8},
      {.name = "args", .type = "unsigned int", .offset = 16, .size = 8, .count = 2},
      {.name = "ptr", .type = "const char *", .offset = 24, .size = 8}};
  EXPECT_EQ(text(fields, all), "port=9 ret=-2 comm=name args=0x1,0x2 ptr=0xdead");
  EXPECT_EQ(json(fields, all),
            R"({"port":9,"ret":-2,"comm":"name","args":"0x1,0x2","ptr":"0xdead"})");
  EXPECT_EQ(csv(fields, all), R"("port=9;ret=-2;comm=name;args=0x1,0x2;ptr=0xdead")");
}

TEST_P(TraceFields, OfDynamicLengthAreWhereTheirPlaceSays) {
  const std::string all = out().u32(5 << 16 | 8).u32(0).raw(std::string_view("/bin\0", 5)).str();
  EXPECT_EQ(
      text({{.name = "file", .type = "__data_loc char[]", .size = 4, .is_dynamic = true}}, all),
      "file=/bin");
  const std::string relative =
      out().u32(5 << 16 | 4).u32(0).raw(std::string_view("/bin\0", 5)).str();
  EXPECT_EQ(text({{.name = "file", .type = "__rel_loc char[]", .size = 4, .is_relative = true}},
                 relative),
            "file=/bin");
}

TEST_P(TraceFields, AreOneCellWhateverIsInThem) {
  const std::vector<TraceField> fields = {
      {.name = "a=b", .type = "char", .offset = 0, .size = 8, .count = 8},
      {.name = "n", .type = "u8", .offset = 8, .size = 1}};
  const auto cell = [&](std::string_view text) {
    return csv(fields, std::string(text) + std::string(8 - text.size(), '\0') + "\x01");
  };
  EXPECT_EQ(cell("x"), R"(a\=b=x;n=1)");
  EXPECT_EQ(cell("x;n=2\\"), R"(a\=b=x\;n\=2\\;n=1)");
  EXPECT_EQ(cell("a,\"b"), R"("a\=b=a,""b;n=1")");
  EXPECT_EQ(cell("\xff\n"), "\"a\\=b=\xef\xbf\xbd\n;n=1\"");
}

// An item has as many bytes as its array divided by their number, if that is a number's size.
TEST_P(TraceFields, ItemsOfArrays) {
  const std::string bytes = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c";
  const struct {
    std::uint32_t size, count;
    const char *little, *big;
  } kRows[] = {
      {4, 4, "0x1,0x2,0x3,0x4", "0x1,0x2,0x3,0x4"},
      {4, 2, "0x201,0x403", "0x102,0x304"},
      {4, 1, "0x4030201", "0x1020304"},
      {8, 1, "0x807060504030201", "0x102030405060708"},
      {6, 2, "0x30201,0x60504", "0x10203,0x40506"},
      {3, 8, "0x1,0x2,0x3", "0x1,0x2,0x3"},
      {9, 1, "0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9", "0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9"},
      {7, 3, "0x201,0x403,0x605", "0x102,0x304,0x506"},
      {9, 0, "0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9", "0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9"}};
  for (const auto& row : kRows)
    EXPECT_EQ(text({{.name = "a", .type = "int", .size = row.size, .count = row.count}}, bytes),
              std::string("a=") + (big() ? row.big : row.little))
        << row.size << ' ' << row.count;
}

// A number has a sign if its field says so, of each size.
TEST_P(TraceFields, Numbers) {
  const struct {
    std::uint32_t size;
    const char *signed_number, *number;
  } kRows[] = {{1, "-2", "254"},
               {2, "-258", "65278"},
               {4, "-16843010", "4278124286"},
               {8, "-72340172838076674", "18374403900871474942"}};
  const std::string bytes = std::string("\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xfe");
  for (const auto& row : kRows)
    for (const bool is_signed : {false, true})
      EXPECT_EQ(
          text({{.name = "a", .type = "int", .size = row.size, .is_signed = is_signed}}, bytes),
          std::string("a=") + (is_signed ? row.signed_number : row.number))
          << row.size;
}

// Several letters, or a long one, are a text; a pointer to letters is a number.
TEST_P(TraceFields, Texts) {
  const struct {
    const char* type;
    std::uint32_t size, count;
    const char* text;
  } kRows[] = {{"char", 4, 4, "abcd"},          {"char", 1, 0, "97"},
               {"char", 1, 1, "0x61"},          {"char", 4, 0, "abcd"},
               {"unsigned char", 4, 4, "abcd"}, {"const char *", 1, 0, "0x61"}};
  for (const auto& row : kRows)
    EXPECT_EQ(text({{.name = "a", .type = row.type, .size = row.size, .count = row.count}}, "abcd"),
              std::string("a=") + row.text)
        << row.type << row.size;
}

TEST_P(TraceFields, BeyondTheSampleAreEmpty) {
  EXPECT_EQ(text({{.name = "a", .type = "int", .offset = 100, .size = 4},
                  {.name = "b", .type = "__data_loc char[]", .size = 4, .is_dynamic = true}},
                 out().u32(0xffffffff).str()),
            "a= b=");
}

}  // namespace
}  // namespace evname::annotation
