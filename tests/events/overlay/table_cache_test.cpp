// What is kept of a user's trees: another process uses it if nothing has changed, and only then.
// Codes come from the files written here.
#include "events/overlay/table_cache.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/build_id.hpp"
#include "events/tables/check_tables.hpp"
#include "events/tables/registry.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "support/environment.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

namespace fs = std::filesystem;
using overlay::CompiledTrees;

constexpr const char* kCachedCpu = "GenuineIntel-6-55-4";
constexpr std::size_t kLarge = 70'000;  // smaller files are not worth a cache

std::string code_text_of(const Machine& machine, const char* event) {
  const auto encodings = machine.resolve(event);
  return encodings ? std::to_string(encodings->front().code.config[0]) : encodings.error().text();
}

/// Two events of one code, a metric, and blanks up to the size.
std::string topic(const std::string& code, std::size_t size) {
  const std::string text = fmt::format(
      R"json([{{"EventName":"MY.ONE","EventCode":"{0}"}}, {{"EventName":"MY.TWO","EventCode":"{0}"}},
              {{"MetricName":"my_metric","MetricExpr":"MY.ONE / max(MY.TWO, 1)"}}])json",
      code);
  return text + std::string(size - text.size(), ' ');
}

class EventFileCache : public testing::Test {
 protected:
  void SetUp() override {
    if (!Machine::named("skylakex", {}, {}, UserEvents::leave_out))
      GTEST_SKIP() << "no tables of skylakex are built in";
    if (own_build_id().empty()) GTEST_SKIP() << "the linker gives no build id";
    write_tree("tree", "0x11");
  }
  void write_tree(const std::string& name, const std::string& code, std::size_t size = kLarge) {
    dir_.write(name + "/x86/mapfile.csv",
               std::string(kMapfileHeading) + "GenuineIntel-6-55-[01234],v1,skylakex,core\n");
    dir_.write(name + "/x86/skylakex/my.json", topic(code, size));
  }
  /// Returns the code of both events and what the cache was good for.
  std::string answer() const {
    const auto machine = Machine::named(kCachedCpu);
    if (!machine) return machine.error().text();
    const std::string one = code_text_of(*machine, "my.one"),
                      two = code_text_of(*machine, "my.two");
    constexpr const char* kUses[] = {"none", "read", "written"};
    return (one == two ? one : one + " and " + two) + " " +
           kUses[static_cast<int>(machine->event_cache().use)] +
           (machine->warnings().empty() ? "" : machine->warnings()[0]);
  }
  std::string cache_file() const {
    for (const auto& entry : fs::directory_iterator(dir_.path("cache"))) return entry.path();
    return {};
  }

  TempDir dir_;
  Environment events_{"EVNAME_EVENTS", dir_.path("tree")};
  Environment cache_{"EVNAME_CACHE", dir_.path("cache")};
};

TEST_F(EventFileCache, IsReadByTheNextProcess) {
  EXPECT_EQ(answer(), "17 written");
  EXPECT_EQ(answer(), "17 read");
  const auto machine = Machine::named(kCachedCpu);
  EXPECT_EQ(machine->event_cache().file, cache_file());
  EXPECT_EQ(code_text_of(*machine, "mem_load_retired.l3_miss"), std::to_string(0x20d1));
  EXPECT_EQ(machine->resolve("my.one")->front().directory(), dir_.path("tree"));
  MetricSet set(*machine, MetricFacts(*machine));
  ASSERT_TRUE(set.add("my_metric"));
  const std::vector<EventCount> counts{{6}, {3}};
  EXPECT_EQ(set.evaluate(counts)[0].value, 2);  // 6 / max(3, 1)
}

TEST_F(EventFileCache, IsNotReadOnceAFileHasOtherBytesOfTheSameSizeAndTime) {
  const std::string file = dir_.path("tree/x86/skylakex/my.json");
  const auto time = fs::last_write_time(file);
  EXPECT_EQ(answer(), "17 written");
  write_tree("tree", "0x22");
  fs::last_write_time(file, time);
  EXPECT_EQ(answer(), "34 written");
  write_tree("tree", "0x33", kLarge + 1);
  EXPECT_EQ(answer(), "51 written");
  dir_.write("tree/x86/skylakex/more.json", "[]");
  EXPECT_EQ(answer(), "51 written");
  fs::remove(dir_.path("tree/x86/skylakex/more.json"));
  EXPECT_EQ(answer(), "51 read");  // what was kept before
}

TEST_F(EventFileCache, FollowsATreeThatTakesThePlaceOfAnother) {
  write_tree("other", "0x22");
  EXPECT_EQ(answer(), "17 written");
  fs::rename(dir_.path("tree"), dir_.path("old"));
  fs::rename(dir_.path("other"), dir_.path("tree"));
  EXPECT_EQ(answer(), "34 written");
  dir_.write("tree/x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-55-[0],v1,skylakex,core\n");
  EXPECT_EQ(Machine::named(kCachedCpu)->event_cache().use, CacheUse::read);  // by the model's name
}

TEST_F(EventFileCache, KeepsWarnings) {
  dir_.write("tree/x86/skylakex/bad.json", R"([{"EventName": "A", "EventCode": "zz"}])");
  const std::string first = answer();
  EXPECT_NE(first.find("bad.json:1: "), std::string::npos) << first;
  EXPECT_EQ(answer().substr(sizeof "17 read" - 1), first.substr(sizeof "17 written" - 1));
}

/// Overwrites the cache's file, which stays private.
void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(EventFileCache, OfAnotherBuildIsNotRead) {
  EXPECT_EQ(answer(), "17 written");
  const std::string path = cache_file(), id = own_build_id();
  std::string bytes = dir_.read("cache/" + fs::path(path).filename().string());
  const std::size_t at = bytes.find(id);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(~bytes[at]);
  overwrite(path, bytes);
  EXPECT_EQ(answer(), "17 written");
}

TEST_F(EventFileCache, IsNotReadIfItIsDamaged) {
  EXPECT_EQ(answer(), "17 written");
  const std::string path = cache_file();
  const std::string whole = dir_.read("cache/" + fs::path(path).filename().string());
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 25) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    overwrite(path, bytes);
    EXPECT_EQ(answer(), "17 written") << "byte " << at;
    overwrite(path, whole.substr(0, at));
    EXPECT_EQ(answer(), "17 written") << "cut at " << at;
  }
  EXPECT_EQ(answer(), "17 read");
}

TEST_F(EventFileCache, IsNotReadIfOthersCanHaveWrittenIt) {
  EXPECT_EQ(answer(), "17 written");
  for (const mode_t mode : {0640, 0602}) {
    ::chmod(cache_file().c_str(), mode);
    EXPECT_EQ(answer(), "17 written") << mode;
  }
  for (const mode_t mode : {0770, 0702}) {
    ::chmod(dir_.path("cache").c_str(), mode);
    EXPECT_EQ(answer(), "17 none") << mode;
  }
  ::chmod(dir_.path("cache").c_str(), 0755);
  EXPECT_EQ(answer(), "17 read");
  const std::string path = cache_file();
  fs::rename(path, dir_.path("elsewhere"));
  fs::create_symlink(dir_.path("elsewhere"), path);
  EXPECT_EQ(answer(), "17 written");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  EXPECT_EQ(answer(), "17 read");
  ASSERT_EQ(::chown(cache_file().c_str(), 12345, 12345), 0);
  EXPECT_EQ(answer(), "17 written");
  ASSERT_EQ(::chown(dir_.path("cache").c_str(), 12345, 12345), 0);
  EXPECT_EQ(answer(), "17 none");
}

TEST_F(EventFileCache, CanBeSwitchedOffAndNeedsNoPlace) {
  for (const char* nowhere : {"", "/proc/none/evname", "/dev/null", "relative/none"}) {
    const Environment cache("EVNAME_CACHE", nowhere);
    EXPECT_EQ(answer(), "17 none") << nowhere;
  }
  write_tree("tree", "0x22", 1000);
  EXPECT_EQ(answer(), "34 none");
  EXPECT_FALSE(dir_.has("cache"));
  const auto given = Machine::named(kCachedCpu, {}, dir_.path("tree"), UserEvents::leave_out);
  EXPECT_EQ(given->event_cache().use, CacheUse::none);
}

// As with sudo where HOME stays the user's: a directory of root there would be of no use to them.
TEST_F(EventFileCache, MakesNoDirectoryInThatOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give directories away";
  dir_.write("home/file", "");
  ASSERT_EQ(::chown(dir_.path("home").c_str(), 12345, 12345), 0);
  for (const char* place : {"home/.cache/evname", "home/evname"}) {
    const Environment cache("EVNAME_CACHE", dir_.path(place));
    EXPECT_EQ(answer(), "17 none") << place;
  }
  EXPECT_FALSE(dir_.has("home/.cache") || dir_.has("home/evname"));
  ASSERT_EQ(::chown(dir_.path("home").c_str(), 0, 0), 0);
  const Environment cache("EVNAME_CACHE", dir_.path("home/.cache/evname"));
  EXPECT_EQ(answer(), "17 written");
}

// The kernel ends a process that writes more, and nobody has asked for this file.
TEST_F(EventFileCache, IsNotWrittenBeyondTheLimitOfFiles) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  for (const auto& [limit, expected] : {std::pair<rlim_t, const char*>{1024, "17 none"},
                                        {kLarge, "17 none"},
                                        {kLarge * 2, "17 written"}}) {
    const struct rlimit now { limit, before.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &now), 0);
    const std::string found = answer();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(found, expected) << limit;
  }
}

// A FIFO in the place of the cache file is replaced without waiting for it; a directory stays.
TEST_F(EventFileCache, ReadsNoFifoAndReplacesNoDirectory) {
  EXPECT_EQ(answer(), "17 written");
  const std::string path = cache_file();
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(answer(), "17 written");
  EXPECT_EQ(answer(), "17 read");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(answer(), "17 none");
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(cache_file(), path);  // nothing is left beside it
}

TEST_F(EventFileCache, IsWholeForAllWhoUseItAtOnce) {
  std::atomic<bool> is_over = false;
  std::vector<std::thread> readers;
  std::atomic<int> answers = 0;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!is_over || answers < 30) {
        const std::string text = answer();
        const std::string code = text.substr(0, text.find(' '));
        EXPECT_TRUE(code == "17" || code == "34") << text;
        ++answers;
      }
    });
  for (int i = 0; i < 40; ++i) {
    dir_.write("next", topic(i % 2 == 0 ? "0x22" : "0x11", kLarge));
    fs::rename(dir_.path("next"), dir_.path("tree/x86/skylakex/my.json"));
    EXPECT_EQ(answer().substr(0, 2), i % 2 == 0 ? "34" : "17");
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
}

// Files that only look like its own stay: the directory may have been there before.
TEST_F(EventFileCache, StaysInsideItsBudgetAndRemovesOnlyItsOwnFiles) {
  const std::string old = "cache/00000000000000aa.tables", older = "cache/00000000000000bb.tables",
                    left = older + ".1.2.new", mine = "cache/mine.tables",
                    notes = "cache/notes.new";
  const auto two_hours = std::chrono::hours(2);
  for (const std::string& name : {old, older, mine, left, notes}) {
    dir_.write(name, "");
    fs::resize_file(dir_.path(name), 200u << 20);
    if (name != old)
      fs::last_write_time(dir_.path(name), fs::last_write_time(dir_.path(old)) - two_hours);
  }
  EXPECT_EQ(answer(), "17 written");
  for (const std::string& name : {old, mine, notes}) EXPECT_TRUE(dir_.has(name)) << name;
  for (const std::string& name : {older, left}) EXPECT_FALSE(dir_.has(name)) << name;
  EXPECT_EQ(answer(), "17 read");
}

TEST(CheckTables, FindNothingWrongWithTheBuildsOwn) {
  for (const tables::ArchTables& arch : tables::architectures())
    EXPECT_TRUE(tables::are_sound(arch)) << arch.arch;
}

expression::Step step(expression::Op op, std::uint16_t operand) {
  expression::Step out;
  out.op = op;
  out.operand = operand & expression::kMaxOperand;
  return out;
}

/// Tables with an event, a metric and a row of a mapfile, and one thing wrong with them.
TEST(CheckTables, RefuseWhatLeadsOutOfAnArray) {
  using tables::TableArrays;
  TableArrays sound;
  sound.strings.append("name", sizeof "name");
  sound.term_names = {1};
  sound.terms.push_back({});
  sound.term_lists = {0};
  sound.events.push_back({1, 0, 0, 0, 1, 0, 0, 0, 0});
  sound.entries = {0};
  sound.pmus.push_back({1, 0, 1});
  sound.steps = {step(expression::Op::number, 0)};
  sound.numbers = {1};
  sound.symbols.push_back({1, 4, expression::SymbolKind::event, 0});
  sound.symbol_lists = {0};
  sound.programs.push_back({0, 0, 0, 1, 1, 1, 0});
  sound.metrics.emplace_back().expr_program = 1;
  sound.metric_entries = {0};
  sound.metric_groups.push_back({1, 1});
  tables::Model model{1, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  tables::add_slots(sound, 0, model);
  sound.models = {model};
  sound.map_rows.push_back({1, 1, 0});
  sound.map_overlaps.push_back({0, 0});
  ASSERT_TRUE(tables::are_sound(sound.view()));
  void (*const kFaults[])(TableArrays&) = {
      [](TableArrays& t) { t.strings.pop_back(), t.strings.pop_back(); },
      [](TableArrays& t) { t.term_names[0] = 6; },
      [](TableArrays& t) { t.terms[0].text = 6; },
      [](TableArrays& t) { t.terms[0].name = 1; },
      [](TableArrays& t) { t.terms[0].spelling = static_cast<tables::Spelling>(4); },
      [](TableArrays& t) { t.term_lists[0] = 1; },
      [](TableArrays& t) { t.events[0].long_desc = 6; },
      [](TableArrays& t) { t.events[0].traits = 1; },
      [](TableArrays& t) { t.event_traits[0].errata = 6; },
      [](TableArrays& t) { t.events[0].terms = 1; },
      [](TableArrays& t) { t.events[0].terms = UINT32_MAX; },
      [](TableArrays& t) { t.events[0].latency = 1; },
      [](TableArrays& t) { t.entries[0] = 1; },
      [](TableArrays& t) { t.entries[0] = tables::make_entry(0, 1); },
      [](TableArrays& t) { t.pmus[0].count = 2; },
      [](TableArrays& t) { t.models[0].example_cpuid = 6; },
      [](TableArrays& t) { t.models[0].pmu_count = 2; },
      [](TableArrays& t) { t.models[0].pmu_count = 0; },
      [](TableArrays& t) { t.models[0].metric_count = 2; },
      [](TableArrays& t) { t.models[0].slot_count = 3; },
      [](TableArrays& t) { t.models[0].slot_count *= 2; },
      [](TableArrays& t) { std::ranges::fill(t.slots, std::uint16_t{1}); },
      [](TableArrays& t) { std::replace(t.slots.begin(), t.slots.end(), 1, 2); },
      [](TableArrays& t) { t.slot_tags.pop_back(); },
      [](TableArrays& t) { t.map_rows[0].model = 1; },
      [](TableArrays& t) { t.map_overlaps[0].second = 1; },
      [](TableArrays& t) { t.counters.clear(); },
      [](TableArrays& t) { t.metrics[0].sample = 6; },
      [](TableArrays& t) { t.metrics[0].threshold_program = 2; },
      [](TableArrays& t) { t.metrics[0].expr_program = 0; },
      [](TableArrays& t) { t.metric_entries[0] = 1; },
      [](TableArrays& t) { t.programs[1].number_count = 0; },
      [](TableArrays& t) { t.programs[1].first_symbol = 1; },
      [](TableArrays& t) { t.programs[1].step_count = 0; },
      [](TableArrays& t) { t.steps[0] = step(expression::Op::symbol, 1); },
      [](TableArrays& t) { t.steps[0] = step(expression::Op::add, 0); },
      [](TableArrays& t) { t.steps[0] = step(static_cast<expression::Op>(18), 0); },
      [](TableArrays& t) { t.symbols[0].size = 6; },
      [](TableArrays& t) { t.symbols[0].kind = static_cast<expression::SymbolKind>(6); },
      [](TableArrays& t) { t.symbol_lists[0] = 1; },
      [](TableArrays& t) { t.metric_groups[0].desc = 6; },
  };
  for (std::size_t i = 0; i < std::size(kFaults); ++i) {
    TableArrays faulty = sound;
    kFaults[i](faulty);
    EXPECT_FALSE(tables::are_sound(faulty.view())) << i;
  }
}

}  // namespace
}  // namespace evname::test
