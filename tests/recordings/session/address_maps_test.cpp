#include "recordings/session/address_maps.hpp"

#include <gtest/gtest.h>

#include "support/bytes_out.hpp"

namespace evname::session {
namespace {

std::uint64_t file_offset(const ProcessMaps& maps, std::uint64_t address) {
  return maps.find(address, false).offset_of(address);
}

using test::BytesOut;

constexpr std::uint16_t kUser = 2, kKernel = 1, kExec = 1 << 13;
constexpr std::uint32_t kHugeTlb = 0x40000;  // MAP_HUGETLB

class Maps : public testing::Test {
 protected:
  void apply(std::uint32_t type, std::uint16_t misc, const BytesOut& body) {
    const std::string bytes = std::string(8, '\0') + body.str();
    perf_format::Record record;
    record.type = type;
    record.misc = misc;
    record.bytes = test::view_of(bytes);
    ASSERT_TRUE(maps.apply(record, std::endian::little));
  }
  void map(std::uint64_t start, std::uint64_t size, std::uint64_t offset, std::string_view name,
           std::uint32_t flags = 0, std::uint16_t misc = kUser, std::uint32_t pid = 1) {
    BytesOut body;
    body.u32(pid).u32(pid).u64(start).u64(size).u64(offset).pad(24).u32(5).u32(flags).padded(name);
    apply(perf_format::kRecordMmap2, misc, body);
  }
  void fork(std::uint32_t pid, std::uint32_t parent, std::uint16_t misc = kUser,
            std::uint64_t time = 0) {
    BytesOut body;
    body.u32(pid).u32(parent).u32(pid).u32(parent).u64(time);
    apply(perf_format::kRecordFork, misc, body);
  }

  std::uint64_t offset(std::int32_t pid, std::uint64_t address) const {
    return file_offset(maps.of(pid), address);
  }

  int changes = 0;  ///< that were announced
  AddressMaps maps{{}, [this] { ++changes; }};
};

TEST_F(Maps, PlaceAnAddressInItsFile) {
  map(0x400000, 0x2000, 0x1000, "/bin/true");
  EXPECT_EQ(offset(1, 0x400123), 0x1123u);
  EXPECT_EQ(offset(1, 0x401fff), 0x2fffu);
  EXPECT_EQ(offset(1, 0x402000), 0x402000u);
  EXPECT_EQ(offset(2, 0x400123), 0x400123u);
}

// perf_event_pid of kernel/events/core.c: a process that the recorder's namespace does not have is
// 0.
TEST_F(Maps, ProcessesOutsideThePidNamespaceDoNotShareFiles) {
  map(0x400000, 0x2000, 0, "/bin/one", 0, kUser, 0);
  EXPECT_EQ(offset(0, 0x400123), 0x400123u);
}

// Android's zygote has 2,500 mappings, and each program that it forks keeps its own copy.
TEST_F(Maps, ManyForkedProcessesKeepWhatTheirParentHad) {
  constexpr std::uint32_t kMaps = 2500, kForks = 2000;
  for (std::uint64_t i = 0; i < kMaps; ++i) map(0x10000 + 0x1000 * i, 0x1000, 0, "/lib/a");
  for (std::uint32_t pid = 2; pid < kForks; ++pid) {
    fork(pid, 1);
    map(0x1000, 0x1000, 0x5000, "/lib/own", 0, kUser, pid);
    ASSERT_EQ(offset(pid, 0x10004), 0x4u) << pid;
    ASSERT_EQ(offset(pid, 0x1004), 0x5004u) << pid;
  }
  EXPECT_EQ(maps.emptied(), 0u);
}

// Expected: map__new, is_anon_memory, is_no_dso_memory of tools/perf/util/map.c.
TEST_F(Maps, LeaveAddressesThatAreInNoFile) {
  const struct {
    const char* name;
    std::uint32_t flags;
    std::uint64_t expected;
  } rows[] = {
      {"/bin/true", 0, 0x1010},        {"/bin/true", kHugeTlb, 0x400010},
      {"//anon", 0, 0x400010},         {"/dev/zero", 0, 0x400010},
      {"[heap]", 0, 0x400010},         {"[stack]", 0, 0x400010},
      {"/SYSV00000000", 0, 0x400010},  {"[vdso]", 0, 0x10},
      {"/anon_hugepage", 0, 0x400010},
  };
  std::uint32_t pid = 0;
  for (const auto& row : rows) {
    map(0x400000, 0x1000, 0x1000, row.name, row.flags, kUser, ++pid);
    EXPECT_EQ(offset(static_cast<std::int32_t>(pid), 0x400010), row.expected) << row.name;
  }
}

// A program copies its text to large pages: the code at its addresses is the same. The sequences of
// node (--use-largepages), iodlr and BOLT's hugify make these calls of mmap() and mprotect().
TEST_F(Maps, TextThatIsCopiedToLargePages) {
  constexpr std::uint64_t kText = 0x5680000, kMiB = 1 << 20;
  const struct {
    const char* what;
    std::uint64_t start, size;
    std::string_view name;
    std::uint32_t flags;
    bool is_text;
  } rows[] = {{"inside", kText + kMiB, 2 * kMiB, "//anon", 0, true},
              {"all of it", kText, 6 * kMiB, "//anon", 0, true},
              {"of hugetlbfs", kText + kMiB, 2 * kMiB, "/anon_hugepage (deleted)", kHugeTlb, true},
              {"rounded to pages", 0x5600000, 8 * kMiB, "//anon", 0, true},
              {"with a name", kText + kMiB, 2 * kMiB, "[anon:text]", 0, true},
              {"far beyond", kText, 20 * kMiB, "//anon", 0, false},
              {"far before", kText - 8 * kMiB, 12 * kMiB, "//anon", 0, false},
              {"another file", kText + kMiB, 2 * kMiB, "/lib/other", 0, false}};
  map(0x1000, 0x1000, 0, "/tmp/jit-9.dump", 0, kUser, 9);
  map(0x1000, 0x1000, 0x1000, "//anon", 0, kUser, 9);
  EXPECT_EQ(maps.of(9).find(0x1800, false).dso->name, "//anon");  // a dump has no text
  std::uint32_t pid = 0;
  for (const auto& row : rows) {
    map(kText, 6 * kMiB, 0x3000, "/bin/node", 0, kUser, ++pid);
    map(row.start, row.size, row.start, row.name, row.flags, kUser, pid);
    const auto found = maps.of(static_cast<std::int32_t>(pid)).find(kText + 2 * kMiB, false);
    EXPECT_EQ(found.dso && found.dso->name == "/bin/node", row.is_text) << row.what;
    if (row.is_text) {
      EXPECT_EQ(found.offset_of(kText + 2 * kMiB), 2 * kMiB + 0x3000) << row.what;
    }
  }
}

TEST_F(Maps, ANewMappingReplacesWhatItCovers) {
  map(0x10000, 0x3000, 0, "/lib/a");
  map(0x11000, 0x1000, 0x8000, "/lib/b");
  EXPECT_EQ(offset(1, 0x10004), 0x4u);
  EXPECT_EQ(offset(1, 0x11004), 0x8004u);
  EXPECT_EQ(offset(1, 0x12004), 0x2004u);
}

TEST_F(Maps, AChildHasItsParentsMappingsUntilItMapsItsOwn) {
  map(0x10000, 0x1000, 0, "/lib/a");
  fork(2, 1);
  fork(3, 1, kUser | kExec);
  map(0x10000, 0x1000, 0x5000, "/lib/b");
  EXPECT_EQ(offset(1, 0x10004), 0x5004u);
  EXPECT_EQ(offset(2, 0x10004), 0x4u);
  EXPECT_EQ(offset(3, 0x10004), 0x10004u);
}

TEST_F(Maps, AheadOfARecordAreNotThoseOfNow) {
  map(0x10000, 0x1000, 0, "/lib/a");
  const std::string bytes =
      BytesOut().pad(8).u32(1).u32(1).u64(0x10000).u64(0x1000).u64(0x5000).padded("/lib/b").str();
  const perf_format::Record later[] = {
      {.type = perf_format::kRecordMmap, .misc = kUser, .bytes = test::view_of(bytes)}};
  const std::uint64_t now = maps.of(1).generation();
  for (const std::uint32_t pid : {1, 2}) {
    EXPECT_EQ(file_offset(maps.ahead(pid, later, std::endian::little), 0x10004), 0x5004u);
    EXPECT_GT(maps.ahead(pid, later, std::endian::little).generation(), now);
  }
  EXPECT_EQ(offset(1, 0x10004), 0x4u);
  EXPECT_EQ(offset(2, 0x10004), 0x10004u);
  EXPECT_EQ(maps.of(1).generation(), now);
}

TEST_F(Maps, OfTheKernelAreNoProcess) {
  map(0x10000, 0x1000, 0, "[kernel.kallsyms]_text", 0, kKernel);
  EXPECT_EQ(offset(1, 0x10004), 0x10004u);
}

// perf writes size 0 if it could not find where the kernel ends; modules lie above its text.
TEST_F(Maps, AKernelWithoutASizeGoesToTheEnd) {
  constexpr std::uint64_t kText = 0xffffffff80000000;
  map(kText, 0, kText, "[kernel.kallsyms]_text", 0, kKernel);
  const auto name_at = [&](std::uint64_t address) {
    const auto found = maps.of(1).find(address, true);
    return found.dso == nullptr ? std::string() : std::string(found.dso->name);
  };
  EXPECT_EQ(name_at(kText - 1), "");
  EXPECT_EQ(name_at(kText), "[kernel.kallsyms]_text");
  EXPECT_EQ(name_at(UINT64_MAX - 1), "[kernel.kallsyms]_text");
  map(0xffffffffc0000000, 0x1000, 0, "[module]", 0, kKernel);
  EXPECT_EQ(name_at(0xffffffffc0000800), "[module]");
  EXPECT_EQ(name_at(0xffffffffc0001000), "[kernel.kallsyms]_text");
  map(0xffffffffd0000000, 0, 0, "[empty]", 0, kKernel);
  EXPECT_EQ(name_at(0xffffffffd0000000), "[kernel.kallsyms]_text");
}

TEST_F(Maps, AreOfFilesThatInodesTellApart) {
  const auto mapped = [&](std::uint64_t inode, std::uint16_t misc) {
    BytesOut body;
    body.u32(1).u32(1).u64(0x10000).u64(0x1000).u64(0).u32(8).u32(1).u64(inode).u64(5);
    apply(perf_format::kRecordMmap2, misc, body.u32(5).u32(2).padded("/lib/a"));
    return maps.of(1).find(0x10000, false).dso;
  };
  const Dso* const one = mapped(77, kUser);
  EXPECT_EQ(one->inode, (Inode{8, 1, 77, 5}));
  EXPECT_EQ(mapped(77, kUser), one);
  EXPECT_NE(mapped(78, kUser), one);
  // The same bytes are a build id, whose size is the first.
  EXPECT_EQ(mapped(77, kUser | perf_format::kMiscMmapBuildId)->inode, Inode());
  EXPECT_EQ(maps.of(1).find(0x10000, false).dso->build_id.size(), 8);
}

// KSYMBOL: start, size, type, flags (1: it is gone), name.
TEST_F(Maps, FunctionsThatTheKernelMadeComeAndGo) {
  constexpr std::uint64_t kAt = 0xffffffffc0000000;
  map(0xffffffff81000000, 0x1000, 0xffffffff81000000, "[kernel.kallsyms]_text", 0, kKernel);
  const auto made = [&](std::uint64_t start, std::uint16_t flags, std::string_view name) {
    apply(perf_format::kRecordKsymbol, kKernel,
          BytesOut().u64(start).u32(0x90).u16(1).u16(flags).padded(name));
    const Dso* const dso = maps.of(1).find(start + 0x8f, true).dso;
    return dso == nullptr ? std::string() : std::string(dso->shown_name());
  };
  EXPECT_EQ(made(kAt, 0, "bpf_prog_1"), "bpf_prog_1");
  const std::uint64_t before = maps.of(1).generation(true);
  EXPECT_EQ(made(kAt, 1, "bpf_prog_1"), "");
  EXPECT_NE(maps.of(1).generation(true), before);
  EXPECT_EQ(made(kAt, 1, "bpf_prog_1"), "");
  EXPECT_EQ(made(kAt, 0, "bpf_prog_2"), "bpf_prog_2");
  EXPECT_EQ(made(0xffffffff81000100, 0, "in_text"), "[kernel.kallsyms]");
  EXPECT_EQ(made(0xffffffff81000100, 1, "in_text"), "[kernel.kallsyms]");
  EXPECT_TRUE(maps.of(1).mapping(maps.of(1).find(kAt, true)).is_function);
}

TEST_F(Maps, OnlyTheImageMayReachFarther) {
  EXPECT_EQ(maps.of(1).beyond_image(0x2000).dso, nullptr);
  map(0x1000, 0x1000, 0x1000, "[kernel.kallsyms]_text", 0, kKernel);
  map(0x8000, 0x1000, 0, "[module]", 0, kKernel);
  EXPECT_EQ(maps.of(1).beyond_image(0xfff).dso, nullptr);
  EXPECT_EQ(maps.of(1).beyond_image(0x2000).dso->name, "[kernel.kallsyms]_text");
}

// Samples that wait for their turn refer to what was mapped when they were taken.
TEST_F(Maps, ACopyKeepsWhatWasMapped) {
  map(0x10000, 0x1000, 0, "/lib/a");
  const ProcessMaps before = maps.of(1);
  map(0x10000, 0x1000, 0x5000, "/lib/b");
  const ProcessMaps after = maps.of(1);
  fork(1, 7);  // of a process that nothing is known of
  EXPECT_EQ(file_offset(before, 0x10004), 0x4u);
  EXPECT_EQ(before.find(0x10004, false).dso->name, "/lib/a");
  EXPECT_EQ(file_offset(after, 0x10004), 0x5004u);
  EXPECT_EQ(offset(1, 0x10004), 0x10004u);
  EXPECT_FALSE(before == after);
  EXPECT_EQ(changes, 0);
}

TEST_F(Maps, AGenerationIsOfOneProcess) {
  map(0x10000, 0x1000, 0, "/lib/a");
  fork(2, 1);
  const std::uint64_t first = maps.of(1).generation(), child = maps.of(2).generation(),
                      unknown = maps.of(3).generation();
  map(0x20000, 0x1000, 0, "/lib/b");
  EXPECT_NE(maps.of(1).generation(), first);
  EXPECT_EQ(maps.of(2).generation(), child);
  EXPECT_EQ(maps.of(3).generation(), unknown);
  EXPECT_EQ(maps.of(1).generation(true), 0);
  fork(1, 1);  // a thread
  fork(2, 3);
  EXPECT_NE(maps.of(2).generation(), child);
  const std::uint64_t user = maps.of(1).generation(false);
  map(0x10000, 0x1000, 0, "[kernel.kallsyms]_text", 0, kKernel);
  EXPECT_EQ(maps.of(1).generation(false), user);
  EXPECT_NE(maps.of(1).generation(true), 0);
  EXPECT_NE(maps.of(3).generation(), unknown);
}

TEST_F(Maps, AChangeInPlaceIsAnnounced) {
  map(0x10000, 0x1000, 0x10000, "[kernel.kallsyms]_text", 0, kKernel);
  EXPECT_EQ(changes, 1);
  for (std::uint64_t i = 1; i <= 20'000; ++i) map(i * 0x10000, 0x1000, 0, "/lib/a");
  EXPECT_EQ(changes, 1);  // nobody has a copy
  const ProcessMaps copy = maps.of(1);
  map(0x10000, 0x1000, 0x5000, "/lib/b");
  EXPECT_EQ(changes, 2);
  EXPECT_EQ(file_offset(copy, 0x10004), 0x4u);  // kept, although it was announced
  EXPECT_EQ(offset(1, 0x10004), 0x5004u);
}

TEST_F(Maps, AChildHasTheJitdumpOfItsParent) {
  map(0x10000, 0x1000, 0, "/tmp/jit-1.dump");
  fork(2, 1);
  fork(3, 1, kUser | kExec);
  const auto jitdump = [&](std::int32_t process, std::int32_t compiler) {
    const Dso code{.name = "//anon", .pid = compiler};
    return maps.of(process).mapping({.dso = &code}).jitdump;
  };
  EXPECT_EQ(jitdump(1, 1), "/tmp/jit-1.dump");
  EXPECT_EQ(jitdump(2, 1), "/tmp/jit-1.dump");
  EXPECT_EQ(jitdump(2, 2), "");
  EXPECT_EQ(jitdump(3, 1), "");
}

// A child has the code of the time when it was forked off, and the code of its own compiler.
TEST_F(Maps, TimesOfJitCompilers) {
  using Clock = SampleTime::Clock;
  map(0x10000, 0x1000, 0, "/tmp/jit-1.dump");
  fork(2, 1, kUser, 50);
  fork(3, 2, kUser, 70);
  fork(4, 1);  // perf says no time of what ran before the recording
  map(0x10000, 0x1000, 0, "/tmp/jit-2.dump", 0, kUser, 2);
  const auto time = [&](std::int32_t process, std::int32_t compiler,
                        Clock clock = Clock::monotonic) {
    const Dso code{.name = "//anon", .pid = compiler};
    const Mapping found = maps.of(process).mapping({.dso = &code}, {clock, 60});
    return std::pair(found.time, found.counter);
  };
  using Times = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(time(1, 1), Times(60, 0));
  EXPECT_EQ(time(2, 1), Times(50, 0));
  EXPECT_EQ(time(2, 2), Times(60, 0));
  EXPECT_EQ(time(3, 1), Times(50, 0));
  EXPECT_EQ(time(4, 1), Times(60, 0));
  EXPECT_EQ(time(1, 1, Clock::unknown), Times(0, 0));
  EXPECT_EQ(time(1, 1, Clock::kernel), Times(0, 0));
  apply(perf_format::kRecordTimeConv, 0,
        BytesOut().u64(1).u64(1).u64(10));  // shift, factor, zero: 2 a ns
  EXPECT_EQ(time(1, 1, Clock::kernel), Times(0, 101));
  EXPECT_EQ(time(3, 1, Clock::kernel), Times(0, 81));
  EXPECT_EQ(time(1, 1), Times(60, 0));
  int compilers = 0;
  maps.of(2).for_each_jit_compiler({Clock::monotonic, 60}, [&](const Mapping& mapping) {
    EXPECT_EQ(mapping.time, mapping.pid == 1 ? 50 : 60);
    ++compilers;
  });
  EXPECT_EQ(compilers, 2);
}

// perf 7.3 prints "(/tmp/vmlinux)" for the kernel's addresses in what `perf inject --vmlinux
// /tmp/vmlinux` wrote, and "([kernel.kallsyms])" if an entry has that name.
TEST(MapsOfTheKernel, HaveTheBuildIdOfItsFile) {
  const auto entry = [](std::uint16_t misc, std::uint8_t id, const char* file,
                        std::int32_t pid = -1) {
    return perf_format::BuildId{pid, misc, {id}, file};
  };
  const std::vector<perf_format::BuildId> others = {
      entry(kUser, 1, "/bin/true"), entry(kKernel, 2, "/lib/modules/ext4.ko.xz"),
      entry(kKernel, 3, "[snd]"), entry(kKernel, 4, "[vdso]"),
      entry(kKernel, 5, "/guest/vmlinux", 77)};
  const struct {
    std::vector<perf_format::BuildId> more;
    std::vector<std::uint8_t> id;
    const char* shown;
  } rows[] = {
      {{}, {}, "[kernel.kallsyms]"},
      {{entry(kKernel, 6, "/tmp/vmlinux")}, {6}, "/tmp/vmlinux"},
      {{entry(kKernel, 6, "/tmp/vmlinux"), entry(kKernel, 7, "[kernel.kallsyms]")},
       {7},
       "[kernel.kallsyms]"},
  };
  for (const auto& row : rows) {
    std::vector<perf_format::BuildId> ids = others;
    ids.insert(ids.end(), row.more.begin(), row.more.end());
    AddressMaps maps(ids);
    const std::string bytes = BytesOut()
                                  .pad(8)
                                  .u32(UINT32_MAX)
                                  .u32(0)
                                  .u64(0x1000)
                                  .u64(0x1000)
                                  .u64(0x1000)
                                  .padded("[kernel.kallsyms]_stext")
                                  .str();
    ASSERT_TRUE(maps.apply(
        {.type = perf_format::kRecordMmap, .misc = kKernel, .bytes = test::view_of(bytes)},
        std::endian::little));
    const MappedRange range = maps.of(1).find(0x1010, true);
    ASSERT_NE(range.dso, nullptr);
    EXPECT_EQ(range.dso->shown_name(), row.shown);
    const auto id = maps.of(1).mapping(range).kernel_build_id;
    EXPECT_EQ(std::vector<std::uint8_t>(id.begin(), id.end()), row.id);
  }
}

}  // namespace
}  // namespace evname::session
