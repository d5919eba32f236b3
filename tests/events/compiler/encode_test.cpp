// Expected term strings are from jevents.py of Linux 6.12 or 7.3 on the same input.
#include <map>

#include "events/compiler/entry.hpp"
#include "tree_fixture.hpp"

namespace evname::compiler {
namespace {

struct TermCase {
  const char* entry;
  const char* terms;
};

class Encode : public TreeTest {};

TEST_F(Encode, WritesTermsInJeventsOrderAndSpelling) {
  const TermCase cases[] = {
      {R"("EventCode":"0x3C","UMask":"0x01","SampleAfterValue":"200003","CounterMask":"0x10",
          "Invert":"1","EdgeDetect":"1","AnyThread":"1","PortMask":"0x0f","FCMask":"0x07",
          "Filter":"occ_sel=1","MSRIndex":"0x1a6","MSRValue":"0x10001")",
       "event=0x3c,any=1,ch_mask=0xf,cmask=0x10,edge=1,fc_mask=7,inv=1,period=200003,umask=1,"
       "occ_sel=1,offcore_rsp=0x10001"},
      {R"("EventCode":"0x9")", "event=9"},
      {R"("EventCode":"10")", "event=0xa"},
      {R"("EventCode":"0xB7, 0xBB","UMask":"0x1")", "event=0xb7,umask=1"},
      {R"("UMask":"0x1")", "event=0,umask=1"},
      {R"("EventCode":"0x1","ExtSel":"2")", "event=0x201"},
      {R"("EventCode":"0x1","ConfigCode":"0x8000000000000000")", "config=0x8000000000000000"},
      {R"("EventidCode":"0x2","NodeType":"0x5")", "eventid=2,type=5"},
      {R"("LegacyConfigCode":"9")", "legacy-hardware-config=9"},
      {R"("LegacyCacheCode":"0x010002")", "legacy-cache-config=0x10002"},
      {R"("ConfigCode":"1","LegacyConfigCode":"9")", "config=1"},
      {R"("EventCode":"1","UMask":"16","SampleAfterValue":"0x10")", "event=1,period=0x10,umask=16"},
      {R"("EventCode":"1","UMask":" 12 ")", "event=1,umask=12"},
      {R"("EventCode":"1","UMask":"0x00","CounterMask":"0")", "event=1"},
      {R"("EventCode":"1","EnAllCores":"1","EnAllSlices":"1","SliceId":"3","ThreadMask":"3")",
       "event=1,enallcores=1,enallslices=1,sliceid=3,threadmask=3"},
      {R"("EventCode":"1","RdWrMask":"0x1")", "event=1,rdwrmask=1"},
      {R"("EventCode":"1","Filter":"config1=0x040e33")", "event=1,config1=0x040e33"},
      {R"("EventCode":"1","Filter":"filter_opc=0x1c8,filter_tid=0x3e")",
       "event=1,filter_opc=0x1c8,filter_tid=0x3e"},
  };
  for (const TermCase& c : cases) EXPECT_EQ(terms_of(c.entry), c.terms) << c.entry;
}

TEST_F(Encode, MapsMsrIndexesToTheirFields) {
  const TermCase cases[] = {
      {R"("EventCode":"1","MSRIndex":"0x3F6","MSRValue":"0x80")", "event=1,ldlat=0x80"},
      {R"("EventCode":"1","MSRIndex":"0x1A7","MSRValue":"0x0000000001")",
       "event=1,offcore_rsp=0x0000000001"},
      {R"("EventCode":"1","MSRIndex":"0x1a6, 0x1a7","MSRValue":"0x0")", "event=1,offcore_rsp=0x0"},
      {R"("EventCode":"1","MSRIndex":"0x3F7","MSRValue":"0x11")", "event=1,frontend=0x11"},
      {R"("EventCode":"0xd6","MSRIndex":"0x3E0,0x3E1,0x3E2,0x3E3","MSRValue":"0x4d00")",
       "event=0xd6,offcore_rsp=0x4d00"},
      {R"("EventCode":"0x2a","UMask":"0x01,0x02","MSRIndex":"0x1a6,0x1a7","MSRValue":"0x10")",
       "event=0x2a,umask=1,offcore_rsp=0x10"},
      {R"("EventCode":"1","MSRIndex":"","MSRValue":"0x11")", "event=1"},
      {R"("EventCode":"1","MSRIndex":"0x00","MSRValue":"0x00")", "event=1"},
  };
  for (const TermCase& c : cases) EXPECT_EQ(terms_of(c.entry), c.terms) << c.entry;
}

TEST_F(Encode, PutsUMaskExtAboveTheUnitMaskUnlessAPortIsMasked) {
  // The rule of intel/perfmon's create_perf_json.py.
  const TermCase cases[] = {
      {R"("EventCode":"0x35","UMask":"0xFF","UMaskExt":"0x00C001")", "event=0x35,umask=0xc001ff"},
      {R"("EventCode":"0x35","UMaskExt":"0x1")", "event=0x35,umask=0x100"},
      {R"("EventCode":"0x83","UMask":"0x1","UMaskExt":"0x70","PortMask":"0x1","FCMask":"0x07")",
       "event=0x83,ch_mask=1,fc_mask=7,umask=1"},
  };
  for (const TermCase& c : cases) EXPECT_EQ(terms_of(c.entry), c.terms) << c.entry;
}

TEST_F(Encode, GivesSomeNamesTheirFixedEncoding) {
  topic(R"([{"EventName":"INST_RETIRED.ANY","EventCode":"0x0","UMask":"1"},
            {"EventName":"CPU_CLK_UNHALTED.REF","EventCode":"0x7"},
            {"EventName":"INST_RETIRED","EventCode":"0x8"}])");
  EXPECT_EQ(rows(),
            (Strings{"default_core cpu_clk_unhalted.ref event=0x0,umask=0x03,period=2000003",
                     "default_core inst_retired event=8",
                     "default_core inst_retired.any event=0xc0,period=2000003"}));
}

// Input that stops jevents.py is handled if its meaning is plain.
TEST_F(Encode, TakesNumbersAndBooleansThatAreNotStrings) {
  EXPECT_EQ(
      terms_of(R"("EventCode":60,"UMask":1,"EdgeDetect":true,"Invert":false,"AnyThread":null)"),
      "event=0x3c,edge=1,umask=1");
  EXPECT_EQ(said(), Strings{});
  EXPECT_EQ(terms_of(R"("EventCode":"0X3C","UMask":" 0x1")"), "event=0x3c,umask=1");
}

TEST_F(Encode, AMissingMsrValueMeansZeroAndIsReported) {
  EXPECT_EQ(terms_of(R"("EventCode":"0xb","MSRIndex":"0x3F6")"), "event=0xb,ldlat=0");
  EXPECT_EQ(said(), Strings{"topic.json:1: warning: E: MSRIndex: no MSRValue; 0 is meant"});
}

struct Rejected {
  const char* entry;
  const char* message;
};

TEST_F(Encode, RejectsWhatHasNoMeaningWithFileLineEventAndKey) {
  const Rejected cases[] = {
      {"\n\"UMask\":\"z,0x1\"", "topic.json:2: error: E: UMask: 'z,0x1' is not a number"},
      {"\"EventCode\":\"x\"", "topic.json:1: error: E: EventCode: 'x' is not a number"},
      {"\"EventCode\":\"-1\"", "topic.json:1: error: E: EventCode: '-1' is not a number"},
      {"\"EventCode\":\"0x10000000000000000\"",
       "topic.json:1: error: E: EventCode: '0x10000000000000000' is not a number"},
      {"\"MSRIndex\":\"0x123\",\"MSRValue\":\"1\"",
       "topic.json:1: error: E: MSRIndex: no term is known for MSR 0x123"},
  };
  for (const Rejected& c : cases) {
    EXPECT_EQ(terms_of(c.entry), "") << c.entry;
    EXPECT_EQ(said(), Strings{c.message});
  }
}

TEST_F(Encode, ReportsValuesTooWideForTheirField) {
  EXPECT_EQ(terms_of(R"("EventCode":"1","CounterMask":"0x100","EdgeDetect":"2")"),
            "event=1,cmask=0x100,edge=2");
  EXPECT_EQ(said(),
            (Strings{"topic.json:1: warning: E: CounterMask: 0x100 needs 9 bits, the field has 8",
                     "topic.json:1: warning: E: EdgeDetect: 0x2 needs 2 bits, the field has 1"}));
}

// tools/perf/pmu-events/make_legacy_cache.py of Linux 7.3 writes 1,216 names; these are not
// deprecated.
TEST(LegacyCache, HasTheNamesAndCodesOfPerf) {
  const std::map<std::string, std::uint64_t> expected = {
      {"branch-load-misses", 0x10005},        {"branch-loads", 0x5},
      {"dtlb-load-misses", 0x10003},          {"dtlb-loads", 0x3},
      {"dtlb-prefetch-misses", 0x10203},      {"dtlb-prefetches", 0x203},
      {"dtlb-store-misses", 0x10103},         {"dtlb-stores", 0x103},
      {"itlb-load-misses", 0x10004},          {"itlb-loads", 0x4},
      {"l1-dcache-load-misses", 0x10000},     {"l1-dcache-loads", 0x0},
      {"l1-dcache-prefetch-misses", 0x10200}, {"l1-dcache-prefetches", 0x200},
      {"l1-dcache-store-misses", 0x10100},    {"l1-dcache-stores", 0x100},
      {"l1-icache-load-misses", 0x10001},     {"l1-icache-loads", 0x1},
      {"l1-icache-prefetch-misses", 0x10201}, {"l1-icache-prefetches", 0x201},
      {"llc-load-misses", 0x10002},           {"llc-loads", 0x2},
      {"llc-prefetch-misses", 0x10202},       {"llc-prefetches", 0x202},
      {"llc-store-misses", 0x10102},          {"llc-stores", 0x102},
      {"node-load-misses", 0x10006},          {"node-loads", 0x6},
      {"node-prefetch-misses", 0x10206},      {"node-prefetches", 0x206},
      {"node-store-misses", 0x10106},         {"node-stores", 0x106}};
  std::map<std::string, std::uint64_t> current;
  std::uint64_t codes = 0, letters = 0;
  const std::vector<Entry> all = legacy_cache_entries();
  for (const Entry& entry : all) {
    ASSERT_EQ(entry.terms.size(), 1u) << entry.name;
    EXPECT_EQ(entry.terms[0].name, "legacy-cache-config");
    codes += entry.terms[0].number;
    letters += entry.name.size();
    if ((entry.flags & tables::kDeprecated) == 0) current[entry.name] = entry.terms[0].number;
  }
  EXPECT_EQ(all.size(), 1216u);
  EXPECT_EQ(codes, 22998169u);
  EXPECT_EQ(letters, 22446u);
  EXPECT_EQ(current, expected);
}

}  // namespace
}  // namespace evname::compiler
