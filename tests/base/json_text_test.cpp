#include "base/json_text.hpp"

#include <gtest/gtest.h>

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
