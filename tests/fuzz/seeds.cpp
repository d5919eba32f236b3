// Writes the seed corpora: seeds DIRECTORY RECORDING… makes DIRECTORY/TARGET/NAME.

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "support/perf_file.hpp"

namespace {

using evname::test::AttrSpec;
using evname::test::BytesOut;
using evname::test::PerfFile;
namespace fs = std::filesystem;

constexpr std::uint64_t kAllFields = 0x1ffffff & ~(1u << 14);  // WEIGHT_STRUCT instead of WEIGHT

class Writer {
 public:
  explicit Writer(fs::path root) : root_(std::move(root)) {}

  void operator()(const std::string& target, std::string_view bytes) {
    fs::create_directories(root_ / target);
    const std::string name = "seed-" + std::to_string(count_++);
    std::ofstream(root_ / target / name, std::ios::binary) << bytes;
  }

 private:
  fs::path root_;
  std::size_t count_ = 0;
};

std::string full_sample(std::endian order) {
  BytesOut out(order);
  out.u64(1).u64(0x1000).u32(5).u32(5).u64(77).u64(0x2000).u64(1).u64(2).u32(0).u32(0).u64(100);
  out.u64(1).u64(3).u64(1);                        // READ: group of one, with id
  out.u64(2).u64(0x1000).u64(0x2000);              // CALLCHAIN
  out.u32(4).u32(0);                               // RAW
  out.u64(1).u64(0xa).u64(0xb).u64(1);             // BRANCH_STACK
  out.u64(2).u64(7).u64(8);                        // REGS_USER, two of them
  out.u64(8).u64(0).u64(8);                        // STACK_USER
  out.u64(9).u64(10).u64(11);                      // WEIGHT_STRUCT, DATA_SRC, TRANSACTION
  out.u64(2).u64(7).u64(8);                        // REGS_INTR
  out.u64(12).u64(13).u64(4096).u64(4096).u64(0);  // PHYS_ADDR … AUX
  return out.str();
}

AttrSpec full_attr() {
  return {.type = 4,
          .config = 0x11,
          .sample_type = kAllFields,
          .read_format = 12,
          .regs_user = 3,
          .regs_intr = 3,
          .ids = {1}};
}

std::string string_list(std::endian order, std::initializer_list<std::string_view> texts) {
  BytesOut out(order);
  out.u32(static_cast<std::uint32_t>(texts.size()));
  for (std::string_view text : texts) out.string(text);
  return out.str();
}

// A content each that a decoder goes through whole.
std::vector<std::pair<int, std::string>> features(std::endian order) {
  const auto out = [order] { return BytesOut(order); };
  const std::string attr = evname::test::attr_bytes(full_attr(), order);
  return {
      {1, std::string("\x17\x08\x44tracing0.6\0", 14) + out().u8(0).u8(8).u32(4096).str() +
              std::string("header_page\0", 12) + BytesOut().u64(0).str() +
              std::string("header_event\0", 13) + BytesOut().u64(0).u32(0).u32(1).str() +
              std::string("sched\0", 6) + BytesOut().u32(1).u64(49).str() +
              "name: sched_switch\nID: 316\nformat:\n\tfield:int a;\t"},
      {2, out().u32(0).u16(0x8002).u16(100).u32(0xffffffff).pad(24).raw("/bin/true").pad(55).str()},
      {3, out().string("host").str()},
      {9, out().string("GenuineIntel,6,85,4").str()},
      {7, out().u32(2).u32(2).str()},
      {10, out().u64(1 << 20).str()},
      {11, string_list(order, {"perf", "record"})},
      {12, out().u32(1).u32(136).raw(attr).u32(1).string("cycles").u64(1).str()},
      {13,
       string_list(order, {"0-1"}) + string_list(order, {"0", "1"}) +
           out().u32(0).u32(0).u32(1).u32(0).raw(string_list(order, {"0-1"})).u32(0).u32(0).str()},
      {14, out().u32(1).u32(0).u64(1).u64(1).string("0-1").str()},
      {16, out().u32(1).u32(4).string("cpu").str()},
      {17, out().u32(1).string("{anon_group}").u32(0).u32(2).str()},
      {18, out().u64(1).u64(0).u64(48).str()},
      {20, out()
               .u32(1)
               .u32(1)
               .u32(1)
               .u32(64)
               .u32(64)
               .u32(8)
               .string("Data")
               .string("32K")
               .string("0")
               .str()},
      {21, out().u64(1).u64(2).str()},
      {22, out().u64(1).u64(1 << 27).u64(1).u64(0).u64(8).u64(8).u64(0xff).str()},
      {23, out().u64(1).str()},
      {25, out().u32(1).u32(8).u32(8).u64(1).u64(0).u64(0).str()},
      {26, out().u32(1).u32(1).u32(4).u32(0).str()},
      {27, out().u32(0).u32(1).u32(1).u32(6).u32(0x81000).str()},
      {28, out().u32(1).string("max_precise").string("3").str()},
      {32, out().u32(17).u32(1).u32(0).u32(1).u32(0).string("SMT").string("3").string("0-1").str()},
      {33, out().u32(62).u32(0).str()},
      {29, out().u32(1).u32(1).u64(1).u64(2).str()},
      {30, out().u32(1).string("cpu_core").string("0-7").str()},
      {31, out().u32(1).u32(1).string("max_precise").string("3").string("cpu_core").str()},
  };
}

PerfFile recording(std::endian order) {
  PerfFile file(order);
  file.event(full_attr()).event({.type = 1, .sample_type = 0x10007, .ids = {2}});
  for (const auto& [number, content] : features(order)) file.feature(number, content);
  const std::string trailer =
      BytesOut(order).u32(5).u32(5).u64(70).u64(1).u64(2).u32(0).u32(0).u64(1).str();
  file.record(3, file.out().u32(5).u32(5).padded("comm").raw(trailer).str());
  file.record(9, full_sample(order)).record(2, file.out().u64(1).u64(7).raw(trailer).str());
  file.record(78, file.out().u64(2).u64(2).padded("name").str()).record(68, "");
  return file;
}

/// What `perf stat record` writes: THREAD_MAP, STAT_CONFIG, STAT and STAT_ROUND.
PerfFile stat_recording(std::endian order) {
  PerfFile file(order);
  file.event({.type = 1, .config = 2, .ids = {11, 12}});
  file.record(73, file.out().u64(1).u64(7).raw("sleep").pad(11).str());
  file.record(75, file.out().u64(2).u64(0).u64(0).u64(1).u64(100).str());
  for (std::uint64_t round = 1; round < 3; ++round) {
    for (std::uint32_t cpu = 0; cpu < 2; ++cpu)
      file.record(76, file.out().u64(11 + cpu).u32(cpu).u32(0).u64(round).u64(9).u64(5).str());
    file.record(77, file.out().u64(0).u64(round * 100).str());
  }
  return file;
}

void write_texts(Writer& write) {
  using namespace std::string_literals;
  for (const char* text : {"cycles:u", "{mem_load_retired.l3_miss,cpu/event=0xd1,umask=0x20/pp}:S",
                           "r1a8", "mem:0x1000/4:rw", "L1-dcache-load-misses", "sched:sched_switch",
                           "cpu/r20d1,name=label,period=7/", "4:0x20d1", "unc_cha_clockticks",
                           "cpu_core/cycles/,cpu_atom/cycles/", "config=1"})
    for (char machine = 0; machine < 4; ++machine) write("syntax", machine + std::string(text));
  write("sysfs",
        "4\0"
        "0-3\0"
        "alias\0"
        "id\0"
        "skl\0"
        "config:0-7\0"
        "config:8-15\0"
        "config1:0-7,32-35\0"
        "event=0x3c\0"
        "event=1,umask=?,long\0"
        "1e-3\0"
        "MB\0"
        "1\0"
        "0\0"
        "cpu/plain,long=3/"s);
  for (const char* text :
       {"100 * (a / 4 if #SMT_on else b) - -1.5e-3 % 2", "min(a, max(b, d_ratio(1, 0))) < 2 > 1",
        "cpu@event\\=0x3c\\,cmask\\=?@ / source_count(uncore_imc@cas@) | a & b ^ NaN",
        "a if strcmp_cpuid_str(0x41) else b if has_event(dash\\-event) else #num_cpus"})
    for (const double value : {0.0, 3.0, std::numeric_limits<double>::quiet_NaN()})
      write("metric", std::string(reinterpret_cast<const char*>(&value), sizeof value) + text);
  for (
      const char* text :
      {"# started\n\n0.90,msec,task-clock,904310,100.00,0.008,CPUs utilized\n,,,,,1.5,M/sec\n",
       "     1.5,CPU0,7,,inst_retired.any,9,50.00,,\n     1.5,CPU1,<not "
       "counted>,,cycles,0,0.00,,\n",
       "S0-D0-C1;2;1e3;ns;duration_time;0.50%;9;100.00;;\n12;;cpu/event=0x3c,cmask=1/"
       "u;a.slice;9;1\n",
       R"({"interval" : 1.5, "core" : "S0", "counter-value" : "1.5", "unit" : "", "event" : "r1"})"})
    write("counts", text);
  write("topic", R"([{"EventName":"A.B","EventCode":"0x3c,0x3d","UMask":"0x1","CounterMask":"1",
      "Invert":"1","SampleAfterValue":"2000003","BriefDescription":"text \u00e9","MSRIndex":"0x1a6",
      "MSRValue":"0x1","Unit":"CHA"},{"ArchStdEvent":"STD"},{"MetricName":"m","MetricExpr":"A / B"}])");
  write("topic", "[{\"EventName\":\"\xf0");  // ends within a character
  write("mapfile",
        "Family-model,Version,Filename,EventType\n# comment\n"
        "GenuineIntel-6-(55|6A)-[01234],v1,\"sky,lakex\",core\n0x00000000410fd0c0,v1,n1,core\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Writer write(argv[1]);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const char flag = order == std::endian::big;
    write("file", recording(order).file());
    write("file", stat_recording(order).file());
    write("pipe", recording(order).pipe().substr(16));
    for (const auto& [number, content] : features(order))
      write("feature", std::string{static_cast<char>(number), flag} + content);
    write("record",
          evname::test::attr_bytes(full_attr(), order) + flag + recording(order).records());
  }
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    write("file", std::string{std::istreambuf_iterator<char>(in), {}});
  }
  write_texts(write);
  return 0;
}
