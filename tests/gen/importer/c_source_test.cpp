#include "importer/c_source.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace evname::importer {
namespace {

class ReadingC : public testing::Test {
 protected:
  const CValue& value(const std::string& text, std::string_view name = "x") {
    folder_.write("a.c", text);
    source_ = std::make_unique<CSource>("IS_SET");
    error_ = source_->read(folder_.path() + "/a.c");
    const CSource::Object* object = source_->find(name);
    static const CValue kNone;
    return object != nullptr ? object->value : kNone;
  }

  test::TempDir folder_;
  std::unique_ptr<CSource> source_;
  std::string error_;
};

// Values: ISO C 6.6 (constant expressions), 6.7.9 (initialization).
TEST_F(ReadingC, ComputesNumbers) {
  for (const auto& [text, number] : {std::pair<std::string, std::uint64_t>{"1 | 2 << 4", 33},
                                     {"(uint64_t)0xffULL & ~1", 254},
                                     {"(1 + 2) * 3 - 4 / 2", 7},
                                     {"-1", ~std::uint64_t{0}},
                                     {"1 == 1 ? 5 : 6", 5},
                                     {"'A'", 65},
                                     {"1 / 0", 0},
                                     {"1 << 64", 0}})
    EXPECT_EQ(value("static const int x = " + text + ";").number, number) << text;
}

TEST_F(ReadingC, ReadsListsByNameAndIndex) {
  const CValue& list = value(
      "static const entry_t x[] = {\n"
      "  [2] = { .name = \"a\" \"b\", .code = 0x10, .code = 0x11 }, /* the later one counts */\n"
      "  { .name = \"c\", .on[1] = 7, .mask = &other[0], .fn = (void *)encode },\n"
      "};");
  ASSERT_EQ(list.members.size(), 2u);
  EXPECT_EQ(list.members[0].index, 2u);
  EXPECT_EQ(list.members[0].value.text_of("name"), "ab");
  EXPECT_EQ(list.members[0].value.number_of("code"), 0x11u);
  EXPECT_EQ(list.members[1].index, 3u);
  EXPECT_EQ(list.members[1].value.number_of("on[1]"), 7u);
  EXPECT_EQ(list.members[1].value.symbol_of("mask"), "other");
  EXPECT_EQ(list.members[1].value.symbol_of("fn"), "encode");
}

TEST_F(ReadingC, FollowsThePreprocessor) {
  folder_.write("b.h", "#ifndef B\n#define B\nenum e { ONE = 1, TWO, FIVE = 5, SIX };\n#endif\n");
  const CValue& list = value(
      "#include \"b.h\"\n#include \"b.h\"\n#include <stdio.h>\n"
      "#define BOX(n) pmu_t box##n##_pmu = { .name = \"box\"#n, .id = TWO + n }\n"
      "#define FLAGS (ONE | \\\n SIX)\n"
      "#if defined(IS_SET) && !defined(NOT_SET)\nstatic int x[] = { FLAGS,\n"
      "#ifdef NOT_SET\n 99,\n#elif 0\n 98,\n#else\n SIX,\n#endif\n};\n#else\nint x[] = { 1 "
      "};\n#endif\n"
      "int f(int x) { return x = 4; }\nstruct s { int x; };\nBOX(3);\n");
  ASSERT_EQ(list.members.size(), 2u);
  EXPECT_EQ(list.members[0].value.number, 7u);
  EXPECT_EQ(list.members[1].value.number, 6u);
  ASSERT_NE(source_->find("box3_pmu"), nullptr);
  EXPECT_EQ(source_->find("box3_pmu")->value.text_of("name"), "box3");
  EXPECT_EQ(source_->find("box3_pmu")->value.number_of("id"), 5u);
}

TEST_F(ReadingC, CountsElements) {
  value("int y[] = {1, 2, 3};\nint x = LIBPFM_ARRAY_SIZE(y);\n");
  EXPECT_EQ(source_->find("x")->value.number, 3u);
}

TEST_F(ReadingC, SurvivesWhatIsNoC) {
  std::string chain;
  for (int i = 0; i < 5000; ++i)
    chain += "#define M" + std::to_string(i) + " M" + std::to_string(i + 1) + "\n";
  std::string doubling = "#define D0 1 1\n";
  for (int i = 1; i < 40; ++i)
    doubling += "#define D" + std::to_string(i) + " D" + std::to_string(i - 1) + " D" +
                std::to_string(i - 1) + "\n";
  const std::string many(100000, '(');
  for (const std::string& text :
       {std::string("int x = {{{{"), "int x = " + many, "int x = " + std::string(100000, '{'),
        "int x = " + std::string(100000, '~') + "1;", std::string("#if\n#else\n#endif\n#endif\n"),
        std::string("\"\\"), std::string("#define F(a"), "#define F(a) a\nint x = F" + many,
        std::string("#include \"a.c\"\nint x = 1;"), chain + "int x = M0;\n", std::string("/*"),
        std::string("enum {,,,}; = ="), std::string("int x[] = { [1], .a = , ] ) };")})
    value(text);
  EXPECT_EQ(value(doubling + "int x[] = { D39 };\n").members.size(), 0u);
  EXPECT_NE(error_.find("too many words"), std::string::npos) << error_;
}

}  // namespace
}  // namespace evname::importer
