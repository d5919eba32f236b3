// What perf itself makes of event texts, attribute by attribute. perf prints the attributes it
// opens even where the kernel refuses them. Skipped without a usable perf.
//
// Not compared, since perf 7.3, which is followed, reads them otherwise than perf 6.1
// (perf-facts):
//   LLC-refs-load    6.1: LLC-loads; 7.3: no event
//   Cycles           6.1: no event; 7.3: as cycles
//   read             6.1: no event; 6.12: raw code 0xead
//   cycles:W         6.1: allowed; 6.12: for groups only
//   cpu/event/       6.1: the value 1; 6.12: a value is needed, as the field has 8 bits
//   cpu/event=-1/    6.1: an error; 6.12: the value 1
//   uncore_cb*/…/    6.1: no such PMU; 6.12: each that matches
// and since perf stat, which does not sample, leaves it out:
//   cycles:P         the most precise that the CPU can sample

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/syntax/modifiers.hpp"
#include "evname/machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

/// Lines "key    value" of one perf_event_attr; absent keys are 0.
using Attr = std::map<std::string, std::uint64_t>;

const std::string_view kCompared[] = {
    "type",         "config",         "config1",    "config2",      "bp_type",
    "exclude_user", "exclude_kernel", "exclude_hv", "exclude_host", "exclude_guest",
    "exclude_idle", "pinned",         "exclusive",  "precise_ip"};

std::string printed_by(const std::string& command) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string text;
  char buffer[1 << 14];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;)
    text.append(buffer, got);
  return text;
}

/// "{ bp_addr, config1 }" is config1.
std::string key_of(std::string_view text) {
  if (text.starts_with("{ bp_addr")) return "config1";
  if (text.starts_with("{ bp_len")) return "config2";
  return std::string(text.substr(0, text.find_first_of(" \t")));
}

void read_line(std::string_view line, Attr& attr) {
  const auto gap = line.find("   ");
  if (gap == line.npos) return;
  const std::string key = key_of(line);
  if (std::find(std::begin(kCompared), std::end(kCompared), key) == std::end(kCompared)) return;
  // perf 6.10 and later add a word: "0 (PERF_TYPE_HARDWARE)".
  const std::string_view value = trim(line.substr(gap));
  attr[key] = parse_number(value.substr(0, value.find(' '))).value_or(~std::uint64_t{0});
}

/// The attributes that perf opens for this text, each once, in order. After a refusal perf tries
/// again with fewer bits; only the first attribute of each type and config counts.
std::vector<Attr> attrs_of(const std::string& perf_output) {
  std::vector<Attr> attrs;
  std::set<ConfigWords> seen;
  bool inside = false;
  for (std::string_view line : split(perf_output, '\n')) {
    if (line.starts_with("perf_event_attr:")) {
      attrs.emplace_back();
      inside = true;
    } else if (inside && line.starts_with("---")) {
      Attr& a = attrs.back();
      if (!seen.insert({a["type"], a["config"], a["config1"], a["config2"]}).second)
        attrs.pop_back();
      inside = false;
    } else if (inside) {
      read_line(trim(line), attrs.back());
    }
  }
  for (Attr& attr : attrs) std::erase_if(attr, [](const auto& field) { return field.second == 0; });
  return attrs;
}

Attr attr_of(const Encoding& e) {
  const AttrBits bits = e.modifiers.empty() ? syntax::attr_bits({}) : e.bits;
  Attr attr{{"type", e.code.has_type ? e.code.type : ~0u},
            {"config", e.code.config[0]},
            {"config1", e.code.config[1]},
            {"config2", e.code.config[2]},
            {"bp_type", e.bp_type},
            {"exclude_user", bits.exclude_user},
            {"exclude_kernel", bits.exclude_kernel},
            {"exclude_hv", bits.exclude_hv},
            {"exclude_host", bits.exclude_host},
            {"exclude_guest", bits.exclude_guest},
            {"exclude_idle", bits.exclude_idle},
            {"pinned", bits.pinned},
            {"exclusive", bits.exclusive},
            {"precise_ip", bits.precise_ip}};
  std::erase_if(attr, [](const auto& field) { return field.second == 0; });
  return attr;
}

class AgainstPerf : public testing::Test {
 protected:
  void SetUp() override {
    if (attrs_of(perf("", "page-faults")).empty()) GTEST_SKIP() << "there is no usable perf";
  }

  static std::string perf(const std::string& environment, const std::string& event) {
    return printed_by(environment + " LC_ALL=C perf stat -vv -e '" + event + "' true 2>&1");
  }

  /// perf did not count guests by default up to 6.12; 7.3 leaves them out for `:H` alone.
  static bool leaves_guests_out() {
    static const bool kLeavesOut = [] {
      int major = 0, minor = 0;
      std::sscanf(printed_by("perf --version").c_str(), "perf version %d.%d", &major, &minor);
      return std::pair(major, minor) <= std::pair(6, 12);
    }();
    return kLeavesOut;
  }

  void compare(const Machine& machine, const std::string& environment, const std::string& event) {
    const std::string said = perf(environment, event);
    const bool refused = said.find("Run 'perf list'") != said.npos;
    const auto encodings = machine.resolve(event);
    EXPECT_EQ(encodings.has_value(), !refused)
        << event << ": " << (encodings ? said : encodings.error().text());
    if (!encodings || refused) return;
    std::vector<Attr> ours;
    for (const Encoding& e : *encodings) ours.push_back(attr_of(e));
    std::vector<Attr> theirs = attrs_of(said);
    // perf opens no other event of a group if it may not count one.
    if (theirs.size() < ours.size() && said.find("failed, error -13") != said.npos) return;
    if (leaves_guests_out() && event.find_first_of("GH") == event.npos)
      for (Attr& attr : theirs) attr.erase("exclude_guest");
    std::sort(ours.begin(), ours.end());  // perf: in the order of readdir(3) for tracepoints
    std::sort(theirs.begin(), theirs.end());
    EXPECT_EQ(ours, theirs) << event;
  }
};

TEST_F(AgainstPerf, TheKernelsOwnNamesHaveTheSameAttributes) {
  const auto machine = Machine::live();
  ASSERT_TRUE(machine);
  const std::string_view events =
      "cycles cpu-cycles instructions cache-references cache-misses branches "
      "branch-instructions branch-misses bus-cycles stalled-cycles-frontend "
      "idle-cycles-frontend stalled-cycles-backend ref-cycles cpu-clock task-clock page-faults "
      "faults context-switches cs cpu-migrations migrations minor-faults major-faults "
      "alignment-faults emulation-faults cgroup-switches L1-dcache-loads L1-dcache-load-misses "
      "l1d-stores L1-icache-load-misses LLC-loads LLC-store-misses dTLB-load-misses iTLB-loads "
      "branch-loads branch-load-misses node-prefetch-misses l1i-prefetches "
      "L1-dcache iTLB-stores cycles: cycles        r1a8 rFFFFFFFFFFFFFFFF 4:0x1a8 4:1 "
      "1:2 3:0x10002 0:012 r1a8:u 2:x r12345678901234567 mem:0x1000 mem:4096:r mem:0x1000:w "
      "mem:0x1000:x mem:0x1000:rw mem:0x1000/2:w mem:0x1000/1:rw:u mem:0x1000:rr mem:0x1000:u "
      "mem:0x1000/8:k mem:x cycles:u cycles:k cycles:h cycles:uk cycles:ukh cycles:kh cycles:G "
      "cycles:H cycles:GH cycles:uG cycles:Gu cycles:uH cycles:Hk cycles:p cycles:pp cycles:ppp "
      "cycles:pu cycles:ppk cycles:pG cycles:Gp cycles:pH cycles:Hp cycles:I cycles:uI cycles:D "
      "cycles:uD cycles:S cycles:e cycles:uu cycles:pppp cycles:z page-faults:u cs:k "
      "LLC-loads:u mem:0x10:x:k page-faults/name=x/u {page-faults,cs}:u {cs}:k "
      "{cs:u,page-faults}:k {cs:k,page-faults}:G {cs:H}:u {page-faults:u}:u {cs}:p "
      "{cs,page-faults:k} {page-faults,cs}:D {page-faults,cs}:e {page-faults:ukh}:u {cs:pp}:pp";
  for (const std::string_view event : split(events, ' ')) compare(*machine, "", std::string(event));
}

// A sysfs tree made up for both, with the fields and events of perf-facts A.1 and some odd ones.
TEST_F(AgainstPerf, PmuEventsHaveTheSameAttributes) {
  const TempDir tree;
  const std::string devices = "bus/event_source/devices/";
  const std::pair<const char*, const char*> files[] = {
      {"cpu/type", "4"},
      {"cpu/format/event", "config:0-7"},
      {"cpu/format/umask", "config:8-15"},
      {"cpu/format/edge", "config:18"},
      {"cpu/format/inv", "config:23"},
      {"cpu/format/cmask", "config:24-31"},
      {"cpu/format/ldlat", "config1:0-15"},
      {"cpu/format/split", "config:0-3,60-63"},
      {"cpu/format/far", "config2:0,8,16-19"},
      {"cpu/events/cpu-cycles", "event=0x3c"},
      {"cpu/events/instructions", "event=0xc0"},
      {"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3"},
      {"cpu/events/MYUP", "event=0x22"},
      {"cpu/events/param", "event=0x44,umask=?"},
      {"cpu/events/wide", "event=0x1ff"},
      {"uncore_cbox_0/type", "20"},
      {"uncore_cbox_0/cpumask", "0"},
      {"uncore_cbox_0/format/event", "config:0-7"},
      {"uncore_cbox_0/events/clockticks", "event=0xff"},
      {"uncore_cbox_1/type", "21"},
      {"uncore_cbox_1/cpumask", "0"},
      {"uncore_cbox_1/format/event", "config:0-7"},
      {"uncore_cbox_1/events/clockticks", "event=0xff"},
      {"msr/type", "9"},
      {"msr/format/event", "config:0-63"},
      {"msr/events/tsc", "event=0x00"},
      {"msr/events/aperf", "event=0x01"},
      {"software/type", "1"},
  };
  for (const auto& [name, text] : files) tree.write(devices + name, std::string(text) + "\n");
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  const std::string environment = "SYSFS_PATH=" + tree.path() + " PERF_CPUID=GenuineIntel-6-55-4";
  const std::string_view events =
      "cpu/event=0x3c,umask=0x1/ cpu/split=0xff/ cpu/split=0x5a/ cpu/far=0x2b/ cpu/edge/ "
      "cpu/edge=1,edge=0/ cpu/event=0x3c,event=1/ cpu/param,umask=5/ cpu/param/ cpu/wide/ "
      "cpu/event=0x1ff/ cpu/EVENT=1/ cpu/foo=1/ cpu/mem-loads,ldlat=30/ "
      "cpu/mem-loads,ldlat=30/pp cpu/mem-loads/uk mem-loads mem-loads:u cpu/MYUP/ cpu/myup/ "
      "cpu/event=cpu-cycles/ cpu/config=0x1234,umask=0xff/ cpu/umask=0xff,config=0x1234/ "
      "cpu/event=1,config1=5,ldlat=8/ cpu/config2=0x7/ cpu/event=1,cmask=2,inv/k cpu/event=1/:u "
      "cpu/event=1/D cpu/event=1,name=x/uD cpu/event=1,/ cpu/event=012/ cpu/r1a8/ "
      "cpu/r1a8,edge/ cpu        ,        ,        ,        ,        ,         ,        , "
      ",        ,";
  for (const std::string_view event : split(events, ' '))
    compare(*machine, environment, std::string(event));
}

TEST_F(AgainstPerf, TracepointsHaveTheSameAttributes) {
  if (!is_directory("/sys/kernel/tracing/events/sched")) GTEST_SKIP() << "tracefs can't be read";
  const auto machine = Machine::live();
  ASSERT_TRUE(machine);
  for (const char* event : {"sched:sched_switch", "sched:sched_switch:u", "sched:sched_process_*",
                            "sch*:sched_wakeup", "sched:nope", "nope:*", "sched:sched_switch:"})
    compare(*machine, "", std::string(event));
}

}  // namespace
}  // namespace evname::test
