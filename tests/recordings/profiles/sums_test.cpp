// In each format the sums of each event equal the sums of the samples, which the tables state, and
// of a report.

#include <algorithm>

#include "evname/report.hpp"
#include "recordings/profiles/profiles.hpp"
#include "recordings/profiles/protobuf.hpp"

namespace evname::test {
namespace {

/// "cpu-clock (comm)" and "cpu-clock (PMU software, …)" to "cpu-clock".
std::string name_before(std::string_view text, std::string_view mark) {
  return std::string(text.substr(0, text.rfind(mark)));
}

Sums speedscope_sums(const std::string& text) {
  Sums sums;
  const auto page = json_of(text);
  for (const auto& profile : page["profiles"].items) {
    std::string name = name_before(profile["name"].text, " (PMU ");
    if (const auto at = name.find(".data: "); at != name.npos) name.erase(0, at + 7);
    EventSums& event = sums[name];
    event.samples += profile["samples"].items.size();
    std::uint64_t total = 0;
    for (const auto& weight : profile["weights"].items) total += weight.whole;
    EXPECT_EQ(total, profile["endValue"].whole);
    event.period += total;
  }
  return sums;
}

Sums firefox_sums(const std::string& text) {
  Sums sums;
  const auto page = json_of(text);
  const auto& stacks = page["shared"]["stackTable"]["prefix"].items;
  for (std::size_t i = 0; i < stacks.size(); ++i)
    EXPECT_TRUE(stacks[i].is_null || stacks[i].whole < i);
  for (const auto& thread : page["threads"].items) {
    EventSums& event = sums[name_before(thread["name"].text, " (")];
    event.samples += thread["samples"]["length"].whole;
    for (const auto& data : thread["markers"]["data"].items) event.period += data["period"].whole;
  }
  return sums;
}

/// Events without samples are in pprof and in reports, and not in what has a track for each.
Sums sampled(Sums sums) {
  std::erase_if(sums, [](const auto& event) { return event.second.samples == 0; });
  return sums;
}

Sums reported(const std::vector<Recording>& files) {
  Report report({});
  for (const Recording& file : files) (void)report.add(file);
  Sums sums;
  for (const Report::Row& row : report.rows()) sums[row.keys[0]] = {row.samples, row.period};
  return sums;
}

struct SumsCase {
  const char* name;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> events;  ///< type and config; ids from 1
  std::vector<SampleSpec> samples;
  Sums expected;
  std::endian order = std::endian::little;
  std::size_t copies = 1;  ///< recordings in the profile
};
void PrintTo(const SumsCase& one, std::ostream* out) { *out << one.name; }

class ProfileSums : public testing::TestWithParam<SumsCase> {};

const SumsCase kCases[] = {
    {"events have their own sums",
     {{1, 0}, {1, 2}},
     {{.id = 1, .period = 100}, {.id = 2, .period = 3}, {.id = 1, .time = 11, .period = 50}},
     {{"cpu-clock", {2, 150}}, {"page-faults", {1, 3}}}},
    {"threads and CPUs are added up",
     {{1, 0}},
     {{.tid = 5}, {.tid = 6}, {.tid = 6, .cpu = 1}, {.tid = 7, .cpu = 1}},
     {{"cpu-clock", {4, 4}}}},
    {"an event without samples",
     {{1, 0}, {1, 3}},
     {{.id = 1, .period = 7}},
     {{"cpu-clock", {1, 7}}, {"context-switches", {0, 0}}}},
    {"big-endian",
     {{1, 0}, {1, 2}},
     {{.id = 2, .period = 0x0102030405}, {.id = 1, .period = 1}},
     {{"cpu-clock", {1, 1}}, {"page-faults", {1, 0x0102030405}}},
     std::endian::big},
    {"chains of every kind",
     {{1, 1}},
     {{.chain = {}},
      {.chain = {kUserPart}},
      {.chain = {kKernelPart, 0xffffffff80000010, kUserPart, 0x10008, 0x10010}},
      {.chain = {kUserPart, 0x10004, ~0ull, 0x10008}},
      {.chain = {}, .ip = 0}},
     {{"task-clock", {5, 5}}}},
    {"periods of 0, and out of order in time",
     {{1, 0}},
     {{.time = 30, .period = 0}, {.time = 10, .period = 5}, {.time = 20, .period = 0}},
     {{"cpu-clock", {3, 5}}}},
    {"two recordings",
     {{1, 0}, {1, 2}},
     {{.id = 1, .period = 100}, {.id = 2, .period = 3}},
     {{"cpu-clock", {2, 200}}, {"page-faults", {2, 6}}},
     std::endian::little,
     2}};

TEST_P(ProfileSums, AreThoseOfTheSamplesInEachFormat) {
  const SumsCase& one = GetParam();
  Recorded recorded(one.order);
  for (std::size_t i = 0; i < one.events.size(); ++i)
    recorded.event(one.events[i].first, one.events[i].second, i + 1);
  for (const SampleSpec& sample : one.samples) recorded.sample(sample);
  std::vector<Recording> files;
  for (std::size_t i = 0; i < one.copies; ++i)
    files.push_back(recorded.open("r" + std::to_string(i) + ".data"));

  EXPECT_EQ(reported(files), one.expected);
  const Sums seen = sampled(one.expected);
  EXPECT_EQ(speedscope_sums(exported(files, {.format = ProfileFormat::speedscope})), seen);
  EXPECT_EQ(firefox_sums(exported(files, {.format = ProfileFormat::firefox})), seen);
#ifdef HAVE_PROTOZERO
  EXPECT_EQ(perfetto_sums(exported(files, {.format = ProfileFormat::perfetto})), seen);
#ifdef HAVE_ZLIB
  EXPECT_EQ(Pprof(exported(files, {.format = ProfileFormat::pprof})).sums(), one.expected);
#endif
#endif
}

INSTANTIATE_TEST_SUITE_P(, ProfileSums, testing::ValuesIn(kCases));

}  // namespace
}  // namespace evname::test
