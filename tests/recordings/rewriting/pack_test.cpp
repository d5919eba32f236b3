// Recordings that have the names of their functions: of a program, and of code that a JIT compiler
// made, after both are gone. In each byte order, as a file and as a pipe's output.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "evname/rewrite.hpp"
#include "recordings/elf/elf_file.hpp"
#include "support/jitdump.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::test {
namespace {

constexpr std::uint64_t kFields = 1 | 2 | 4 | 32;  // IP, TID, TIME, CALLCHAIN
constexpr std::uint64_t kUser = -512;              // PERF_CONTEXT_USER

class PackedRecording : public testing::TestWithParam<std::endian> {
 protected:
  static constexpr std::uint64_t kProgram = 0x400000, kMade = 0x700000;

  void map(PerfFile& file, std::uint64_t start, std::uint64_t offset, std::string_view path,
           std::uint64_t time) const {
    BytesOut body = file.out();
    body.u32(5).u32(5).u64(start).u64(0x1000).u64(offset).u32(8).u32(1).u64(77).u64(1);
    body.u32(5).u32(2).padded(path).u32(5).u32(5).u64(time);
    file.record(10, body.str(), 2);
  }
  void sample(PerfFile& file, std::uint64_t time, std::vector<std::uint64_t> stack) const {
    BytesOut body = file.out();
    body.u64(stack[0]).u32(5).u32(5).u64(time).u64(stack.size() + 1).u64(kUser);
    for (const std::uint64_t address : stack) body.u64(address);
    file.record(9, body.str(), 2);
  }
  /// The second function of a program that code of a JIT compiler calls.
  PerfFile recording() const {
    PerfFile file(GetParam());
    file.event({.type = 1, .sample_type = kFields, .flags = {18}, .ids = {}});
    file.feature(6, file.out().string(GetParam() == std::endian::big ? "s390x" : "x86_64").str());
    map(file, kProgram, 0, "/bin/program", 1);
    map(file, kMade, 0, "/tmp/jit-5.dump", 1);
    map(file, kMade, 0, "//anon", 2);
    sample(file, 10, {kProgram + ElfParts::kText + 0x44, kMade + 4});
    sample(file, 20, {kProgram + ElfParts::kText + 0x48, kMade + 4});
    return file;
  }
  /// Where the files are while the recording is packed.
  SymbolOptions here() {
    const std::uint16_t machine = GetParam() == std::endian::big ? EM_S390 : EM_X86_64;
    dir.write("root/bin/program", elf_file({.machine = machine}));
    dir.write("root/tmp/jit-5.dump",
              Jitdump().load(3, "made", kMade, 16).load(16, "elsewhere", kMade + 64, 16).str());
    SymbolOptions options;
    options.symfs = dir.path("root");
    options.cache = dir.path("cache");
    return options;
  }
  std::string stacks(const Recording& file, const SymbolOptions& options = {}) const {
    const Symbols symbols(options);
    AnnotateOptions how{.format = Format::folded};
    how.symbols = &symbols;
    return written(file, how);
  }
  TempDir dir;
};

TEST_P(PackedRecording, NamesOutliveTheirFiles) {
  for (const bool is_pipe : {false, true}) {
    const PerfFile made = recording();
    const std::string from = dir.write("from", is_pipe ? made.pipe() : made.file()),
                      to = dir.path("to");
    const auto file = Recording::open(from);
    ASSERT_TRUE(file) << file.error().text();
    const Symbols symbols(here());
    const auto packed = pack(*file, symbols, to);
    ASSERT_TRUE(packed) << packed.error().text();
    EXPECT_EQ(packed->tally.samples, 2);
    EXPECT_EQ(packed->stacks, 0);
    const bool names_elf = Symbols::reads_elf() && GetParam() == std::endian::little;
    EXPECT_EQ(packed->places, names_elf ? 2 : 0);
    std::filesystem::remove_all(dir.path("root"));
    const auto again = Recording::open(to);
    ASSERT_TRUE(again) << again.error().text();
    const SymbolOptions nowhere{.cache = dir.path("cache")};
    EXPECT_EQ(stacks(*again, nowhere), names_elf ? "cpu-clock;:5;made;second_function 2\n"
                                                 : "cpu-clock;:5;made;program+0x444 1\n"
                                                   "cpu-clock;:5;made;program+0x448 1\n");
    // Files that the options name are stronger than the recording's own names.
    EXPECT_EQ(stacks(*again, {.symfs = dir.path("empty"), .cache = dir.path("cache")}).find("made"),
              std::string::npos);
    // The second time changes nothing.
    const Symbols none(nowhere);
    ASSERT_TRUE(pack(*again, none, dir.path("twice")));
    const auto twice = Recording::open(dir.path("twice"));
    ASSERT_TRUE(twice);
    EXPECT_EQ(stacks(*twice, nowhere), stacks(*again, nowhere));
    const Symbols nothing(nowhere);
    ASSERT_TRUE(pack(*twice, nothing, dir.path("thrice")));
    EXPECT_EQ(dir.read("thrice"), dir.read("twice"));
  }
}

// The old header of 72 bytes has no features, and a recording that was cut off has none yet.
TEST_P(PackedRecording, OldAndCutFilesGetTheNames) {
  for (const bool is_cut : {false, true}) {
    PerfFile made(GetParam());
    made.event({.type = 1, .sample_type = kFields, .flags = {18}, .ids = {}});
    made.raw(recording().records());
    made.unterminated = is_cut;
    if (!is_cut) made.header_size = 72;
    const auto file = Recording::open(dir.write("from", made.file()));
    ASSERT_TRUE(file) << file.error().text();
    const Symbols symbols(here());
    const auto packed = pack(*file, symbols, dir.path("to"));
    ASSERT_TRUE(packed) << packed.error().text();
    std::filesystem::remove_all(dir.path("root"));
    const auto again = Recording::open(dir.path("to"));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(again->warnings().empty()) << again->warnings()[0];
    EXPECT_TRUE(stacks(*again, {.cache = dir.path("cache")}).starts_with("cpu-clock;:5;made;"));
    std::size_t samples = 0;
    again->for_each_sample([&](const Sample&) { ++samples; });
    EXPECT_EQ(samples, 2u);
  }
}

TEST_P(PackedRecording, NeverReplacesTheRecording) {
  const std::string from = dir.write("from", recording().file());
  const auto file = Recording::open(from);
  ASSERT_TRUE(file);
  const Symbols symbols(here());
  EXPECT_FALSE(pack(*file, symbols, from));
  EXPECT_EQ(dir.read("from"), recording().file());
}

INSTANTIATE_TEST_SUITE_P(, PackedRecording, testing::Values(std::endian::little, std::endian::big),
                         [](const auto& order) {
                           return order.param == std::endian::little ? "Little" : "Big";
                         });

}  // namespace
}  // namespace evname::test
