#include "base/json_text.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace evname
