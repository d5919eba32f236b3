// Texts of tracepoints. Those expected are what perf 7.3 printed of the same format and data,
// except where a comment says how C computes them.

#include "recordings/annotation/print_format.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "perf_format/trace_data.hpp"
#include "support/bytes_out.hpp"

namespace evname::annotation {
namespace {

constexpr std::string_view kFields =
    "name: one\nID: 1000\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:int n;\toffset:16;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned long big;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:short s;\toffset:32;\tsize:2;\tsigned:1;\n"
    "\tfield:u8 b;\toffset:34;\tsize:1;\tsigned:0;\n"
    "\tfield:u32 state;\toffset:36;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"
    "\tfield:unsigned long args[3];\toffset:48;\tsize:24;\tsigned:0;\n"
    "\tfield:long word;\toffset:72;\tsize:8;\tsigned:1;\n"
    "\tfield:void * at;\toffset:80;\tsize:8;\tsigned:0;\n";

std::string raw_data(std::endian order) {
  test::BytesOut out(order);
  out.u64(0).raw(std::string_view("work\0\0\0\0", 8)).u32(static_cast<std::uint32_t>(-5)).u32(0);
  out.u64(0xfedcba9876543210).u16(static_cast<std::uint16_t>(-2)).u8(200).u8(0).u32(0x83);
  out.u32(6 << 16 | 88).u32(0).u64(1).u64(2).u64(0xffff).u64(static_cast<std::uint64_t>(-9));
  return out.u64(0xffff800012345678).raw(std::string_view("hello\0\0\0", 8)).str();
}

/// nullopt: the fields are printed by name.
std::optional<std::string> printed(const std::string& print, std::string_view raw, bool big = false,
                                   std::uint32_t long_size = 8) {
  const auto format = perf_format::parse_trace_format(
      "mine", std::string(kFields) + "\nprint fmt: " + print + "\n");
  std::string out;
  if (!PrintFormat::parse(format.value(), long_size).write(raw, big, out)) return std::nullopt;
  return out;
}

TEST(PrintFormat, IsWhatTheKernelPrints) {
  const struct {
    const char* print;
    const char* expected;
  } kCases[] = {
      {R"("n=%d u=%u x=%x", REC->n, REC->n, REC->n)", "n=-5 u=4294967291 x=fffffffb"},
      {R"("%s|%-8s|%8s|%.2s|", REC->comm, REC->comm, REC->comm, REC->comm)",
       "work|work    |    work|wo|"},
      {R"("%lu %lx %ld", REC->big, REC->big, REC->big)",
       "18364758544493064720 fedcba9876543210 -81985529216486896"},
      {R"("%llx %08llx", REC->big, REC->word)", "fedcba9876543210 fffffffffffffff7"},
      {R"("%hd %hhu %u", REC->s, REC->b, REC->b)", "-2 200 200"},
      {R"("%d", REC->s)", "-2"},  // C: an int
      {R"("%s", __get_str(name))", "hello"},
      {R"("%s", REC->name)", "hello"},  // the same field
      {R"("%zu %s", REC->big, (char *)__get_str(name))", "18364758544493064720 hello"},
      {R"("%s", __print_flags(REC->state, "|", { 0x1, "A" }, { 0x2, "B" }, { 0x80, "C" }))",
       "A|B|C"},
      {R"("%s", __print_flags(REC->state, ",", { 1, "A" }))", "A,0x82"},
      {R"("%s", __print_flags(REC->state & 4, "|", { 1, "A" }))", ""},
      {R"("%s", __print_symbolic(REC->b, { 100, "hundred" }, { 200, "two" }))", "two"},
      {R"("%s", __print_symbolic(REC->state, { 1, "one" }))", "0x83"},
      // C: the field has a sign, and 1 << 3 is 8.
      {R"("%s", __print_symbolic(REC->n, { -5, "minus five" }, { (1 << 3), "eight" }))",
       "minus five"},
      {R"("%d %d", REC->n + 2 * 3, (REC->n + 2) * 3)", "1 -9"},
      {R"("%d %d %d", REC->n < 0, REC->n == -5, REC->n > 0 && REC->b == 200)", "1 1 0"},  // C
      {R"("%d %d", -REC->n % 3, REC->n / 2)", "2 -2"},                                    // C
      {R"("%d %d", REC->b || REC->n > 0, !REC->b)", "1 0"},
      {R"("%d %d", (REC->big >> 63) > -1, (REC->n >> 1) > -4)", "0 1"},  // C: -1 becomes unsigned
      {R"("%x %x %x", ~REC->b & 0xff, REC->b >> 3, REC->b << 4)", "37 19 c80"},
      {R"("%x %x", REC->state ^ 0x3, 1 | 6 & 3 ^ 8)", "80 b"},  // C: 1 | ((6 & 3) ^ 8)
      {R"("%s", REC->b > 100 ? "big" : "small")", "big"},
      {R"("%s%s", REC->state & 2 ? __print_flags(REC->state & 3, "+", { 1, "x" }, { 2, "y" }) : "none", "")",
       "x+y"},
      {R"("%d", REC->b ? REC->n : 5)", "-5"},
      {R"("%lu %lu %lx", REC->args[0], REC->args[1 + 1], REC->args[2] >> 4)", "1 65535 fff"},  // C
      {R"("%d %u", (int)REC->big, (unsigned int)REC->big)", "1985229328 1985229328"},
      {R"("%u:%u", ((unsigned int) ((REC->big) >> 20)), ((unsigned int) ((REC->big) & ((1U << 20) - 1))))",
       "3416885093:274960"},
      {R"("%llu %lld", (unsigned long long)REC->b, (long long)REC->n)", "200 -5"},  // C
      {R"("%llx %x", (u64)REC->s, (u16)REC->s)", "fffffffffffffffe fffe"},          // C
      {R"("100%% of %d%%", REC->b)", "100% of 200%"},
      {R"("a" "b" "c=%d", REC->b)", "abc=200"},
      {R"("\"%s\" \\ %d", REC->comm, REC->b)", "\"work\" \\ 200"},
      {R"("%p", REC->at)", "0xffff800012345678"},
      {R"("%c", REC->b - 100)", "d"},  // C
      {R"("%#x %05d %-5d|%5.3d", REC->b, REC->b, REC->b, REC->b)", "0xc8 00200 200  |  200"},
      {R"("%i %o %X", REC->b, REC->b, REC->b)", "200 310 C8"},
      {R"("%d", 010)", "8"},
      {R"("function=%ps %pS %pf %pF|%ps", REC->at, REC->at, REC->at, REC->at, 0)",
       "function=0xffff800012345678 0xffff800012345678 0xffff800012345678 0xffff800012345678|0x0"},
      {R"("%20ps|", REC->at)", "  0xffff800012345678|"},  // the kernel: with its width
      {"\"two\nlines=%d\", REC->b", "two\nlines=200"},
      {R"("%s", __print_symbolic(REC->b, { HRTIMER_MODE_ABS, "ABS" }, { 200, "two" }))", "two"},
      {R"("%s", __print_symbolic(REC->b, { HRTIMER_MODE_ABS, "ABS" }))", "0xc8"},
      {R"("%s", __print_flags(REC->state, "|", { 1, "A" }, { HR, "H" }, { (1 << NOT), "N" }))",
       "A|0x82"},
      {R"("%s", __print_symbolic(REC->b, { 1, "one" }, { 200, "two" }, { -1, ((void *)0) }))",
       "two"},
      {R"("%s", __print_symbolic(REC->b, { 200, "two" }, { -1, 0 }))", "two"},
      {R"(".%s.", __print_symbolic(REC->b, { 200, "" }))", ".."},
      {R"("%lld-%lld", ((loff_t)REC->b) << 12, ((((loff_t)REC->b + 1) << 12) - 1))",
       "819200-823295"},
      {R"("%zu %zd %x", (size_t)REC->b, (ssize_t)REC->b, (umode_t)REC->b)", "200 200 c8"},
      {R"("%lx %d", __builtin_expect(!!((unsigned long)(void *)(REC->at) >= (unsigned long)-4095), 0) ? 0 : REC->at, __builtin_expect(!!(REC->b), 0) ? 7 : 8)",
       "ffff800012345678 7"},
      {R"("plain")", "plain"},
  };
  for (const auto& one : kCases)
    for (const bool big : {false, true})
      EXPECT_EQ(printed(one.print, raw_data(big ? std::endian::big : std::endian::little), big),
                one.expected)
          << one.print;
}

// C: what the types of casts make of -5 and of numbers that are too large for them. `n` is an int
// of -5, `big` an unsigned long of 0xfedcba9876543210, `b` a u8 of 200.
TEST(PrintFormat, CastsAreThoseOfC) {
  const struct {
    const char *type, *of_n, *of_big;
  } kRows[] = {{"char", "-5", "16"},
               {"signed char", "-5", "16"},
               {"unsigned char", "251", "16"},
               {"u8", "251", "16"},
               {"s8", "-5", "16"},
               {"__u8", "251", "16"},
               {"bool", "251", "16"},  // as libtraceevent has it: a number of 8 bits
               {"short", "-5", "12816"},
               {"unsigned short", "65531", "12816"},
               {"u16", "65531", "12816"},
               {"s16", "-5", "12816"},
               {"int", "-5", "1985229328"},
               {"signed", "-5", "1985229328"},
               {"signed int", "-5", "1985229328"},
               {"const int", "-5", "1985229328"},
               {"unsigned", "4294967291", "1985229328"},
               {"unsigned int", "4294967291", "1985229328"},
               {"u32", "4294967291", "1985229328"},
               {"s32", "-5", "1985229328"},
               {"pid_t", "-5", "1985229328"},
               {"dev_t", "4294967291", "1985229328"},
               {"gfp_t", "4294967291", "1985229328"},
               {"enum state", "-5", "1985229328"},
               {"long", "-5", "-81985529216486896"},
               {"long int", "-5", "-81985529216486896"},
               {"unsigned long", "18446744073709551611", "18364758544493064720"},
               {"long long", "-5", "-81985529216486896"},
               {"unsigned long long", "18446744073709551611", "18364758544493064720"},
               {"u64", "18446744073709551611", "18364758544493064720"},
               {"s64", "-5", "-81985529216486896"},
               {"loff_t", "-5", "-81985529216486896"},
               {"sector_t", "18446744073709551611", "18364758544493064720"}};
  for (const auto& row : kRows) {
    // The comparison shows the sign, the conversion the bits.
    const std::string cast = std::string("(") + row.type + ")";
    const bool has_sign = row.of_n[0] == '-';
    const std::string length = has_sign ? "%lld" : "%llu";
    const std::string print = "\"" + length + " " + length + " %d\", (long long)" + cast +
                              "REC->n, (long long)" + cast + "REC->big, " + cast + "REC->n < 0";
    const std::string_view type = row.type;
    EXPECT_EQ(printed(print, raw_data(std::endian::little)),
              std::string(row.of_n) + " " + row.of_big + (has_sign ? " 1" : " 0"))
        << type;
  }
  for (const char* type : {"struct x", "unknown", "const", "void", "double"})
    EXPECT_EQ(printed("\"%d\", (" + std::string(type) + ")REC->n", raw_data(std::endian::little)),
              std::nullopt)
        << type;
  for (const char* type : {"void *", "const char *", "struct x *", "char **"})
    EXPECT_EQ(printed("\"%d\", (" + std::string(type) + ")REC->b", raw_data(std::endian::little)),
              "200")
        << type;
}

// C: shifts, divisions and comparisons at their limits.
// What perf 7.3 prints of kmem:mm_page_alloc and its like: a variable of the kernel counts as 0.
TEST(PrintFormat, PointersMayBeOffsetsToVariables) {
  const struct {
    const char *print, *expected;
  } kCases[] = {
      {R"("page=%p pfn=0x%x", REC->b != -1UL ? (((struct page *)vmemmap_base) + (REC->b)) : ((void *)0), REC->b)",
       "page=0xc8 pfn=0xc8"},
      {R"("%p", (((struct page *)vmemmap_base) + (REC->b)))", "0xc8"},
      {R"("%p", ((struct page *)((-((((1UL))) << (40)))) - (memstart_addr >> 12)) + (REC->b))",
       "0xffffff00000000c8"},
      {R"("%p", some_variable)", "(nil)"},
  };
  for (const auto& one : kCases)
    EXPECT_EQ(printed(one.print, raw_data(std::endian::little)), one.expected) << one.print;
  // Numbers, functions and conditions have no value without the variable.
  for (const char* print :
       {R"("%d", vmemmap_base + REC->b)", R"("%ps", vmemmap_base)", R"("%lx", (long)vmemmap_base)",
        R"("%p", vmemmap_base ? REC->at : 0)", R"("%p", REC->b > limit ? REC->at : 0)"})
    EXPECT_EQ(printed(print, raw_data(std::endian::little)), std::nullopt) << print;
}

// print_arg_pointer of libtraceevent: "%pS" and "%pF" have the offset, "%ps" and "%pf" have not.
TEST(PrintFormat, NamesFunctionsIfItIsToldThem) {
  const PrintFormat::NameFunction name = [](std::uint64_t address, bool offset, std::string& out) {
    if (address != 0xffff800012345678) return false;
    out += offset ? "do_it+0x78" : "do_it";
    return true;
  };
  const struct {
    const char *print, *expected;
    bool names;
  } kCases[] = {
      {R"("%ps|%pf|%pS|%pF", REC->at, REC->at, REC->at, REC->at)",
       "do_it|do_it|do_it+0x78|do_it+0x78", true},
      {R"("%8ps|%-12pS|", REC->at, REC->at)", "   do_it|do_it+0x78  |", true},
      {R"("%ps %pS", REC->b, 0)", "0xc8 0x0", true},
      {R"("%p", REC->at)", "0xffff800012345678", false},
  };
  for (const auto& one : kCases) {
    const auto format = perf_format::parse_trace_format(
        "mine", std::string(kFields) + "\nprint fmt: " + one.print + "\n");
    const PrintFormat parsed = PrintFormat::parse(format.value(), 8);
    std::string out;
    EXPECT_TRUE(parsed.write(raw_data(std::endian::little), false, out, name));
    EXPECT_EQ(out, one.expected) << one.print;
    EXPECT_EQ(parsed.names_functions(), one.names) << one.print;
  }
}

TEST(PrintFormat, OperatorsAtTheirLimits) {
  const struct {
    const char *print, *expected;
  } kRows[] = {
      {R"("%lx %lx", REC->big >> 63, REC->big >> 60)", "1 f"},
      {R"("%d %d", REC->n >> 31, REC->n >> 1)", "-1 -3"},
      {R"("%llx", 1ULL << 63)", "8000000000000000"},
      {R"("%d %d %d", REC->n <= -5, REC->n <= -6, REC->n <= -4)", "1 0 1"},
      {R"("%d %d %d", REC->n >= -5, REC->n >= -6, REC->n >= -4)", "1 1 0"},
      {R"("%d %d %d", REC->n < -5, REC->n < -6, REC->n < -4)", "0 0 1"},
      {R"("%d %d %d", REC->n > -5, REC->n > -6, REC->n > -4)", "0 1 0"},
      {R"("%d %d", REC->n != -5, REC->n != 5)", "0 1"},
      {R"("%d %d", REC->n / -2, REC->n % -2)", "2 -1"},
      {R"("%lu %lu", REC->big / 16, REC->big % 16)", "1147797409030816545 0"},
      {R"("%lu", REC->big % 1000)", "720"},
      {R"("%d %d %d", REC->b & 8, REC->b | 7, REC->b ^ 255)", "8 207 55"},
      {R"("%d", 2 + 3 * 4 - 10 / 5 % 2)", "14"},
      {R"("%d", 1 << 2 + 3)", "32"},
      {R"("%d", 7 & 3 == 3)", "1"},
      {R"("%d", 1 | 2 && 0)", "0"},
      {R"("%d", 0 && 1 || 1)", "1"},
      {R"("%d", 8 - 4 - 2)", "2"},
      {R"("%d", 64 / 4 / 2)", "8"},
      {R"("%d %d", 0 ? 1 : 2, 1 ? 2 ? 3 : 4 : 5)", "2 3"},
      {R"("%d %d %d", !0, !5, !!5)", "1 0 1"},
      {R"("%d %d", 'a', '\n')", "97 10"},
      {R"("%d %d", 0x1F, 017)", "31 15"},
  };
  for (const auto& row : kRows)
    EXPECT_EQ(printed(row.print, raw_data(std::endian::little)), row.expected) << row.print;
}

TEST(PrintFormat, KnowsHowLongALongIs) {
  // C: on a machine of 32 bits.
  EXPECT_EQ(printed(R"("%lx %llx %x", REC->big, REC->big, (unsigned long)REC->big)",
                    raw_data(std::endian::little), false, 4),
            "76543210 fedcba9876543210 76543210");
}

constexpr std::string_view kHosts =
    "name: two\nID: 1001\nformat:\n"
    "\tfield:__u8 v4[4];\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__u8 v6[16];\toffset:12;\tsize:16;\tsigned:0;\n"
    "\tfield:__u8 sock[sizeof(struct sockaddr_in6)];\toffset:28;\tsize:28;\tsigned:0;\n";

/// `v6` is also the address of the socket, if `family` is 10; its port is 443.
std::optional<std::string> printed_host(const std::string& print, const char* v4, const char* v6,
                                        std::uint16_t family = 10, bool big = false) {
  char four[4], six[16];
  EXPECT_EQ(inet_pton(AF_INET, v4, four) + inet_pton(AF_INET6, v6, six), 2);
  const std::string_view v4_bytes(four, 4), v6_bytes(six, 16);
  test::BytesOut out(big ? std::endian::big : std::endian::little);
  out.u64(0).raw(v4_bytes).raw(v6_bytes).u16(family).raw(std::string_view("\x01\xbb", 2));
  const std::string socket =
      family == 10 ? std::string(4, 0).append(v6_bytes) : std::string(v4_bytes);
  out.raw(socket + std::string(24 - socket.size(), 0));
  const auto format =
      perf_format::parse_trace_format("mine", std::string(kHosts) + "\nprint fmt: " + print + "\n");
  std::string text;
  if (!PrintFormat::parse(format.value(), 8).write(out.str(), big, text)) return std::nullopt;
  return text;
}

TEST(PrintFormat, HasAddressesOfHosts) {
  const struct {
    const char* address;
    const char* expected;
  } kAddresses[] = {{"::", "::"},
                    {"::1", "::1"},
                    {"1::", "1::"},
                    {"2001:db8::1:0:0:1", "2001:db8::1:0:0:1"},
                    {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
                    {"::ffff:127.0.0.1", "::ffff:127.0.0.1"},
                    {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
                    {"a:b:c:d:e:f:0:0", "a:b:c:d:e:f::"},
                    {"1:0:1:0:1:0:1:0", "1:0:1:0:1:0:1:0"},
                    {"0:0:0:1:0:0:0:1", "::1:0:0:0:1"},
                    {"1:0:0:0:0:5efe:102:304", "1::5efe:1.2.3.4"},
                    {"1:2:3:4:200:5efe:a00:1", "1:2:3:4:200:5efe:10.0.0.1"}};
  for (const auto& one : kAddresses)
    EXPECT_EQ(printed_host(R"("%pI6c", REC->v6)", "0.0.0.0", one.address), one.expected);
  const struct {
    const char* print;
    std::uint16_t family;
    const char* expected;
  } kCases[] = {
      {R"("%pI4 %pi4", REC->v4, REC->v4)", 2, "10.0.200.1 010.000.200.001"},
      {R"("%pI6 %pi6", REC->v6, REC->v6)", 2,
       "fe80:0000:0000:0000:0000:0000:0000:000a fe80000000000000000000000000000a"},
      {R"("%pIS %pISp %pISpc", REC->sock, REC->sock, REC->sock)", 2,
       "10.0.200.1 10.0.200.1:443 10.0.200.1:443"},
      {R"("%pIS %pISp %pISpc", REC->sock, REC->sock, REC->sock)", 10,
       "fe80:0000:0000:0000:0000:0000:0000:000a [fe80:0000:0000:0000:0000:0000:0000:000a]:443 "
       "[fe80::a]:443"},
      {R"("sock=%pISpc", REC->sock)", 1, "sock="}};
  for (const auto& one : kCases)
    for (const bool big : {false, true})
      EXPECT_EQ(printed_host(one.print, "10.0.200.1", "fe80::a", one.family, big), one.expected)
          << one.print;
  for (const char* print :
       {R"("%pI6c", REC->v4)", R"("%pISpc", REC->v4)", R"("%pI5", REC->v4)", R"("%d", REC->v4)",
        R"("%s", REC->v4)", R"("%pI4", 1)", R"("%pI4", 1 ? REC->v4 : REC->v4)",
        R"("%d", REC->v4 + 1)", R"("%p", REC->v4)"})
    EXPECT_EQ(printed_host(print, "10.0.0.1", "::"), std::nullopt) << print;
}

TEST(PrintFormat, WhatIsNotKnownIsPrintedByName) {
  std::string deep = "\"%d\", ", chain = "\"%d\", 1", flags = "\"%s\", __print_flags(1, \"|\"";
  for (int i = 0; i < 50'000; ++i) deep += '(';
  for (int i = 0; i < 5'000; ++i) chain += " + 1";
  for (int i = 0; i < 20'000; ++i) flags += ",{1,\"a\"}";
  const std::string cases[] = {R"("%d", REC->nothing)",
                               R"("%d", some_function(REC->b))",
                               R"("%s", REC->b)",
                               R"("%d", REC->comm)",
                               R"("%*d", 5, REC->b)",
                               R"("%d")",
                               R"("%d", REC->b, REC->b)",
                               R"("%pB", REC->at)",
                               R"("%pSR", REC->at)",
                               R"("%d", UNKNOWN)",
                               R"("%s", __print_symbolic(REC->b + UNKNOWN, { 1, "a" }))",
                               R"("%s", __print_symbolic(REC->b, { 1, 1 }))",
                               R"("%s", __print_flags(1, "|", { REC->b + UNKNOWN }))",
                               R"("%d", __builtin_expect(REC->b))",
                               R"("%f", REC->b)",
                               R"("%", REC->b)",
                               R"("%999999999d", REC->b)",
                               R"("%.256s", REC->comm)",
                               R"("%d", REC->b +)",
                               R"("%d", (REC->b)",
                               R"("%d", REC->)",
                               R"("%d", REC->args)",
                               R"("%d", REC->args[3])",
                               R"("%d", REC->args[-1])",
                               R"("%d", REC->b / (REC->b - 200))",
                               R"("%d", REC->n % 0)",
                               R"("%s", REC->b ? "a" : 1)",
                               R"("%d", 99999999999999999999)",
                               R"("%s", __print_flags(1, "|", { REC->b, "a" }))",
                               R"("%s", __get_str(b))",
                               R"("\q")",
                               R"("open)",
                               R"(no text)",
                               "",
                               R"("%d", "text" + 1)",
                               R"("%d", (struct x)REC->b)",
                               R"("%d", REC->b ? 1)",
                               deep,
                               chain,
                               flags + "))"};
  for (const std::string& print : cases)
    EXPECT_EQ(printed(print, raw_data(std::endian::little)), std::nullopt) << print.substr(0, 100);
}

TEST(PrintFormat, OfASampleThatIsCutOffIsNotWritten) {
  const std::string raw = raw_data(std::endian::little);
  for (const char* print : {R"("%s %d %s", REC->comm, REC->n, __get_str(name))",
                            R"("%lx %s", REC->args[2], __get_str(name))"})
    for (std::size_t size = 0; size < 88; ++size)
      EXPECT_EQ(printed(print, raw.substr(0, size)), std::nullopt) << print << ' ' << size;
}

TEST(PrintFormat, WidthsHaveALimit) {
  const std::string raw = raw_data(std::endian::little);
  EXPECT_EQ(printed(R"("%255s|", REC->comm)", raw), std::string(251, ' ') + "work|");
  EXPECT_EQ(printed(R"("%-255d|", REC->n)", raw), "-5" + std::string(253, ' ') + '|');
  for (const char* print :
       {R"("%256s|", REC->comm)", R"("%.256d", REC->n)", R"("%4294967297s", REC->comm)"})
    EXPECT_EQ(printed(print, raw), std::nullopt) << print;
}

/// Every text stays below a limit, however often a format prints a field.
TEST(PrintFormat, OfTooLongATextIsNotWritten) {
  std::string raw = raw_data(std::endian::little), print = "\"", fields;
  const std::uint32_t place = 60'000u << 16 | 88;
  std::memcpy(raw.data() + 40, &place, sizeof place);
  raw.resize(88);
  raw.append(60'000, 'x');
  for (int i = 0; i < 1000; ++i) print += "%s", fields += ", __get_str(name)";
  EXPECT_EQ(printed(print + '"' + fields, raw), std::nullopt);
  EXPECT_EQ(printed(R"("%s", __get_str(name))", raw).value().size(), 60'000u);
}

}  // namespace
}  // namespace evname::annotation
