// Names with control characters, which would command a terminal: text that is printable has '?' for
// each of them, and otherwise they stay (AnnotateOptions::printable).

#include <gtest/gtest.h>

#include <unistd.h>

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/tracing_data.hpp"
#include "support/written.hpp"

namespace evname::printable_test {
namespace {

using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;
using test::written;

// IP, TID, TIME, CGROUP; the second event is a tracepoint, with RAW.
const AttrSpec kEvent{.type = 4,
                      .config = 0x1234,
                      .sample_type = 1 | 2 | 4 | 1 << 21 | 1 << 16,
                      .flags = {18},
                      .ids = {1}};
const AttrSpec kTrace{.type = 2,
                      .config = 300,
                      .sample_type = 1 | 2 | 4 | 1 << 10 | 1 << 21 | 1 << 16,
                      .flags = {18},
                      .ids = {2}};

class Printable : public testing::Test {
 protected:
  /// A thread, mapping, cgroup and event whose names have "\x1b" and "\x7f".
  std::string path() const {
    PerfFile file;
    file.event(kEvent).event(kTrace);
    BytesOut names;
    names.u32(2).u32(136).raw(attr_bytes(kEvent, std::endian::little)).u32(1).string("ev\x1b[1m");
    names.u64(1).raw(attr_bytes(kTrace, std::endian::little)).u32(1).string("sys:tp").u64(2);
    file.feature(12, names.str());
    BytesOut tracing;
    const std::string format =
        "name: tp\nID: 300\nformat:\n\tfield:char text[8];\toffset:8;\tsize:8;\tsigned:0;\n";
    tracing.raw("\x17\x08\x44tracing").raw(std::string_view("0.6\0", 4)).u8(0).u8(8).u32(4096);
    tracing.raw(std::string_view("header_page\0", 12)).u64(0);
    tracing.raw(std::string_view("header_event\0", 13)).u64(0);
    tracing.u32(0).u32(1).raw(std::string_view("sys\0", 4)).u32(1);
    tracing.u64(format.size()).raw(format);
    file.feature(1, tracing.str());
    const auto end = [](std::uint64_t time) {
      return BytesOut().u32(5).u32(5).u64(time).u64(0).u64(1).str();
    };
    file.record(3, BytesOut().u32(5).u32(5).padded("w\x1bk").raw(end(1)).str());
    file.record(1,
                BytesOut()
                    .u32(5)
                    .u32(5)
                    .u64(0x1000)
                    .u64(0x1000)
                    .u64(0)
                    .padded("/bin/\x7f!")
                    .raw(end(2))
                    .str(),
                2);
    file.record(19, BytesOut().u64(42).padded("/a\tb").raw(end(3)).str());
    file.record(9, BytesOut().u64(1).u64(0x1010).u32(5).u32(5).u64(4).u64(42).str(), 2);
    file.record(9,
                BytesOut()
                    .u64(2)
                    .u64(0x1010)
                    .u32(5)
                    .u32(5)
                    .u64(5)
                    .u32(20)
                    .u64(0)
                    .raw(std::string_view("t\nx\0\0\0\0\0", 8))
                    .u32(0)
                    .u64(42)
                    .str(),
                2);
    return dir_.write("perf.data", file.file());
  }

  test::TempDir dir_;
};

TEST_F(Printable, NamesInText) {
  const auto file = Recording::open(path());
  ASSERT_TRUE(file);
  const struct {
    const char* fields;
    std::string as_it_is, shown;
  } cases[] = {
      {"comm", "w\x1bk ", "w?k "},
      {"event", "ev\x1b[1m: ", "ev?[1m: "},
      {"full_name", "ev\x1b[1m ", "ev?[1m "},
      {"cgroup", " /a\tb", " /a?b"},
      {"ip,dso", " (/bin/\x7f!)", " (/bin/?!)"},
  };
  for (const auto& c : cases)
    for (const bool printable : {false, true}) {
      const std::string text =
          written(*file, {.fields = test::fields(c.fields), .limit = 1, .printable = printable});
      const std::string& expected = printable ? c.shown : c.as_it_is;
      EXPECT_NE(text.find(expected), text.npos) << c.fields << ": " << text;
    }
}

TEST_F(Printable, TextsOfTracepoints) {
  const auto file = Recording::open(path());
  ASSERT_TRUE(file);
  for (const bool printable : {false, true}) {
    const std::string text =
        written(*file, {.fields = test::fields("trace"), .printable = printable});
    EXPECT_NE(text.find(printable ? "text=t?x" : "text=t\nx"), text.npos) << text;
  }
}

// Other formats have their own ways for such characters.
TEST_F(Printable, OnlyText) {
  const auto file = Recording::open(path());
  ASSERT_TRUE(file);
  const std::string json = written(*file, {.format = Format::jsonl,
                                           .fields = test::fields("comm,event,dso"),
                                           .limit = 1,
                                           .printable = true});
  EXPECT_NE(json.find("\"comm\":\"w\\u001bk\",\"event\":\"ev\\u001b[1m\""), json.npos) << json;
}

// Functions of JIT compilers may be called anything.
TEST_F(Printable, FunctionsAndTheirFiles) {
  const auto file = Recording::open(path());
  ASSERT_TRUE(file);
  SymbolOptions options;
  options.cache = dir_.path("cache");
  options.symfs = dir_.path("root");
  PerfFile jit;
  jit.event({.type = 1, .sample_type = 1 | 2 | 4, .flags = {18}});
  jit.record(1,
             BytesOut()
                 .u32(5)
                 .u32(5)
                 .u64(0x1000)
                 .u64(0x1000)
                 .u64(0)
                 .padded("//anon")
                 .u32(5)
                 .u32(5)
                 .u64(1)
                 .str(),
             2);
  jit.record(9, BytesOut().u64(0x1014).u32(5).u32(5).u64(4).str(), 2);
  dir_.write("root/tmp/perf-5.map", "1010 20 f\x1bg\n");
  const auto opened = Recording::open(dir_.write("jit.data", jit.file()));
  ASSERT_TRUE(opened);
  const Symbols symbols(options);
  for (const bool printable : {false, true}) {
    const std::string text = written(
        *opened,
        {.fields = test::fields("ip,sym,symoff,dso"), .symbols = &symbols, .printable = printable});
    EXPECT_EQ(text, std::string("             1014 f") + (printable ? '?' : '\x1b') +
                        "g+0x4 (/tmp/perf-5.map)\n");
  }
}

}  // namespace
}  // namespace evname::printable_test
