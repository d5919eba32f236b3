// Whole pages of Firefox's profiler and of speedscope, besides stacks. Their formats:
// src/types/profile.ts of firefox-devtools/profiler, and file-format-spec.ts of speedscope.

#include "recordings/profiles/profiles.hpp"

namespace evname::pages_test {
namespace {

using namespace test;

/// Two events, a clock and a counter, of two threads. The second one's counter has no CPU.
void record(Recorded& recorded) {
  recorded.event(1, 0, 1).event(1, 2, 2).comm(5, "work").comm(6, "other");
  BytesOut map, id;
  for (std::uint8_t byte = 1; byte <= 20; ++byte) id.u8(byte);
  map.u32(5).u32(5).u64(0x10000).u64(0x8000).u64(0x2000).u8(20).u8(0).u16(0).raw(id.str());
  map.u32(5).u32(2).padded("/usr/bin/app");
  recorded.file.record(10, map.u32(5).u32(5).u64(1).u32(0).u32(0).u64(1).str(), 2 | 1 << 14);
  recorded.sample({.time = 5'000'000, .period = 250'000, .cpu = 3});
  recorded.sample({.time = 9'000'000, .period = 500'000, .cpu = 4});
  recorded.sample({.time = 9'500'000, .period = 1, .tid = 6, .cpu = 1});
  recorded.sample({.id = 2,
                   .time = 7'000'000,
                   .period = 7,
                   .tid = 6,
                   .cpu = UINT32_MAX,
                   .chain = {kUserPart, 0x90000}});
  recorded.file.feature(6, BytesOut().string("x86_64").str());
  recorded.file.feature(7, BytesOut().u32(16).u32(8).str());  // CPUs: available, online
  recorded.file.feature(8, BytesOut().string("Some CPU").str());
  // CLOCK_DATA: version, clock, the wall clock's time, that clock's at the same moment.
  recorded.file.feature(29, BytesOut().u32(1).u32(4).u64(70'000'000).u64(1'000'000).str());
}

/// The text from the key on to before the next key.
std::string part(const std::string& page, std::string_view key, std::string_view next) {
  const std::size_t start = page.find(key);
  return page.substr(start, page.find(next, start) - start);
}

TEST(ProfilePages, OfFirefoxSayWhatTheirPartsAre) {
  Recorded recorded;
  record(recorded);
  const Recording file = recorded.open();
  const std::string page = exported({&file, 1}, {.format = ProfileFormat::firefox});
  EXPECT_EQ(part(page, "{\"meta\"", ",\"categories\""),
            R"({"meta":{"interval":2.0,"startTime":74.0,"processType":0,"product":"perf",)"
            R"("importedFrom":"evname","stackwalk":1,"debug":false,"version":29,)"
            R"("preprocessedProfileVersion":63,"symbolicated":true,"usesOnlyOneStackType":true,)"
            R"("sourceCodeIsNotOnSearchfox":true,"keepProfileThreadOrder":true,)"
            R"("initialVisibleThreads":[0,1,2],"initialSelectedThreads":[0],"platform":"Linux",)"
            R"("oscpu":"Linux x86_64","CPUName":"Some CPU","logicalCPUs":8)");
  EXPECT_EQ(part(page, "\"categories\"", ",\"markerSchema\""),
            R"("categories":[{"name":"Other","color":"grey","subcategories":["Other"]},)"
            R"({"name":"User","color":"yellow","subcategories":["Other"]},)"
            R"({"name":"Kernel","color":"orange","subcategories":["Other"]}])");
  EXPECT_EQ(part(page, "{\"name\":\"page-faults\"", ",\"extra\""),
            R"({"name":"page-faults","tooltipLabel":"page-faults",)"
            R"("tableLabel":"CPU {marker.data.cpu}, period {marker.data.period}",)"
            R"("chartLabel":"{marker.data.period}","display":["marker-chart","marker-table"],)"
            R"("fields":[{"key":"cpu","label":"CPU","format":"integer"},)"
            R"({"key":"period","label":"Period","format":"integer"}],)"
            R"("description":"PMU software, code 0x2: Page faults"}])");
  EXPECT_EQ(part(page, "\"extra\"", ",{\"label\":\"perf.data\""),
            R"("extra":[{"label":"Events","entries":[{"label":"cpu-clock","format":"string",)"
            R"("value":"PMU software, code 0x0: Time by a high-resolution timer of the CPU"},)"
            R"({"label":"page-faults","format":"string",)"
            R"("value":"PMU software, code 0x2: Page faults"}]})");
  // A GUID has numbers of 4, 2 and 2 bytes, and then bytes.
  EXPECT_EQ(part(page, "\"libs\"", ",\"threads\""),
            R"("libs":[{"arch":"x86_64","name":"app","debugName":"app","path":"/usr/bin/app",)"
            R"("debugPath":"/usr/bin/app","breakpadId":"0403020106050807090A0B0C0D0E0F100",)"
            R"("codeId":"0102030405060708090a0b0c0d0e0f1011121314"}])");
}

// A thread for each event: the clock's of the first thread, and both of the second one.
TEST(ProfilePages, OfFirefoxHaveEachSampleAsAMarker) {
  Recorded recorded;
  record(recorded);
  const Recording file = recorded.open();
  const std::string page = exported({&file, 1}, {.format = ProfileFormat::firefox});
  const auto names = json_of(page)["shared"]["stringArray"];
  const auto number_of = [&](std::string_view name) {
    for (std::size_t i = 0; i < names.items.size(); ++i)
      if (names.items[i].text == name) return std::to_string(i);
    return std::string("none");
  };
  const std::string clock = number_of("cpu-clock"), faults = number_of("page-faults");
  const std::string start =
      R"({"processType":"default","processName":"work","processStartupTime":0,)"
      R"("processShutdownTime":null,"registerTime":0,"unregisterTime":null,"pausedRanges":[],)"
      R"("name":)";
  EXPECT_EQ(
      part(page, "\"threads\"", ",\"shared\""),
      "\"threads\":[" + start +
          R"=("cpu-clock (work)","isMainThread":false,"pid":"5","tid":5,"samples":{"length":2,)="
          R"("stack":[0,0],"time":[0.0,4.0],"weight":[0.25,0.5],"weightType":"tracing-ms"},)"
          R"("markers":{"length":2,"category":[0,0],"name":[)" +
          clock + "," + clock +
          R"(],"phase":[0,0],"startTime":[0.0,4.0],"endTime":[null,null],)"
          R"("data":[{"type":"cpu-clock","cpu":3,"period":250000},)"
          R"({"type":"cpu-clock","cpu":4,"period":500000}]}},)" +
          start +
          R"=("cpu-clock (other 6)","isMainThread":false,"pid":"5","tid":6,"samples":{"length":1,)="
          R"("stack":[0],"time":[4.5],"weight":[0.000001],"weightType":"tracing-ms"},)"
          R"("markers":{"length":1,"category":[0],"name":[)" +
          clock +
          R"(],"phase":[0],"startTime":[4.5],"endTime":[null],)"
          R"("data":[{"type":"cpu-clock","cpu":1,"period":1}]}},)" +
          start +
          R"=("page-faults (other 6)","isMainThread":false,"pid":"5","tid":6,"samples":{"length":1,)="
          R"("stack":[1],"time":[2.0],"weight":[7],"weightType":"samples"},)"
          R"("markers":{"length":1,"category":[0],"name":[)" +
          faults +
          R"(],"phase":[0],"startTime":[2.0],"endTime":[null],)"
          R"("data":[{"type":"page-faults","period":7}]}}])");
}

TEST(ProfilePages, OfSpeedscope) {
  Recorded recorded;
  record(recorded);
  const Recording file = recorded.open();
  EXPECT_EQ(exported({&file, 1}, {.format = ProfileFormat::speedscope}),
            R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
            R"("exporter":"evname","name":"perf.data","activeProfileIndex":0,)"
            R"=("shared":{"frames":[{"name":"work (5)"},{"name":"other (6)"},)="
            R"({"name":"app+0x2004","file":"/usr/bin/app"},{"name":"0x90000"}]},)"
            R"=("profiles":[{"type":"sampled","name":"cpu-clock (PMU software, code 0x0)",)="
            R"("unit":"nanoseconds","samples":[[0,2],[0,2],[1,2]],"weights":[250000,500000,1],)"
            R"("startValue":0,"endValue":750001},)"
            R"=({"type":"sampled","name":"page-faults (PMU software, code 0x2)","unit":"none",)="
            R"("samples":[[1,3]],"weights":[7],"startValue":0,"endValue":7}]})");
}

// The profile with most samples is shown first.
TEST(ProfilePages, OfSpeedscopeAndSeveralRecordings) {
  Recorded a, b;
  a.event(1, 0, 1).event(1, 2, 2).sample({}).sample({.id = 2});
  b.event(1, 0, 1).event(1, 2, 2).sample({}).sample({.id = 2}).sample({.id = 2});
  const Recording files[] = {a.open("a.data"), b.open("b.data")};
  const auto page = json_of(exported(files, {.format = ProfileFormat::speedscope}));
  EXPECT_EQ(page["name"].text, "a.data, b.data");
  EXPECT_EQ(page["activeProfileIndex"].whole, 3u);
  std::string names;
  for (const auto& profile : page["profiles"].items) names += profile["name"].text + "; ";
  EXPECT_EQ(names,
            "cpu-clock (PMU software, code 0x0) in a.data; "
            "page-faults (PMU software, code 0x2) in a.data; "
            "cpu-clock (PMU software, code 0x0) in b.data; "
            "page-faults (PMU software, code 0x2) in b.data; ");
}

}  // namespace
}  // namespace evname::pages_test
