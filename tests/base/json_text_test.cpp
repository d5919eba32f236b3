#include "base/json_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json_writer.hpp"

namespace evname {
namespace {

TEST(JsonText, IsEscapedAndAlwaysUtf8) {
  const struct {
    std::string_view text, json;
  } kRows[] = {{"a\"b\\c", R"("a\"b\\c")"},
               {"\n\x01\x7f", R"("\u000a\u0001\u007f")"},
               {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
               {"\xff"
                "a\xc3",
                "\"\xef\xbf\xbd"
                "a\xef\xbf\xbd\""},
               {"\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                  // overlong
               {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},  // surrogate
               {"", "\"\""}};
  for (const auto& row : kRows) {
    fmt::memory_buffer out;
    append_json_string(out, row.text);
    EXPECT_EQ(fmt::to_string(out), row.json);
  }
}

// Unicode 15, table 3-7: the first and last bytes of each row of well-formed sequences, and their
// neighbours. Each byte that begins none is a U+FFFD.
TEST(JsonText, KeepsWellFormedSequencesOnly) {
  const std::string bad = "\xef\xbf\xbd";
  const char* const good[] = {"\x7e",
                              "\xc2\x80",
                              "\xdf\xbf",
                              "\xe0\xa0\x80",
                              "\xe0\xbf\xbf",
                              "\xe1\x80\x80",
                              "\xec\xbf\xbf",
                              "\xed\x80\x80",
                              "\xed\x9f\xbf",
                              "\xee\x80\x80",
                              "\xef\xbf\xbf",
                              "\xf0\x90\x80\x80",
                              "\xf0\xbf\xbf\xbf",
                              "\xf1\x80\x80\x80",
                              "\xf3\xbf\xbf\xbf",
                              "\xf4\x80\x80\x80",
                              "\xf4\x8f\xbf\xbf"};
  for (const std::string text : good)
    for (const std::string& whole : {text, text + "a", "a" + text, text + text}) {
      std::string json, utf8;
      append_json_string(json, whole);
      append_utf8(utf8, whole);
      EXPECT_EQ(json, '"' + whole + '"');
      EXPECT_EQ(utf8, whole);
    }
  const char* const wrong[] = {"\x80",
                               "\xbf",
                               "\xc1\x80",
                               "\xc2",
                               "\xc2\xc2",
                               "\xdf\x7f",
                               "\xe0\x9f\xbf",
                               "\xe0\xa0",
                               "\xe1\x7f",
                               "\xe1\x80",
                               "\xed\xa0\x80",
                               "\xef\xbf",
                               "\xf0\x8f\xbf\xbf",
                               "\xf0\x90\x80",
                               "\xf1\x80\x80\xc0",
                               "\xf4\x90\x80\x80",
                               "\xf4\x80",
                               "\xf5\x80\x80\x80",
                               "\xff"};
  for (const std::string text : wrong) {
    std::string json, utf8, expected;
    for (const char byte : text) expected += (byte & 0x80) != 0 ? bad : std::string(1, byte);
    append_utf8(utf8, text + "a");
    EXPECT_EQ(utf8, expected + "a");
    if (text.find('\x7f') != text.npos) continue;  // which is written as \u007f
    append_json_string(json, "a" + text);
    EXPECT_EQ(json, "\"a" + expected + '"');
  }
}

TEST(JsonText, EscapesControlCharactersQuotesAndBackslashes) {  // RFC 8259, 7; and DEL
  for (int letter = 0; letter < 0x80; ++letter) {
    std::string json;
    append_json_string(json, std::string(1, static_cast<char>(letter)));
    const std::string plain(1, static_cast<char>(letter));
    const std::string expected = letter < 0x20 || letter == 0x7f ? fmt::format("\\u{:04x}", letter)
                                 : letter == '"' || letter == '\\' ? "\\" + plain
                                                                   : plain;
    EXPECT_EQ(json, '"' + expected + '"') << letter;
  }
}

// ECMA-262, 6.1.6.1.20; 0 and whole numbers end with ".0".
TEST(JsonWriter, WritesNumbersThatJsonHas) {
  std::string out;
  JsonWriter json(out);
  json.array([&] {
    for (const double value : {0.0, 1.0, -2.5, 1e300, 1.0 / 0.0, -1.0 / 0.0, std::nan("")})
      json.real(value);
    json.number(UINT64_MAX);
    json.integer(INT64_MIN);
    json.flag(false);
    json.null();
    json.texts(std::vector<std::string>{"a", "b\n"});
    json.milliseconds(1'000'000'000'000'000);
  });
  EXPECT_EQ(
      out,
      "[0.0,1.0,-2.5,1e300,null,null,null,18446744073709551615,-9223372036854775808,false,null,"
      "[\"a\",\"b\\u000a\"],1000000000.0]");
}

TEST(JsonWriter, WritesColumnsOfAnyLength) {
  for (const std::size_t count : {0, 1, 2, 255, 256, 257, 258, 512, 513}) {
    std::string out, each;
    JsonWriter json(out), one_by_one(each);
    json.object([&] { json.column_of("a", count, "12"); });
    one_by_one.object(
        [&] { one_by_one.column("a", count, [&](std::size_t) { one_by_one.number(12); }); });
    EXPECT_EQ(out, each) << count;
    EXPECT_EQ(static_cast<std::size_t>(std::count(out.begin(), out.end(), '2')), count);
  }
}

TEST(JsonText, EndsNoScript) {
  std::string out = "x";
  append_to_script(out, "[\"</script><b\",\"<\"]");
  EXPECT_EQ(out, "x[\"\\u003c/script>\\u003cb\",\"\\u003c\"]");
}

// As JavaScript prints them, but that whole numbers end with ".0".
TEST(JsonWriter, WritesTimesAsMilliseconds) {
  std::string out;
  JsonWriter json(out);
  json.each(std::vector<std::uint64_t>{0, 1, 500'000, 29'195'824, 1'000'000, 999'999'999'999'999,
                                       1'767'225'600'123'456'789},
            [&](std::uint64_t ns) { json.milliseconds(ns); });
  EXPECT_EQ(out, "[0.0,0.000001,0.5,29.195824,1.0,999999999.999999,1767225600123.4568]");
}

TEST(JsonWriter, PutsCommasBetweenValues) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    json.key("a").array([] {});
    json.column_of("b", 3, "null");
    json.column_of("c", 0, "1");
    json.key("d").object([&] { json.key("e").integer(-1); });
    json.key("f").real(0.5);
    json.key("g").flag(true);
  });
  EXPECT_EQ(out, R"({"a":[],"b":[null,null,null],"c":[],"d":{"e":-1},"f":0.5,"g":true})");
}

TEST(JsonWriter, WritesLongColumnsOfOneValue) {
  std::string out, expected = "{\"a\":[12";
  JsonWriter json(out);
  json.object([&] { json.column_of("a", 1000, "12"); });
  for (int i = 1; i < 1000; ++i) expected += ",12";
  EXPECT_EQ(out, expected + "]}");
}

}  // namespace
}  // namespace evname
