// Files of events as rows of keys and texts. RFC 8259 defines JSON. These members of a vendor's
// file have rows: intel/perfmon ("Events", "Metrics", "Data") and Arm's telemetry files ("events",
// "metrics", "groups", "methodologies").
#include "events/trees/json.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_dir.hpp"

namespace evname::trees {
namespace {

/// A file that was read.
struct Read {
  explicit Read(const std::string& text) : dir{{"file.json", text}}, whole(text) {
    done = read_json(dir.path("file.json"), file, diagnostics);
  }
  /// "member: key=value …;" of each row. A nested value is "key>", inner ones "path.key=value@N".
  std::string rows() const {
    std::string out;
    for (const Object& object : file.objects) {
      if (!object.member.empty()) out += std::string(object.member) + ": ";
      for (const Field& field : object.fields)
        out += std::string(field.key) + (field.nested ? ">" : "=" + std::string(field.value)) + " ";
      for (const InnerValue& inner : object.inner)
        out += std::string(inner.path) + "." + std::string(inner.key) + "=" +
               std::string(inner.value) + "@" + std::to_string(inner.element) + " ";
      out += ";";
    }
    return out;
  }
  std::string message() const {
    if (diagnostics.all().empty()) return {};
    const std::string text = diagnostics.text(diagnostics.all().front());
    return text.substr(text.find("file.json:") + 10);
  }

  test::TempDir dir;
  std::string whole;
  JsonFile file;
  Diagnostics diagnostics;
  bool done;
};

TEST(Json, HasRowsOfKeysAndTexts) {
  const struct {
    const char *text, *rows;
  } cases[] = {
      {"[]", ""},
      {"{}", ";"},
      {"[{}]", ";"},
      {"[{},{}]", ";;"},
      {R"([{"a":"x","b":1,"c":true,"d":false,"e":null,"f":-1.50e3}])",
       "a=x b=1 c=1 d=0 e= f=-1.50e3 ;"},
      {R"({"a":"x","b":"y"})", "a=x b=y ;"},
      {R"([{"a":"\u00e9\n\"\\"}])", "a=\xc3\xa9\n\"\\ ;"},
      {R"([{"a":[1,2],"b":{"c":3},"d":4}])", "a> b> d=4 ;"},
      {R"([{"a":{"b":{"a":1}},"c":2},{"a":3}])", "a> c=2 ;a=3 ;"},
      {R"([1,"x",{"a":1},2])", "a=1 ;"},
      {R"([[{"a":1}],{"b":2}])", "b=2 ;"},
      {R"({"Header":{"x":1},"Events":[{"a":1},{"b":2}]})", "events: a=1 ;events: b=2 ;"},
      {R"({"Header":{"x":1},"Other":[{"a":1}]})", "Header> Other> ;"},
      {R"({"Events":[{"a":1}],"After":[{"b":2}],"x":3})", "events: a=1 ;"},
      {R"({"Events":[{"a":1}],"Events":[{"b":2}]})", "events: a=1 ;events: b=2 ;"},
      {R"({"events":{"SW_INCR":{"code":"0x0"},"LD":{"code":"0x6"}}})",
       "events: EventName=SW_INCR code=0x0 ;events: EventName=LD code=0x6 ;"},
      {R"({"events":{"E":{"code":1,"accesses":["PMU"]}}})",
       "events: EventName=E code=1 accesses> ;"},
      {R"({"Data":{"E":{"MEAN":"3.5"}}})", "latencies: EventName=E MEAN=3.5 ;"},
      {R"({"Metrics":[{"MetricName":"m","Events":[{"Name":"X","Alias":"a"},{"Name":"Y"}]}]})",
       "metrics: MetricName=m Events> Events.Name=X@0 Events.Alias=a@0 Events.Name=Y@1 ;"},
      {R"({"Metrics":[{"T":{"Formula":"a>1","Names":["p","q"],"In":{"k":"v"}},"n":"x"}]})",
       "metrics: T> n=x T.Formula=a>1@0 T/Names.=p@0 T/Names.=q@0 T/In.k=v@0 ;"},
      {R"({"Metrics":[{"l":[[1,2],[3]]}]})", "metrics: l> l.=1@0 l.=2@0 l.=3@1 ;"},
      {R"({"Metrics":[{"l":[{"o":{"k":1}},{"o":{"k":2}}]}]})", "metrics: l> l/o.k=1@0 l/o.k=2@1 ;"},
      {R"({"groups":{"function":{"G":1}},"metrics":{"m":{"f":"x"}}})",
       "groups: EventName=function G=1 ;metrics: EventName=m f=x ;"},
      {R"({"methodologies":{"m":{"list":["a"]}},"metrics":{"m":{"f":"x","l":["y"]}}})",
       "methodologies: EventName=m list> list.=a@0 ;metrics: EventName=m f=x l> l.=y@0 ;"},
  };
  for (const auto& c : cases) {
    const Read read(c.text);
    EXPECT_TRUE(read.done) << c.text << read.message();
    EXPECT_EQ(read.rows(), c.rows) << c.text;
    EXPECT_EQ(read.file.is_array, c.text[0] == '[' || read.rows().find(':') != std::string::npos)
        << c.text;
  }
}

TEST(Json, OfAKeyThatStandsTwiceTheLastOneCounts) {
  const Read read(R"([{"a":"1","b":"2","a":"3"}])");
  const Object& object = read.file.objects.at(0);
  EXPECT_EQ(object.get("a"), "3");
  EXPECT_EQ(object.get("b"), "2");
  EXPECT_EQ(object.get("c"), "");
  EXPECT_EQ(object.find("c"), nullptr);
}

TEST(Json, RowsAndValuesHaveTheirPlaces) {
  const Read read("{\"Metrics\": [\n  {\"a\": \"xyz\",\n   \"b\": [\"p\",\n 12]}\n]}");
  ASSERT_TRUE(read.done);
  const Object& object = read.file.objects.at(0);
  EXPECT_EQ(read.whole[object.place.offset], '{');
  EXPECT_EQ(object.place.offset, read.whole.find("{\"a\""));
  EXPECT_EQ(object.fields.at(0).place.offset, read.whole.find("\"xyz\""));
  EXPECT_EQ(object.inner.at(0).place.offset, read.whole.find("\"p\""));
  EXPECT_EQ(object.inner.at(1).place.offset, read.whole.find("12"));
}

TEST(Json, AValueThatBeginsALineIsOnThatLine) {
  for (const char* value : {"\"x\"", "12", "-1.5", "true", "false", "null", "[1]", "{}"}) {
    Read read(std::string("[{\"a\":\n") + value + "\n,\"b\":1}]");
    ASSERT_TRUE(read.done) << value;
    read.diagnostics.report(Severity::error, read.file.objects.at(0).fields.at(0).place, "", "",
                            "");
    EXPECT_EQ(read.message(), "2: error: ") << value;
  }
}

TEST(Json, NestingOf64IsReadAndOf65IsNot) {
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += open == "[" ? "" : "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  for (const bool in_row : {false, true})
    for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}})
      for (const int depth : {3, 63, 64, 65, 66, 200}) {
        const int own = in_row ? depth - 2 : depth;
        const std::string text = nested(open, close, own);
        const Read read(in_row ? "[{\"EventName\":" + text + "}]" : text);
        EXPECT_EQ(read.done, depth <= 64) << open << depth;
        if (depth > 64) {
          EXPECT_TRUE(read.message().starts_with("1: error: not valid JSON: ")) << read.message();
        }
      }
}

TEST(Json, HasAtMost65536RowsAnd4096KeysOfEach) {
  const struct {
    std::size_t rows, keys;
    bool whole;
  } cases[] = {{65'536, 1, true}, {65'537, 1, false}, {2, 4096, true}, {2, 4097, false}};
  for (const auto& c : cases) {
    std::string row = "{\"a\":1";
    for (std::size_t i = 1; i < c.keys; ++i) row += ",\"a\":1";
    std::string text = "[" + row + "}";
    for (std::size_t i = 1; i < c.rows; ++i) text += "," + row + "}";
    const Read read(text + "]");
    EXPECT_EQ(read.done, c.whole) << c.rows << ' ' << c.keys;
    EXPECT_LE(read.file.objects.size(), 65'536u);
    if (c.whole) {
      EXPECT_EQ(read.file.objects.size(), c.rows);
      EXPECT_EQ(read.file.objects.at(0).fields.size(), c.keys);
    } else {
      EXPECT_TRUE(
          read.message().ends_with("error: at most 65536 entries of a file and 4096 keys of "
                                   "an entry are read; the rest is left out"));
    }
  }
}

// Empty ones take memory, too: for a path.
TEST(Json, OfValuesAndNestsInRowsAMillionIsKept) {
  for (const auto& [one, each] : {std::pair{"\"k\":{}", 1}, {"\"k\":1", 1}, {"\"k\":[1]", 2}})
    for (const int excess : {0, 1}) {
      std::string text = "{\"Metrics\":[{\"m\":{\"k\":2";  // an object and a value
      for (int i = 2; i < (1 << 20) + each * excess; i += each) text += std::string(",") + one;
      const Read read(text + "}}]}");
      EXPECT_EQ(read.done, excess == 0) << one;
      EXPECT_LE(read.file.added.size() + read.file.objects.at(0).inner.size(), 1u << 20) << one;
    }
}

// Known paths are far shorter.
TEST(Json, PathsOfInnerValuesEndAt256Letters) {
  for (const std::size_t size : {1, 200, 255, 256, 300}) {
    const std::string key(size - 1, 'k');
    const Read read("{\"Metrics\":[{\"a\":{\"" + key + "\":{\"x\":\"1\"}}}]}");
    ASSERT_EQ(read.file.objects.at(0).inner.size(), 1u);
    EXPECT_EQ(read.file.objects[0].inner[0].path, size < 256 ? "a/" + key : "") << size;
  }
}

TEST(Json, WhatIsNoneIsAnErrorAndRowsBeforeItAreKept) {
  const struct {
    std::string text, rows, message;
  } cases[] = {
      {"", "", "1: error: not valid JSON: The document is empty."},
      {R"([{"a":1},)", "a=1 ;", "1: error: not valid JSON: "},
      {R"([{"a":1},{"EventName":"E","b":)", "a=1 ;", "E is left out"},
      {R"([{"a":1},{"MetricName":"M","b")", "a=1 ;", "M is left out"},
      {R"([{"a":1},{"b":2,)", "a=1 ;", "the entry is left out"},
      {R"([{"a":1},{"b":[2)", "a=1 ;", "the entry is left out"},
      {"[{\"a\":1},\n\n{\"b\":x}]", "a=1 ;", "3: error: not valid JSON"},
      {R"([{"a":1},{"EventName":"E","b":x},{"c":1}] )", "a=1 ;", "E and all after it are left out"},
      {R"([{"a":1},x,{"c":1}])", "a=1 ;", "Invalid value.; the rest is left out"},
      {std::string("[{\"a\":1},\n{\"b\0\":1}]", 19), "", "2: error: a zero byte in JSON text"},
      {"[{\"a\":\"\xff\"}]", "", "1: error: not valid JSON: Invalid encoding"},
      {"[{\"a\":\"1234567\xc3\"}]", "", "1: error: not valid JSON: Invalid encoding"},
      {"[] []", "", "1: error: not valid JSON: "},
  };
  for (const auto& c : cases) {
    const Read read(c.text);
    EXPECT_FALSE(read.done) << c.text;
    EXPECT_EQ(read.rows(), c.rows) << c.text;
    EXPECT_NE(read.message().find(c.message), std::string::npos) << c.text << read.message();
    EXPECT_EQ(read.diagnostics.count(Severity::error), 1u);
  }
  JsonFile file;
  Diagnostics diagnostics;
  EXPECT_FALSE(read_json("/nonexistent.json", file, diagnostics));
  EXPECT_EQ(diagnostics.count(Severity::error), 1u);
}

// Complete events are used and not kept. The others, and objects that are no events, are.
TEST(Json, GivesEventsAway) {
  const struct {
    const char *text, *used, *kept;
  } cases[] = {
      {R"([{"a":"1","b":"2"},{"c":"3"}])", "a=1 b=2 ;c=3 ;", ""},
      {R"({"Events":[{"a":"1"}],"Metrics":[{"m":"2"}]})", "a=1 ;", "m=2 ;"},
      {R"({"Metrics":[{"m":"2"}],"Events":[{"a":[{"b":"1"}]},{}]})", "a= ;;", "m=2 ;"},
      {R"({"a":"1"})", "", "a=1 ;"},
      {R"([{"a":"1"},{"b":"2")", "a=1 ;", ""},
      {R"([[{"a":"1"}],[],{"b":"2"}])", "b=2 ;", ""},
  };
  const auto text_of = [](const Object& object) {
    std::string out;
    for (const Field& field : object.fields)
      out += std::string(field.key) + "=" + std::string(field.value) + " ";
    return out + ";";
  };
  for (const auto& c : cases) {
    const test::TempDir dir{{"file.json", c.text}};
    JsonFile file;
    Diagnostics diagnostics;
    std::string used, kept;
    read_json(dir.path("file.json"), file, diagnostics,
              [&](const Object& object) { used += text_of(object); });
    for (const Object& object : file.objects) kept += text_of(object);
    EXPECT_EQ(used, c.used) << c.text;
    EXPECT_EQ(kept, c.kept) << c.text;
  }
}

TEST(Json, TextsOfAnyLengthAndPlaceAreChecked) {  // eight bytes are looked at at a time
  for (std::size_t size = 0; size < 20; ++size)
    for (const char* letter : {"\xc3\xa9", "\xc3", "x"}) {
      const std::string value = std::string(size, 'a') + letter;
      const Read read("[{\"a\":\"" + value + "\"}]");
      EXPECT_EQ(read.done, std::string_view(letter) != "\xc3") << size;
      if (read.done) {
        EXPECT_EQ(read.rows(), "a=" + value + " ;");
      }
    }
}

TEST(TreeDiagnostics, HaveAPlaceAndItsLine) {
  const test::TempDir dir{{"one", "a\nb\nc"}, {"two", "x\n"}};
  Diagnostics diagnostics, other;
  const std::uint32_t one = diagnostics.add_file(dir.path("one"));
  diagnostics.report(Severity::error, {one, 0}, "", "", "first");
  diagnostics.report(Severity::warning, {one, 2}, "E", "Key", "second");
  diagnostics.report(Severity::warning, {one, 1}, "E", "", "third");
  diagnostics.report(Severity::error, {one, 99}, "", "Key", "fourth");
  const std::uint32_t two = other.add_file(dir.path("two"));
  other.report(Severity::error, {two, 2}, "", "", "fifth");
  EXPECT_EQ(diagnostics.adopt(std::move(other)), 1u);
  const char* const expected[] = {"one:1: error: first", "one:2: warning: E: Key: second",
                                  "one:1: warning: E: third", "one:3: error: Key: fourth",
                                  "two:2: error: fifth"};
  ASSERT_EQ(diagnostics.all().size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(diagnostics.text(diagnostics.all()[i]), dir.path() + "/" + expected[i]);
  EXPECT_EQ(diagnostics.count(Severity::error), 3u);
  EXPECT_EQ(diagnostics.count(Severity::warning), 2u);
}

}  // namespace
}  // namespace evname::trees
