#include "events/expression/parse.hpp"

#include "events/expression/parse.hpp"
#include "named_values.hpp"

#include <optional>

namespace evname::expression::test {
namespace {

std::string only_symbol(std::string_view text) {
  const Program program = parsed(text);
  EXPECT_EQ(program.symbols.size(), 1u) << text;
  return program.symbols.empty() ? "" : program.symbols.front().name;
}

// linux 6.12, tools/perf/tests/expr.c and util/expr.l; perf-facts 6.1, 6.2.
TEST(Expression, NamesLoseTheirEscapes) {
  const struct {
    const char* text;
    const char* name;
  } cases[] = {
      {"dash\\-event1", "dash-event1"},
      {"EVENT1\\,param\\=?@", "EVENT1,param=?@"},
      {"cpu@event\\=0x3c\\,cmask\\=1@", "cpu@event=0x3c,cmask=1@"},
      {"INST_RETIRED.ANY:u", "INST_RETIRED.ANY:u"},
      {"0xff", "0xff"},
      {"1e5x", "1e5x"},
      {"5E3", "5E3"},
      {"iffy", "iffy"},
      {"Min", "Min"},
      {"nan", "nan"},
      {"has_event(a\\-b)", "a-b"},
      {"source_count(uncore_imc@cas_count_read@)", "uncore_imc@cas_count_read@"},
      {"aggr_nr(a\\-b)", "a-b"},
      {"msr@tsc\\,cpu=cpu_atom@", "msr@tsc,cpu=cpu_atom@"},
      {"msr@tsc\\,cpu\\=cpu_atom@", "msr@tsc,cpu=cpu_atom@"},
      {"strcmp_cpuid_str(0x0)", "0x0"},
      {"strcmp_cpuid_str(GenuineIntel\\-6\\-55\\-4)", "GenuineIntel-6-55-4"},
  };
  for (const auto& c : cases) EXPECT_EQ(only_symbol(c.text), c.name) << c.text;
}

// linux 7.3, tools/perf/util/expr.c (expr__get_literal).
TEST(Expression, LiteralsMayBeWrittenInAnyCase) {
  EXPECT_EQ(find_literal(only_symbol("#SMT_on")), "#smt_on");
  EXPECT_EQ(find_literal(only_symbol("#NUM_CPUS")), "#num_cpus");
  EXPECT_EQ(find_literal(only_symbol("#Target_CPU")), "#target_cpu");
  EXPECT_FALSE(parse_expression("#duration_time"));
}

// linux 6.12, tools/perf/tests/expr.c: runtime parameter 3.
TEST(Expression, EventTextsHaveSlashesAndTheRuntimeParameter) {
  EXPECT_EQ(event_text("EVENT1,param=?@", 3), "EVENT1,param=3/");
  EXPECT_EQ(event_text("cpu@event=0x3c,cmask=1@u"), "cpu/event=0x3c,cmask=1/u");
  EXPECT_EQ(event_text("cpu@a@b@"), "cpu/a@b/");
  EXPECT_EQ(event_text("cycles:u"), "cycles:u");
  EXPECT_EQ(event_text(""), "");
}

TEST(Expression, ErrorsSayWhatWasExpectedWhere) {
  const struct {
    const char* text;
    unsigned column;
    const char* message;
  } cases[] = {
      {"", 1, "expected a number, an event or '(' before the end"},
      {"   ", 4, "expected a number, an event or '(' before the end"},
      {"BAR/", 5, "expected a number, an event or '(' before the end"},
      {"a + * b", 5, "expected a number, an event or '(' instead of '*'"},
      {"a b", 3, "expected an operator or the end instead of 'b'"},
      {"(a", 3, "expected ')' before the end"},
      {"a)", 2, "expected an operator or the end instead of ')'"},
      {"a if b", 7, "expected 'else' before the end"},
      {"a if b)", 7, "expected 'else' instead of ')'"},
      {"if a else b", 1, "expected a number, an event or '(' instead of 'if'"},
      {"min(a)", 6, "expected ',' instead of ')'"},
      {"min a", 5, "expected '(' instead of 'a'"},
      {"min(a if b else c, 1)", 7, "expected ',' instead of 'if'"},
      {"d_ratio(a, b, c)", 13, "expected ')' instead of ','"},
      {"source_count(1)", 14, "expected a name instead of '1'"},
      {"has_event()", 11, "expected a name instead of ')'"},
      {"a >= b", 4, "'=' has no meaning here"},
      {"a\\b", 2, "'\\' has no meaning here"},
      {"a + \x01", 5, "byte 0x01 has no meaning here"},
      {"a + \xc3\xa9", 5, "byte 0xc3 has no meaning here"},
      {"#", 1, "'#' has no meaning here"},
      {"a * #num_cpu", 5, "unknown literal '#num_cpu'"},
      {"1 + 1e999", 5, "'1e999' is out of range"},
      {"a +\n+", 5, "expected a number, an event or '(' instead of '+'"},
  };
  for (const auto& c : cases) {
    const auto program = parse_expression(c.text);
    ASSERT_FALSE(program) << c.text;
    EXPECT_EQ(program.error().message, c.message) << c.text;
    EXPECT_EQ(program.error().where, "metric expression, column " + std::to_string(c.column))
        << c.text;
  }
}

TEST(Expression, AMisspelledLiteralIsToldTheRightOne) {
  EXPECT_EQ(parse_expression("#num_cpu").error().hint, "did you mean '#num_cpus'?");
}

std::string repeated(std::string_view piece, std::size_t count, std::string_view end) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out.append(end);
}

TEST(Expression, NestingHasALimit) {
  for (const char* piece : {"(", "-", "a+(", "a if b else ", "min(a,", "max(1,-("}) {
    const auto program = parse_expression(repeated(piece, 100000, "a"));
    ASSERT_FALSE(program) << piece;
    EXPECT_EQ(program.error().code, Errc::out_of_range) << piece;
  }
}

// Brackets and signs are counted with the operand inside of them.
TEST(Expression, NestingOf256IsTheDeepest) {
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"-", ""}, {"min(1,(", "))"}}) {
    const std::size_t levels = std::string_view(open).starts_with("min") ? 2 : 1;
    for (const std::size_t depth : {1, 128, 255 / 2, 255, 257, 258}) {
      const std::size_t count = depth / levels;
      const auto program =
          parse_expression(repeated(open, count, "2") + repeated(close, count, ""));
      EXPECT_EQ(program.has_value(), count * levels < 256) << open << count;
    }
  }
  // Each bracket leaves a number waiting for its operator: 1+(1+(1+…
  for (const std::size_t count : {100, 255, 257})
    EXPECT_EQ(parse_expression(repeated("1+(", count, "1") + repeated(")", count, "")).has_value(),
              count < 256);
}

TEST(Expression, Has2048SymbolsAndAsManyNumbersAtMost) {
  for (const bool numbers : {false, true})
    for (const int count : {1, 2047, 2048, 2049}) {
      std::string text;
      for (int i = 0; i < count; ++i)
        text += (i > 0 ? "+" : "") + (numbers ? std::to_string(i) : "e" + std::to_string(i));
      const auto program = parse_expression(text + "+" + text);
      ASSERT_EQ(program.has_value(), count <= 2048) << count;
      if (!program) continue;
      EXPECT_EQ((numbers ? program->numbers.size() : program->symbols.size()),
                static_cast<std::size_t>(count));
      EXPECT_EQ(program->steps.size(), static_cast<std::size_t>(4 * count - 1));
    }
}

// linux 6.12, tools/perf/util/expr.l: the longest match counts, of two that are equal a number.
TEST(Expression, NumbersAreToldFromNames) {
  const struct {
    const char* text;
    std::optional<double> number;  // none: a name
  } rows[] = {{"0", 0},      {"7", 7},        {"12", 12},    {"1.", 1},     {".5", .5},
              {"1.5", 1.5},  {"1.5e3", 1500}, {"1e9", 1e9},  {"2e-2", .02}, {".5e1", 5},
              {"1.e2", 100}, {"1e", {}},      {"1.5.2", {}}, {"1x", {}},    {"1:2", {}},
              {"1e5e", {}},  {"e5", {}},      {"1E5", {}},   {".5x", {}},   {"1e3.5", {}},
              {"0x10", {}},  {"1@", {}},      {"_1", {}},    {"1_000", {}}};
  for (const auto& row : rows) {
    const Program program = parsed(row.text);
    EXPECT_EQ(program.symbols.empty(), row.number.has_value()) << row.text;
    if (row.number) {
      EXPECT_EQ(program.numbers, std::vector<double>{*row.number}) << row.text;
    } else {
      EXPECT_EQ(only_symbol(row.text), row.text);
    }
  }
  EXPECT_EQ(only_symbol("."), ".");
  EXPECT_EQ(only_symbol("a=b"), "a=b");
  EXPECT_FALSE(parse_expression("=b"));
  EXPECT_EQ(value_of("1e-1-1"), -0.9);
  EXPECT_EQ(value_of("2-2"), 0);
  EXPECT_EQ(value_of("1e2-2"), 98);
}

TEST(Expression, LengthAloneIsNoProblem) {
  EXPECT_EQ(value_of(repeated("1+", 100000, "1")), 100001);
  EXPECT_EQ(value_of(repeated("(", 200, "1") + repeated(")", 200, "")), 1);
}

TEST(Expression, MoreSymbolsThanAStepCanNameAreRefused) {
  std::string text = "0";
  for (int i = 0; i < 70000; ++i) text += "+e" + std::to_string(i);
  const auto program = parse_expression(text);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, Errc::out_of_range);
}

}  // namespace
}  // namespace evname::expression::test
