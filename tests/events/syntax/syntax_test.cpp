#include "events/syntax/events.hpp"

#include <gtest/gtest.h>

#include "events/syntax/lexer.hpp"

namespace evname::syntax {
namespace {

Spec one(const char* text) {
  const auto groups = parse_events(text);
  EXPECT_TRUE(groups) << text << ": " << (groups ? "" : groups.error().text());
  if (!groups || groups->size() != 1 || groups->front().specs.size() != 1) {
    ADD_FAILURE() << text << " is not one event";
    return {};
  }
  return groups->front().specs.front();
}

// Older perfs wrote modifiers inside: "cpu/cycles:u/".
TEST(Syntax, ModifiersInsideOfSlashesMoveOutside) {
  for (const auto& [text, outside] :
       {std::pair("cpu/cycles:u/", "cpu/cycles/u"),
        {"cpu/a:kpp/,cpu/b/,cpu/c,d:G/", "cpu/a/kpp,cpu/b/,cpu/c,d/G"},
        {"{cpu/a:u/,b}", "{cpu/a/u,b}"},
        {"cpu/cycles/", "none"},
        {"cpu/:u/", "none"},
        {"cpu/a:u/k", "none"},
        {"cpu/name=x:y/", "none"},
        {"cpu/a:u", "none"}})
    EXPECT_EQ(with_modifiers_outside(text).value_or("none"), outside) << text;
}

// perf-facts 5.3, 5.4.
TEST(Syntax, EachFormOfAnEventIsToldApart) {
  const struct {
    const char* text;
    Kind kind;
    const char* name;
    const char* modifiers;
  } cases[] = {
      {"cycles", Kind::name, "cycles", ""},
      {"cycles:u", Kind::name, "cycles", "u"},
      {"cycles//u", Kind::pmu, "cycles", "u"},
      {"cycles/period=10/pp", Kind::pmu, "cycles", "pp"},
      {"Cycles", Kind::name, "Cycles", ""},
      {"page-faults:k", Kind::name, "page-faults", "k"},
      {"duration_time", Kind::name, "duration_time", ""},
      {"L1-dcache-load-misses", Kind::name, "L1-dcache-load-misses", ""},
      {"L1-DCACHE-loads", Kind::name, "L1-DCACHE-loads", ""},
      {"LLC-refs-load", Kind::name, "LLC-refs-load", ""},
      {"LLC-load-load", Kind::name, "LLC-load-load", ""},
      {"branches", Kind::name, "branches", ""},
      {"branch", Kind::name, "branch", ""},
      {"r1a8", Kind::raw, "r1a8", ""},
      {"r1a8:kp", Kind::raw, "r1a8", "kp"},
      {"read", Kind::raw, "read", ""},
      {"rad", Kind::raw, "rad", ""},
      {"r0x1a8", Kind::name, "r0x1a8", ""},
      {"r12345678901234567", Kind::name, "r12345678901234567", ""},
      {"4:0x1a8", Kind::numeric, "", ""},
      {"1:1:hp", Kind::numeric, "", "hp"},
      {"cpu/event=0x3c/", Kind::pmu, "cpu", ""},
      {"cpu/event=0x3c/ppp", Kind::pmu, "cpu", "ppp"},
      {"cpu//", Kind::pmu, "cpu", ""},
      {"uncore_cb*/event=1/", Kind::pmu, "uncore_cb*", ""},
      {"inst_retired.any:u", Kind::name, "inst_retired.any", "u"},
      {"5foo", Kind::name, "5foo", ""},
      {"a-b", Kind::name, "a-b", ""},
      {"sched:sched_switch", Kind::tracepoint, "sched", ""},
      {"sched:sched_switch:u", Kind::tracepoint, "sched", "u"},
      {"sched:b", Kind::name, "sched", "b"},
      {"mem:0x1000", Kind::breakpoint, "", ""},
      {"mem:0x1000/2:w:u", Kind::breakpoint, "", "u"},
      {"mem:4096:x", Kind::breakpoint, "", ""},
      {"mem:0x1000:u", Kind::breakpoint, "", "u"},
      {"mem", Kind::name, "mem", ""},
      {"cycles:", Kind::name, "cycles", ""},
      {"inst_retired.any:", Kind::name, "inst_retired.any", ""},
      {"sched:sched_switch:", Kind::tracepoint, "sched", ""},
      {"r1a8//:u", Kind::raw, "r1a8", "u"},
      {"cycles u", Kind::name, "cycles", "u"},
      {"cycles : u", Kind::name, "cycles", "u"},
      {"cpu/event=1/ u", Kind::pmu, "cpu", "u"},
      {"'inst_retired.any':u", Kind::name, "inst_retired.any", "u"},
      {"mem: 0x1000:u", Kind::breakpoint, "", "u"},
      {"mem:0x1000:rwu", Kind::breakpoint, "", "u"},
      {"cycles:XR", Kind::name, "cycles", "XR"},
      {"}cycles", Kind::name, "cycles", ""},
      {"}{cycles", Kind::name, "cycles", ""},
      {"'a,b:c=d!':u", Kind::name, "a,b:c=d!", "u"},
      {"'cycles", Kind::name, "cycles", ""},
      {"'-a'", Kind::name, "a", ""},
      {"uncore_cb?[0]!x-y.z", Kind::name, "uncore_cb?[0]!x-y.z", ""},
      {"*:u", Kind::name, "*", "u"},
      {"mem:1/name=x/u", Kind::breakpoint, "", "u"},
      {"uuuuuuuuuuuuuuuuuu", Kind::name, "uuuuuuuuuuuuuuuuuu", ""},
  };
  for (const auto& c : cases) {
    const Spec spec = one(c.text);
    EXPECT_EQ(spec.kind, c.kind) << c.text;
    EXPECT_EQ(spec.name, c.name) << c.text;
    EXPECT_EQ(spec.modifiers, c.modifiers) << c.text;
  }
}

// perf-facts 5.2.
TEST(Syntax, NumbersAreReadAsPerfReadsThem) {
  EXPECT_EQ(one("rFFFFFFFFFFFFFFFF").config, 0xffffffffffffffffu);
  EXPECT_EQ(one("4:012").config, 12u);
  EXPECT_EQ(one("4:0x1a8").type, 4u);
  EXPECT_EQ(one("cpu/event=012/").terms[0].number, 12u);
  EXPECT_EQ(one("cpu/event=-1/").terms[0].number, 1u);
  EXPECT_EQ(one("cpu/event=0X3c/").terms[0].value, tables::Term::Value::text);
  EXPECT_EQ(one("cpu/event=1.5/").terms[0].value, tables::Term::Value::text);
}

TEST(Syntax, TermsKeepTheirOrderKindAndPlace) {
  const Spec spec = one("cpu/umask=0x1,inv,name='CPU_CLK:cmask=1',r1a8,@cfg=1/u");
  ASSERT_EQ(spec.terms.size(), 5u);
  EXPECT_EQ(spec.terms[0].name, "umask");
  EXPECT_EQ(spec.terms[0].number, 1u);
  EXPECT_EQ(spec.terms[1].value, tables::Term::Value::none);
  EXPECT_EQ(spec.terms[1].offset, 14u);
  EXPECT_EQ(spec.terms[2].text, "CPU_CLK:cmask=1");
  EXPECT_TRUE(spec.terms[3].is_raw);
  EXPECT_EQ(spec.terms[3].number, 0x1a8u);
  EXPECT_EQ(spec.terms[4].name, "@cfg=1");
  EXPECT_EQ(spec.text, "cpu/umask=0x1,inv,name='CPU_CLK:cmask=1',r1a8,@cfg=1/");
}

TEST(Syntax, TheTextOfAnEventIsWithoutModifiersAndSpaces) {
  EXPECT_EQ(one(" cycles:u ").text, "cycles");
  EXPECT_EQ(one("inst_retired.any/period=10/u").text, "inst_retired.any/period=10/");
}

// HW_BREAKPOINT_R, _W and _X of linux/hw_breakpoint.h are 1, 2 and 4.
TEST(Syntax, BreakpointsHaveAddressLengthAndAccess) {
  const struct {
    const char* text;
    std::uint64_t address, length, access;
  } cases[] = {{"mem:0x1000/2:rw:u", 0x1000, 2, 3},
               {"mem:4096", 4096, 0, 0},
               {"mem:1:x", 1, 0, 4},
               {"mem:0/8:rwx", 0, 8, 7},
               {"mem:1:wx", 1, 0, 6},
               {"mem:0xffffffffffffffff:r", UINT64_MAX, 0, 1}};
  for (const auto& c : cases) {
    const Spec spec = one(c.text);
    EXPECT_EQ(spec.config, c.address) << c.text;
    EXPECT_EQ(spec.length, c.length) << c.text;
    EXPECT_EQ(spec.access, c.access) << c.text;
  }
}

// parse-events.l: driver settings, names with colons, and raw codes with 0x between slashes only.
TEST(Syntax, NamesAndValuesOfTermsAreReadAsPerfReadsThem) {
  const struct {
    const char* text;
    const char* name;
    const char* value = "";
    std::uint64_t number = 1;
    bool is_raw = false;
  } cases[] = {{"cpu/a:b=1/", "a:b"},
               {"cpu/r0x1a8/", "r0x1a8", "", 0x1a8, true},
               {"cpu/r1a8=1/", "r1a8"},
               {"cpu/@cfg/", "@cfg"},
               {"cpu/@a.b=c:d*/", "@a.b=c:d*"},
               {"cpu/@9=1/", "@9=1"},
               {"cpu/name=period/", "name", "period"},
               {"cpu/a=r1a8/", "a", "r1a8"},
               {"cpu/umask=0xff/", "umask", "", 0xff},
               {"cpu/event=?/", "event", "?"}};
  for (const auto& c : cases) {
    const Spec spec = one(c.text);
    ASSERT_EQ(spec.terms.size(), 1u) << c.text;
    EXPECT_EQ(spec.terms[0].name, c.name) << c.text;
    EXPECT_EQ(spec.terms[0].text, c.value) << c.text;
    EXPECT_EQ(spec.terms[0].number, c.number) << c.text;
    EXPECT_EQ(spec.terms[0].is_raw, c.is_raw) << c.text;
    EXPECT_EQ(spec.terms[0].offset, 4u) << c.text;
  }
}

// perf-facts 5.1.
TEST(Syntax, ListsAndGroupsKeepTheirShape) {
  const auto groups = parse_events("cycles,{instructions:u,cpu/event=1,umask=2/}:S,x{faults,cs}");
  ASSERT_TRUE(groups) << groups.error().text();
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_FALSE((*groups)[0].braces);
  EXPECT_TRUE((*groups)[1].braces);
  ASSERT_EQ((*groups)[1].specs.size(), 2u);
  EXPECT_EQ((*groups)[1].specs[0].modifiers, "uS");
  EXPECT_EQ((*groups)[1].specs[1].modifiers, "S");
  EXPECT_EQ((*groups)[2].name, "x");
}

// perf's lexer passes over a brace that nothing closes.
TEST(Syntax, AnUnclosedBraceMakesNoGroup) {
  const auto groups = parse_events("{cycles,cs");
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_FALSE(groups->front().braces);
}

TEST(Syntax, ErrorsSayWhatWasExpectedWhere) {
  const struct {
    const char* text;
    std::size_t column;
    const char* message;
  } cases[] = {
      {"", 1, "expected an event"},
      {"cycles,", 8, "expected an event"},
      {",cycles", 1, "expected an event"},
      {"{}", 3, "expected an event"},
      {"u{cycles}", 1, "expected an event"},
      {"g u{cycles}", 3, "expected '{' after a group's name"},
      {"bpu", 1, "'bpu' is read as modifiers; write PMU/bpu/ for an event"},
      {"cpu/event=period/", 11, "'period' is a term of perf's own and no value"},
      {"LLC-loads/period=1/:", 20, "expected modifiers directly after the slash"},
      {"{cycles,{cs}}", 9, "expected an event"},
      {"{cycles{cs}}", 8, "expected ',' or '}': groups do not nest"},
      {"cycles:uu", 8, "modifier 'u' is given too often"},
      {"cycles:pppp", 8, "modifier 'p' is given too often"},
      {"{cycles,cs:pp}:pp", 16, "'cs' would have more than three p together with its group's"},
      {"cycles:W", 8, "modifier 'W' is for groups only"},
      {"cycles:/", 8, "expected modifiers after ':'"},
      {"cycles//:", 9, "expected modifiers directly after the slash"},
      {"cpu/event=0x3c", 15, "expected '/' to close the terms of 'cpu'"},
      {"cpu/event=/", 11, "expected a value after 'event='"},
      {"cpu/event=1,/", 13, "expected a term (name or name=value)"},
      {"cpu/event=1 umask=2/", 13, "expected ',' or '/' after 'event'"},
      {"cpu/event=1/:u", 13, "expected modifiers directly after the slash"},
      {"cpu/event=18446744073709551616/", 11, "a number of more than 64 bits"},
      {"4", 2, "expected ':' and the config after a type number"},
      {"4:x", 3, "expected the config as a number after TYPE:"},
      {"mem:x", 5, "expected an address after 'mem:'"},
      {"mem:1:rr", 7, "access 'r' is given twice"},
      {"mem:1:ww", 7, "access 'w' is given twice"},
      {"mem:1/18446744073709551616", 7, "a number of more than 64 bits"},
      {"mem:18446744073709551616", 5, "expected an address after 'mem:'"},
      {"mem:0x12345678901234567", 23,
       "expected ':' and modifiers, or ',' and another event, after ''"},
      {"18446744073709551616", 1, "a number of more than 64 bits"},
      {"cpu/18446744073709551616/", 5, "a number of more than 64 bits"},
      {"1:18446744073709551616", 3, "expected the config as a number after TYPE:"},
      {"4:0x12345678901234567", 3, "expected the config as a number after TYPE:"},
      {"cycles:u u", 10, "expected ',' or the end after the modifiers"},
      {"cs,cycles x", 11, "expected ':' and modifiers, or ',' and another event, after 'cycles'"},
      {"{cs}x", 5, "expected ',' or the end after an event"},
      {"{cs}:9", 6, "expected modifiers after ':'"},
      {"{cs}:z", 6, "'z' is not a modifier; the modifiers are ukhpPGHSDIWebRX"},
      {"sched:r1a8", 7, "expected modifiers after ':'"},
      {"''", 3, "expected an event"},
      {"'a$z'", 4, "expected ':' and modifiers, or ',' and another event, after 'a'"},
      {"cpu/@cfg=/", 9, "expected ',' or '/' after '@cfg'"},
  };
  for (const auto& c : cases) {
    const auto groups = parse_events(c.text);
    ASSERT_FALSE(groups) << c.text;
    EXPECT_EQ(groups.error().message, c.message) << c.text;
    EXPECT_EQ(groups.error().where, "event text, column " + std::to_string(c.column)) << c.text;
  }
}

TEST(Syntax, ANumberAloneIsProbablyACodeWithoutItsLetter) {
  for (const auto& [text, hint] :
       {std::pair("20d1", "a raw code is written r20d1"),
        {"0x20d1", "a raw code is written r20d1"},
        {"0xd120", "a raw code is written rd120"},
        {"0123456789abcdef", "a raw code is written r0123456789abcdef"},
        {"0123456789abcdef0", "a code has at most 16 hexadecimal digits"},
        {"0x0123456789abcdef0", "a code has at most 16 hexadecimal digits"},
        {"r0123456789abcdef0", "a code has at most 16 hexadecimal digits"},
        {"r20d1", ""},
        {"d120", ""},
        {"12zz", ""},
        {"0123456789abcdefz", ""},
        {"0x", ""},
        {"", ""}})
    EXPECT_EQ(code_hint(text), hint) << text;
  EXPECT_EQ(parse_events("20").error().hint, "a raw code is written r20");
}

// The same as the whole parser says of such a text, or nothing.
TEST(Syntax, APlainNameIsKnownAtOnce) {
  const struct {
    const char* text;
    bool plain;
    const char *name = "", *modifiers = "";
  } cases[] = {{"inst_retired.any", true, "inst_retired.any"},
               {"inst_retired.any:u", true, "inst_retired.any", "u"},
               {"l2_rqsts.miss:ppp", true, "l2_rqsts.miss", "ppp"},
               {"rabbit", true, "rabbit"},
               {"memory", true, "memory"},
               {"_x", true, "_x"},
               {"x9", true, "x9"},
               {"inst_retired.any:", false},
               {"inst_retired.any:z", false},
               {"inst_retired.any:W", false},
               {"inst_retired.any:u:u", false},
               {"inst_retired.any u", false},
               {"cpu/event=1/", false},
               {"r1a8", false},
               {"r", false},
               {"read", false},
               {"0x10", false},
               {"9x", false},
               {".5x", false},
               {"mem", false},
               {"", false},
               {"cycles", false},
               {"a,b", false},
               {"{a}", false},
               {"a-b", false}};
  for (const auto& c : cases) {
    Spec spec;
    ASSERT_EQ(plain_event(c.text, spec), c.plain) << c.text;
    if (!c.plain) continue;
    EXPECT_EQ(spec.name, c.name) << c.text;
    EXPECT_EQ(spec.text, c.name) << c.text;
    EXPECT_EQ(spec.modifiers, c.modifiers) << c.text;
    EXPECT_EQ(spec.own_modifiers, c.modifiers) << c.text;
    const Spec whole = one(c.text);
    EXPECT_EQ(whole.kind, Kind::name);
    EXPECT_EQ(whole.own_modifiers, c.modifiers) << c.text;
  }
}

TEST(Syntax, ModifiersOfAGroupMayBeWeak) { EXPECT_TRUE(parse_events("{cycles,cs}:W")); }

TEST(Syntax, TermListsOfSysfsHaveNoSlashes) {
  const auto terms = parse_terms("event=0xcd,umask=0x1,ldlat=3");
  ASSERT_TRUE(terms);
  ASSERT_EQ(terms->size(), 3u);
  EXPECT_EQ((*terms)[2].number, 3u);
  EXPECT_EQ(parse_terms("event=0x44,umask=?")->at(1).text, "?");
  EXPECT_EQ(parse_terms("event=1 umask=2").error().text(),
            "event text, column 9: expected ',' or the end after 'event'");
  EXPECT_FALSE(parse_terms(""));
  EXPECT_FALSE(parse_terms("event=1/"));
}

TEST(Syntax, AnyBytesEndInATreeOrAnError) {
  std::string text = "a{}/:,=0r'@m";
  unsigned seed = 1;
  for (int round = 0; round < 20000; ++round) {
    std::string random;
    for (int i = 0; i < 12; ++i)
      random += text[(seed = seed * 1664525u + 1013904223u) % (1u << 31) / 7 % text.size()];
    const auto groups = parse_events(random);
    EXPECT_TRUE(groups || !groups.error().message.empty()) << random;
  }
}

}  // namespace
}  // namespace evname::syntax
