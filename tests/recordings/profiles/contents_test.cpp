// The parts of a profile besides its sums: threads, CPUs, mappings, callers, events that share a
// name.

#include <algorithm>
#include <ctime>
#include <set>

#include "recordings/elf/elf_file.hpp"
#include "recordings/profiles/profile.hpp"
#include "recordings/profiles/profiles.hpp"
#include "recordings/profiles/protobuf.hpp"
#include "support/jitdump.hpp"

namespace evname::test {
namespace {

std::vector<std::string> names_of(const JsonValue& array) {
  std::vector<std::string> out;
  for (const auto& one : array.items) out.emplace_back(one["name"].text);
  return out;
}

/// The stacks of speedscope's first profile, callers first.
std::vector<std::string> stacks_of(const std::string& text) {
  const auto page = json_of(text);
  const std::vector<std::string> frames = names_of(page["shared"]["frames"]);
  std::vector<std::string> out;
  for (const auto& sample : page["profiles"].items[0]["samples"].items) {
    std::string& stack = out.emplace_back();
    for (const auto& frame : sample.items)
      stack += (stack.empty() ? "" : ";") + frames[frame.whole];
  }
  return out;
}

TEST(ProfileStacks, AreOfCallersFirst) {
  const struct {
    const char* why;
    SampleSpec sample;
    std::string expected;
  } kCases[] = {
      {"the first address is the instruction; without a symbol a caller is where it returns to",
       {.chain = {kUserPart, 0x10004, 0x10108}},
       "work (5);app+0x2108;app+0x2004"},
      {"without a chain, the instruction alone",
       {.chain = {}, .ip = 0x10010},
       "work (5);app+0x2010"},
      {"markers are no chain", {.chain = {kUserPart}, .ip = 0x10010}, "work (5);app+0x2010"},
      {"nothing is mapped there", {.chain = {kUserPart, 0x90000}}, "work (5);0x90000"},
      {"the part of the kernel has an interrupted instruction of its own",
       {.chain = {kKernelPart, 0xffffffff80000010, 0xffffffff80000020, kUserPart, 0x10004},
        .mode = 1},
       "work (5);app+0x2004;0xffffffff80000020;0xffffffff80000010"},
  };
  for (const auto& one : kCases) {
    Recorded recorded;
    recorded.event(1, 0, 1).comm(5, "work").map(0x10000, 0x8000, 0x2000, "/bin/app", 0xab);
    recorded.sample(one.sample);
    const Recording file = recorded.open();
    EXPECT_EQ(stacks_of(exported({&file, 1}, {.format = ProfileFormat::speedscope})),
              std::vector{one.expected})
        << one.why;
  }
}

TEST(ProfileEvents, CalledAlikeAreTwoWhereTheirCodesDiffer) {
  Recorded recorded;
  // Two raw codes of one type that no table knows.
  recorded.event(1, 0, 1).event(1, 0, 2).event(1, 2, 3);
  recorded.sample({.id = 1, .period = 10}).sample({.id = 2, .period = 20});
  recorded.sample({.id = 3, .period = 1});
  const Recording file = recorded.open();
  const auto page = json_of(exported({&file, 1}, {.format = ProfileFormat::speedscope}));
  EXPECT_EQ(names_of(page["profiles"]),
            (std::vector<std::string>{"cpu-clock (PMU software, code 0x0)",
                                      "page-faults (PMU software, code 0x2)"}));
}

TEST(ProfileSinks, ThatWantNoMoreGetNoMore) {
  Recorded recorded;
  recorded.event(1, 0, 1);
  for (std::uint64_t i = 0; i < 20'000; ++i)
    recorded.sample({.time = i, .chain = {kUserPart, i * 16}});
  const Recording file = recorded.open();
  for (const ProfileFormatInfo& info : profile_formats()) {
    if (!info.missing.empty() || info.for_binary) continue;
    std::size_t calls = 0;
    const auto done = export_profile(std::span(&file, 1), {.format = info.format},
                                     [&](std::string_view) { return ++calls < 2; });
    EXPECT_TRUE(done) << info.name;
    EXPECT_EQ(calls, 2u) << info.name;
  }
}

TEST(ProfileErrors, NameWhatIsWrong) {
  const auto sink = [](std::string_view) { return true; };
  EXPECT_EQ(export_profile({}, {}, sink).error().code, Errc::invalid_argument);
  PerfFile plain;
  plain.event({.type = 1, .sample_type = 2 | 4, .ids = {1}});
  const TempDir dir;
  const Recording file = Recording::open(dir.write("p", plain.file())).value();
  ProfileOptions options{.format = ProfileFormat::speedscope};
  options.filter.cpus = {3};
  EXPECT_EQ(export_profile(std::span(&file, 1), options, sink).error().code, Errc::not_found);
  // No samples: no file.
  const auto none =
      export_profile(std::span(&file, 1), {.format = ProfileFormat::firefox}, dir.path("none"));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->samples, 0u);
  EXPECT_FALSE(dir.has("none"));
}

TEST(ProfileFirefox, CountsTimesFromTheFirstSampleOfEachRecording) {
  Recorded first, second;
  first.event(1, 0, 1).sample({.time = 5'000'000}).sample({.time = 7'000'000});
  second.event(1, 0, 1).sample({.time = 90'000'000}).sample({.time = 91'000'000});
  const Recording files[] = {first.open("a.data"), second.open("b.data")};
  const auto page = json_of(exported(files, {.format = ProfileFormat::firefox}));
  std::vector<std::vector<double>> times;
  for (const auto& thread : page["threads"].items) {
    times.emplace_back();
    for (const auto& time : thread["samples"]["time"].items) times.back().push_back(time.number);
  }
  EXPECT_EQ(times, (std::vector<std::vector<double>>{{0, 2}, {0, 1}}));
  EXPECT_NE(page["threads"].items[0]["pid"].text, page["threads"].items[1]["pid"].text);
}

TEST(ProfileFirefox, TracksOfThreadsHaveNamesOfTheirOwn) {
  Recorded recorded;
  recorded.event(1, 0, 1).comm(5, "work").comm(6, "work").sample({.tid = 5}).sample({.tid = 6});
  const Recording file = recorded.open();
  EXPECT_EQ(names_of(json_of(exported({&file, 1}, {.format = ProfileFormat::firefox}))["threads"]),
            (std::vector<std::string>{"cpu-clock (work)", "cpu-clock (work 6)"}));
}

// docs-developer/processed-profile-format.md of github.com/firefox-devtools/profiler, and what the
// recording says of its machine: NRCPUS has those that there are before those that are online.
TEST(ProfileFirefox, HasTheMachineAndTheTracksToShow) {
  Recorded recorded;
  recorded.event(1, 0, 1).comm(5, "few").comm(6, "many");
  recorded.sample({.time = 10'000, .tid = 5});
  for (const std::uint64_t time : {20'000, 26'000, 50'000})
    recorded.sample({.time = time, .tid = 6});
  recorded.file.feature(6, BytesOut().string("x86_64").str())
      .feature(7, BytesOut().u32(16).u32(1).str())
      .feature(8, BytesOut().string("A CPU").str());
  const Recording file = recorded.open();
  const auto meta = json_of(exported({&file, 1}, {.format = ProfileFormat::firefox}))["meta"];
  EXPECT_EQ(meta["oscpu"].text, "Linux x86_64");
  EXPECT_EQ(meta["CPUName"].text, "A CPU");
  EXPECT_EQ(meta["logicalCPUs"].whole, 1u);
  EXPECT_EQ(meta["interval"].number, 0.01);  // ms: 30 us of three samples
  ASSERT_EQ(meta["initialVisibleThreads"].items.size(), 2u);
  EXPECT_EQ(meta["initialVisibleThreads"].items[0].whole, 0u);
  EXPECT_EQ(meta["initialVisibleThreads"].items[1].whole, 1u);
  ASSERT_EQ(meta["initialSelectedThreads"].items.size(), 1u);
  EXPECT_EQ(meta["initialSelectedThreads"].items[0].whole, 1u);
}

#ifdef HAVE_PROTOZERO
/// The samples of a trace, as trace_packet.proto and profile_packet.proto have them: "cpu 0 pid 5
/// tid 5 mode 2 count 3".
std::vector<std::string> samples_of_perfetto(const std::string& bytes) {
  std::vector<std::string> out;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    protozero::pbf_reader packet = trace.get_message();
    if (!packet.next(66)) continue;
    const protozero::pbf_reader sample = packet.get_message();
    out.push_back(fmt::format("cpu {} pid {} tid {} mode {} count {}", number(sample, 1),
                              number(sample, 2), number(sample, 3), number(sample, 5),
                              number(sample, 6)));
  }
  return out;
}

TEST(ProfilePerfetto, SamplesHaveTheirModeAndTheCountOfTheirCpu) {
  Recorded recorded;
  recorded.event(1, 0, 1);
  recorded.sample({.time = 10, .period = 3, .cpu = 0, .mode = 2});
  recorded.sample({.time = 20, .period = 4, .tid = 6, .cpu = 0, .mode = 1});
  recorded.sample({.time = 30, .period = 5, .cpu = 1, .mode = 5});
  const Recording file = recorded.open();
  EXPECT_EQ(samples_of_perfetto(exported({&file, 1}, {.format = ProfileFormat::perfetto})),
            (std::vector<std::string>{"cpu 0 pid 5 tid 5 mode 2 count 3",
                                      "cpu 0 pid 5 tid 6 mode 1 count 7",
                                      "cpu 1 pid 5 tid 5 mode 5 count 5"}));
}

/// The names of processes that a trace of Perfetto has, the last one of each process.
std::set<std::string> processes_of_perfetto(const std::string& bytes) {
  std::map<std::uint64_t, std::string> names;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    const auto process = part(part(trace.get_message(), 2), 1);
    if (const std::uint64_t pid = number(process, 1)) names[pid] = text(process, 3);
  }
  std::set<std::string> out;
  for (const auto& [pid, name] : names) out.insert(name);
  return out;
}

// Processes of two recordings are two, whose ids lie apart by the kernel's PID_MAX_LIMIT.
TEST(ProfilePerfetto, ProcessesOfTwoRecordingsAreTwo) {
  Recorded recorded;
  recorded.event(1, 0, 1).comm(5, "work").sample({});
  const Recording files[] = {recorded.open("a.data"), recorded.open("b.data")};
  const std::string trace = exported(files, {.format = ProfileFormat::perfetto});
  EXPECT_EQ(samples_of_perfetto(trace),
            (std::vector<std::string>{"cpu 0 pid 5 tid 5 mode 2 count 1",
                                      "cpu 0 pid 4194309 tid 4194309 mode 2 count 1"}));
  EXPECT_EQ(processes_of_perfetto(trace), (std::set<std::string>{"a.data: work", "b.data: work"}));
}

TEST(ProfilePerfetto, AProcessMayGetItsOldNameAgain) {
  Recorded recorded;
  recorded.event(1, 0, 1);
  for (const auto& [time, name] : {std::pair{10, "sh"}, {20, "server"}, {30, "sh"}}) {
    const auto at = static_cast<std::uint64_t>(time);
    BytesOut body = recorded.file.out();
    body.u32(5).u32(5).padded(name).u32(5).u32(5).u64(at).u32(0).u32(0).u64(1);
    recorded.file.record(3, body.str());
    recorded.sample({.time = at + 1});
  }
  const Recording file = recorded.open();
  EXPECT_EQ(processes_of_perfetto(exported({&file, 1}, {.format = ProfileFormat::perfetto})),
            std::set<std::string>{"sh"});
}
#endif

TEST(ProfileProcesses, HaveTheirOwnNames) {
  const struct {
    const char* why;
    std::vector<std::pair<std::uint32_t, const char*>> comms;
    std::vector<std::uint32_t> sampled;
    const char* expected;
  } kCases[] = {
      {"its first thread was not sampled", {{5, "server"}, {6, "worker"}}, {6, 7}, "server"},
      {"nor was it first", {{6, "worker"}, {5, "server"}}, {6, 5}, "server"},
      {"the name of its first thread is not recorded", {{6, "worker"}}, {6}, "worker"},
      {"it was renamed", {{5, "sh"}, {5, "server"}, {6, "worker"}}, {6}, "server"},
  };
  for (const auto& one : kCases) {
    Recorded recorded;
    recorded.event(1, 0, 1);
    for (const auto& [tid, name] : one.comms) recorded.comm(tid, name);
    for (const std::uint32_t tid : one.sampled) recorded.sample({.tid = tid});
    const Recording file = recorded.open();
    const auto page = json_of(exported({&file, 1}, {.format = ProfileFormat::firefox}));
    for (const auto& thread : page["threads"].items)
      EXPECT_EQ(thread["processName"].text, one.expected) << one.why;
#ifdef HAVE_PROTOZERO
    EXPECT_EQ(processes_of_perfetto(exported({&file, 1}, {.format = ProfileFormat::perfetto})),
              std::set<std::string>{one.expected})
        << one.why;
#endif
  }
}

#if defined(HAVE_PROTOZERO) && defined(HAVE_ZLIB)
using Labels = std::map<std::string, std::string>;

TEST(ProfilePprof, HasThreadsAndCpusAsLabels) {
  Recorded recorded;
  recorded.event(1, 0, 1).comm(5, "work").comm(6, "other").sample({.tid = 5, .cpu = 3});
  recorded.sample({.tid = 5, .cpu = 3}).sample({.tid = 6, .cpu = 3});
  const Recording file = recorded.open("one.data");
  const Pprof profile(exported({&file, 1}, {}));
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(profile.samples[0].labels,
            (Labels{{"comm", "work"}, {"pid", "5"}, {"tid", "5"}, {"cpu", "3"}}));
  EXPECT_EQ(profile.samples[0].values, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(profile.samples[1].labels.at("comm"), "other");
  const Recording twice[] = {file, recorded.open("two.data")};
  EXPECT_EQ(Pprof(exported(twice, {})).samples[0].labels.at("recording"), "one.data");
}

// profile.proto: duration_nanos is the length of the profile, whichever recording is the longest.
TEST(ProfilePprof, LastsAsLongAsItsLongestRecording) {
  Recorded a, b;
  a.event(1, 0, 1).sample({.time = 10}).sample({.time = 50});
  b.event(1, 0, 1).sample({.time = 100}).sample({.time = 103});
  const Recording one = a.open("a.data"), other = b.open("b.data");
  for (const auto& files : {std::array{one, other}, std::array{other, one}})
    EXPECT_EQ(Pprof(exported(files, {})).times().second, 40u);
}

// profile.proto: the period is the number of events between samples; a frequency is none.
TEST(ProfilePprof, HasThePeriodOfTheEventWithMostSamples) {
  const struct {
    std::uint64_t period;
    bool is_frequency;
    std::string cycles, clock;  // period of a profile of most cycles, and of most cpu-clock
  } cases[] = {{1000, false, "cycles count 1000", "cpu-clock nanoseconds 1000"},
               {4000, true, "", ""},
               {0, false, "", ""}};
  for (const auto& c : cases)
    for (const bool cycles : {true, false}) {
      Recorded recorded;
      recorded.event(0, 0, 1, c.period, c.is_frequency).event(1, 0, 2, c.period, c.is_frequency);
      for (const std::uint64_t id : {1, 2, cycles ? 1 : 2}) recorded.sample({.id = id});
      const Recording file = recorded.open();
      const Pprof profile(exported({&file, 1}, {}));
      EXPECT_EQ(profile.default_type(), cycles ? "cycles" : "cpu-clock");
      EXPECT_EQ(profile.period(), cycles ? c.cycles : c.clock) << c.period;
    }
}

// pprof takes the first mapping for the program that the profile is of.
TEST(ProfilePprof, TheFirstMappingIsTheOneInterruptedMost) {
  Recorded recorded;
  recorded.event(1, 0, 1);
  recorded.map(0x10000, 0x1000, 0, "/lib/first", 1).map(0x20000, 0x1000, 0, "/bin/most", 2);
  recorded.map(0x30000, 0x1000, 0, "/lib/caller", 3);
  recorded.sample({.chain = {kUserPart, 0x10004}});
  for (const std::uint64_t at : {0x20004, 0x20008})
    recorded.sample({.chain = {kUserPart, at, 0x30004, 0x10008}});
  for (int i = 0; i < 4; ++i)
    recorded.sample({.chain = {kKernelPart, 0xffffffff80000010, kUserPart, 0x30008}, .mode = 1});
  const Recording file = recorded.open();
  const Pprof profile(exported({&file, 1}, {}));
  const auto order = profile.mapping_order();
  ASSERT_GE(order.size(), 3u);
  std::vector<std::string> files;
  for (const std::uint64_t id : order) files.push_back(profile.mappings.at(id).file);
  EXPECT_EQ(files.front(), "/bin/most");
  EXPECT_EQ(std::ranges::count(files, "/bin/most"), 1);
  EXPECT_EQ(std::ranges::count(files, "/lib/first"), 1);
}

// A mapping has lines if one of its functions has, wherever that comes.
TEST(ProfilePprof, MappingsSayWhatIsKnownOfAnyFunction) {
  constexpr Jitdump::Line kLines[] = {{0x20010, 7, "a.js"}};
  const TempDir dir;
  dir.write("root/tmp/jit-5.dump", Jitdump()
                                       .load(1, "first", 0x20000, 16)
                                       .lines(0x20010, kLines)
                                       .load(1, "with_lines", 0x20010, 16)
                                       .load(1, "last", 0x20020, 16)
                                       .str());
  const Symbols symbols({.symfs = dir.path("root"), .cache = dir.path("cache")});
  Recorded recorded;
  recorded.event(1, 0, 1).comm(5, "work");
  recorded.map(0x90000, 0x1000, 0, "/tmp/jit-5.dump", 1).map(0x20000, 0x1000, 0, "//anon", 0);
  for (const std::uint64_t at : {0x20004, 0x20014, 0x20024})
    recorded.sample({.chain = {kUserPart, at}});
  const Recording file = recorded.open();
  const Pprof profile(exported({&file, 1}, {.symbols = &symbols}));
  ASSERT_EQ(profile.mappings.size(), 1u);
  EXPECT_EQ(profile.known_of(1), "1111");
}

// JIT compilers map a hundred thousand times, and all of these are called //anon.
TEST(ProfileStacks, OfManyMappings) {
  constexpr std::uint64_t kMany = 100'000;
  profiles::Strings strings;
  profiles::Stacks stacks(strings);
  const session::Dso anonymous{.name = "//anon", .pid = 5}, file{.name = "/memfd:jit"};
  const auto binary = [&](const session::Dso& dso, std::uint64_t start, std::uint64_t end,
                          std::uint64_t offset) {
    return stacks.binary_of({&dso, start, end, offset});
  };
  const std::clock_t start = std::clock();
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t i = 0; i < kMany; ++i) {
      ASSERT_EQ(binary(anonymous, 0x10000 * i, 0x10000 * i + 0x1000, 0), 2 * i);
      ASSERT_EQ(binary(file, 0x10000 * i, 0x10000 * i + 0x1000, 0x2000 * i), 2 * i + 1);
    }
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10);
  // Parts of a file are in what maps all of them, those that are known stay.
  EXPECT_EQ(binary(file, 0x77000, 0x77800, 0x2400), 3u);
  EXPECT_EQ(binary(file, 0x77000, 0x79001, 0x2000), 2 * kMany);
  EXPECT_EQ(binary(file, 0x10000, 0x11000, 0x2000), 3u);
  EXPECT_EQ(binary(file, 0x10000, 0x11000, 0x3000), 2 * kMany);
  EXPECT_EQ(binary(anonymous, 0x10000, 0x10800, 0), 2 * kMany + 1);
}

TEST(ProfilePprof, MappingsHaveBuildIds) {
  Recorded recorded;
  recorded.event(1, 0, 1).map(0x10000, 0x8000, 0x2000, "/bin/app", 0xab);
  recorded.sample({.chain = {kUserPart, 0x10004, 0x90001}});
  const Recording file = recorded.open();
  const Pprof profile(exported({&file, 1}, {}));
  ASSERT_EQ(profile.mappings.size(), 1u);
  const Pprof::Mapping& mapping = profile.mappings.at(1);
  EXPECT_EQ(mapping.file, "/bin/app");
  EXPECT_EQ(mapping.start, 0x10000u);
  EXPECT_EQ(mapping.limit, 0x18000u);
  EXPECT_EQ(mapping.offset, 0x2000u);
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "ab";
  EXPECT_EQ(mapping.build_id, expected);
  const auto& chain = profile.samples.at(0).locations;
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(profile.locations.at(chain[0]).address, 0x10004u);
  EXPECT_EQ(profile.locations.at(chain[0]).mapping, 1u);
  EXPECT_EQ(profile.locations.at(chain[1]).address, 0x90000u) << "of the call, not after it";
  EXPECT_EQ(profile.locations.at(chain[1]).mapping, 0u);
}

/// "time weight name lib address category;…" of each sample of Firefox's first thread, callers
/// first. Tables: docs-developer/CHANGELOG-formats.md of github.com/firefox-devtools/profiler.
std::vector<std::string> firefox_stacks(const JsonValue& profile) {
  const auto& tables = profile["shared"];
  for (const auto& [name, table] : tables.members)
    for (const auto& [column, values] : table.members)
      EXPECT_TRUE(column == "length" || values.items.size() == table["length"].whole)
          << name << '.' << column;
  const auto cell = [&](const char* table, const char* column, std::uint64_t row) {
    return tables[table][column].items.at(row);
  };
  const auto& samples = profile["threads"].items.at(0)["samples"];
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < samples["length"].whole; ++i) {
    std::string stack;
    JsonValue at = samples["stack"].items.at(i);
    for (; !at.is_null; at = cell("stackTable", "prefix", at.whole)) {
      const std::uint64_t frame = cell("stackTable", "frame", at.whole).whole,
                          func = cell("frameTable", "func", frame).whole;
      const auto resource = cell("funcTable", "resource", func);
      std::string lib = "-";
      if (resource.number >= 0)
        lib = profile["libs"]
                  .items.at(cell("resourceTable", "lib", resource.whole).whole)["path"]
                  .text;
      const auto category = cell("frameTable", "category", frame).whole;
      stack =
          fmt::format("{} {} {} {};",
                      tables["stringArray"].items.at(cell("funcTable", "name", func).whole).text,
                      lib, cell("frameTable", "address", frame).number,
                      profile["meta"]["categories"].items.at(category)["name"].text) +
          stack;
    }
    out.push_back(fmt::format("{} {}: {}", samples["time"].items.at(i).number,
                              samples["weight"].items.at(i).number, stack));
  }
  return out;
}

// Functions of a file that is there, in each format. A caller is the call before the address that
// it returns to: 0x1047f is the last byte of the second function, 0x10480 is behind it.
TEST(ProfileFunctions, AreThoseOfTheMappedFile) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  const TempDir dir;
  const std::string app = dir.write("app", elf_file({.second_size = 0x40}));
  Recorded recorded;
  recorded.event(1, 0, 1).comm(5, "work").map(0x10000, 0x1000, 0, app, 0x5a);
  recorded.sample({.time = 1000, .chain = {kUserPart, 0x10410, 0x10480, 0x90001}});
  recorded.sample({.time = 5000, .period = 3, .chain = {kUserPart, 0x10440, 0x10440}});
  // CLOCK_DATA: version, clock, the wall clock's time, that clock's at the same moment.
  recorded.file.feature(29, recorded.file.out().u32(1).u32(4).u64(70'000).u64(600).str());
  const Recording file = recorded.open();
  const Symbols symbols;
  const Pprof profile(exported({&file, 1}, {.symbols = &symbols}));
  std::vector<std::string> stacks;
  for (const Pprof::Sample& sample : profile.samples) {
    std::string& stack = stacks.emplace_back();
    for (const std::uint64_t id : sample.locations) {
      const Pprof::Location& at = profile.locations.at(id);
      stack += fmt::format("{:#x} {} {};", at.address, at.mapping, fmt::join(at.lines, ","));
    }
  }
  std::ranges::sort(stacks);
  const std::string first = "first_function (first_function) :0",
                    second = "second_function (second_function) :0";
  EXPECT_EQ(stacks, (std::vector{"0x10410 1 " + first + ";0x1047f 1 " + second + ";0x90000 0 ;",
                                 "0x10440 1 " + second + ";0x1043f 1 " + first + ";"}));
  EXPECT_EQ(profile.times(), std::pair(70'400ul, 4000ul));
  EXPECT_EQ(profile.known_of(1), "1000");
  EXPECT_EQ(
      stacks_of(exported({&file, 1}, {.format = ProfileFormat::speedscope, .symbols = &symbols})),
      (std::vector<std::string>{"work (5);0x90001;second_function;first_function",
                                "work (5);first_function;second_function"}));
  const auto firefox =
      json_of(exported({&file, 1}, {.format = ProfileFormat::firefox, .symbols = &symbols}));
  // Times are in ms from the first sample; addresses are the file's, of calls.
  EXPECT_EQ(firefox_stacks(firefox),
            (std::vector<std::string>{"0 1e-06: 0x90001 - -1 Other;second_function " + app +
                                          " 1151 User;first_function " + app + " 1040 User;",
                                      "0.004 3e-06: first_function " + app +
                                          " 1087 User;second_function " + app + " 1088 User;"}));
  const auto& lib = firefox["libs"].items.at(0);
  EXPECT_EQ(lib["name"].text, "app");
  EXPECT_EQ(lib["debugPath"].text, app);
  std::string id;
  for (int byte = 0; byte < 20; ++byte) id += "5a";
  EXPECT_EQ(lib["codeId"].text, id);
  EXPECT_EQ(firefox["threads"].items.at(0)["name"].text, "cpu-clock (work)");
  EXPECT_EQ(firefox["threads"].items.at(0)["tid"].whole, 5u);
}

/// The addresses in the mapped file of pprof's stacks, the instruction first.
std::vector<std::uint64_t> pprof_addresses(const PerfFile& recorded) {
  const TempDir dir;
  const Recording file = Recording::open(dir.write("perf.data", recorded.file())).value();
  const Pprof profile(exported({&file, 1}, {}));
  std::vector<std::uint64_t> out;
  for (const Pprof::Sample& sample : profile.samples)
    for (const std::uint64_t id : sample.locations) out.push_back(profile.locations.at(id).address);
  return out;
}

// A branch of a call stack comes from the call itself, not from the address after it: LBR call
// stacks of Intel's manual, volume 3, 17.4.
TEST(ProfileStacks, CallsThatTheCpuKeptAreNotMoved) {
  PerfFile file;
  file.event({.type = 0,
              .sample_type = 1 | 2 | 32 | 1 << 11,
              .branch_type = 8 | 1 << 11});  // ANY, CALL_STACK
  BytesOut body;
  body.u64(0x10404).u32(5).u32(5).u64(3).u64(kUserPart).u64(0x10404).u64(0x10421);
  body.u64(2).u64(0x10420).u64(0x10400).u64(0).u64(0x10460).u64(0x10410).u64(0);
  file.record(9, body.str(), 2);
  EXPECT_EQ(pprof_addresses(file), (std::vector<std::uint64_t>{0x10404, 0x10420, 0x10460}));
}

/// Numbers that no recorder writes don't stop it: sums wrap as in a report.
TEST(ProfileNumbers, BeyondEveryLimit) {
  Recorded recorded;
  recorded.event(1, 0, 1);
  for (int i = 0; i < 3; ++i)
    recorded.sample(
        {.time = ~0ull - 1, .period = INT64_MAX, .tid = INT32_MAX, .cpu = UINT32_MAX - 1});
  const Recording files[] = {recorded.open("a.data"), recorded.open("b.data")};
  for (const ProfileFormatInfo& info : profile_formats())
    if (!info.for_binary) exported(files, {.format = info.format});
  EXPECT_EQ(Pprof(exported(files, {})).sums().at("cpu-clock").samples, 6u);
}
#endif

}  // namespace
}  // namespace evname::test
