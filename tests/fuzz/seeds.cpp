// Writes the seed corpora: seeds DIRECTORY FILE… makes DIRECTORY/TARGET/NAME. The files are
// recordings, and ELF files of x86-64 (x86*.so) and other architectures (*.so).

#include <fstream>
#include <string>
#include <vector>

#include "fuzz/seed_writer.hpp"
#include "support/event_tables.hpp"
#include "support/packed_names.hpp"
#include "support/perf_file.hpp"
#include "support/simpleperf.hpp"

namespace {

using evname::test::AttrSpec;
using evname::test::BytesOut;
using evname::test::PerfFile;

constexpr std::uint64_t kAllFields = 0x1ffffff & ~(1u << 14);  // WEIGHT_STRUCT instead of WEIGHT

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

/// What the hardware sampled: registers of AMD's IBS, and counts of branches.
PerfFile hardware(std::endian order) {
  PerfFile file(order);
  const auto out = [order] { return BytesOut(order); };
  constexpr std::uint64_t kType = 0x10000 | 2 | 4, kRaw = 1 << 10, kRead = 1 << 4;
  file.event({.type = 11, .sample_type = kType | kRaw, .ids = {1}});
  file.event({.type = 12, .sample_type = kType | kRaw, .ids = {2}});
  file.event({.type = 4,
              .sample_type = kType | kRead | 1 << 11,
              .read_format = 31,
              .branch_type = 1 << 19 | 8,
              .ids = {3}});
  file.feature(9, out().string("AuthenticAMD,26,80,1").str());
  file.feature(16, out().u32(2).u32(11).string("ibs_op").u32(12).string("ibs_fetch").str());
  file.feature(17, out().u32(1).string("{anon_group}").u32(2).u32(1).str());
  file.feature(28, out().u32(1).string("branch_counter_width").string("2").str());
  file.feature(31, out().u32(1).u32(1).string("dtlb_pgsize").string("1").string("ibs_op").str());
  const auto head = [&](std::uint64_t id) { return out().u64(id).u32(5).u32(5).u64(70 + id); };
  // Bits of the registers say that there is everything that they can have.
  BytesOut op = head(1).u32(68).u32(0x1ffff), fetch = head(2).u32(36).u32(0x1ffff);
  for (int i = 0; i < 8; ++i) op.u64(0x1234'0026'0066'8161);
  for (int i = 0; i < 4; ++i) fetch.u64(0x2417'0020'0010'0010);
  file.record(9, op.str()).record(9, fetch.str());
  BytesOut branches = head(3).u64(1).u64(9).u64(8).u64(1000).u64(3).u64(0);
  branches.u64(2).u64(0xa).u64(0xb).u64(2).u64(0xc).u64(0xd).u64(1).u64(3).u64(0);
  file.record(9, branches.str());
  return file;
}

/// A frame of zstd that holds the bytes as they are: RFC 8878.
std::string zstd(const std::string& bytes) {
  const auto header = static_cast<std::uint32_t>(bytes.size() << 3 | 1);
  BytesOut out(std::endian::little);
  out.u32(0xfd2fb528).u8(0).u8(0x38).u16(header & 0xffff).u8(header >> 16 & 0xff).raw(bytes);
  return out.str();
}

/// Records that are packed: whole, with a gap, cut off, and followed by others that are.
PerfFile packed_records(std::endian order) {
  PerfFile file = recording(order);
  PerfFile inside(order);
  inside.record(9, full_sample(order), 2).record(68, "");
  const std::string records = inside.records(), gap("\1\2\3\4\5\6\7", 8);
  for (const std::string& plain :
       {records + gap + records + records, records, records.substr(0, 100), gap, records}) {
    const std::string packed = zstd(plain);
    file.record(81, packed);
    file.record(83, file.out().u64(packed.size()).raw(packed).pad(8 - packed.size() % 8).str());
    file.record(81, packed.substr(0, 9) + "broken").record(81, "");
  }
  return file;
}

// A record of every type, one after the other, with the fields of include/uapi/linux/perf_event.h.
void add_records(PerfFile& file, const std::string& trailer) {
  const auto add = [&](std::uint32_t type, const BytesOut& body, std::uint16_t misc = 2) {
    file.record(type, body.str() + trailer, misc);
  };
  const auto mmap = [&](std::uint64_t start, std::string_view name) {
    return file.out().u32(5).u32(5).u64(start).u64(0x1000).u64(start).padded(name);
  };
  for (const std::string_view name : {"[kernel.kallsyms]_text", "[kernel.kallsyms]", "/m.ko"})
    add(1, mmap(0xffffffff81000000, name), 1);
  for (const std::string_view name : {"/bin/true", "//anon", "[vdso]", "/tmp/jit-5.dump", "[heap]"})
    add(1, mmap(0x1000, name));
  add(1, mmap(0x1400, "/inside"));
  const auto mmap2 = [&](std::uint32_t flags) {
    return file.out()
        .u32(5)
        .u32(5)
        .u64(0x400000)
        .u64(0x2000)
        .u64(0)
        .u8(20)
        .pad(3)
        .raw("0123456789abcdefghij")
        .u32(5)
        .u32(flags)
        .padded("/usr/bin/x");
  };
  add(10, mmap2(2), 0x4002);
  add(10, mmap2(0x40000));
  add(10, mmap2(2), 0x4001);
  add(7, file.out().u32(6).u32(5).u32(6).u32(5).u64(70));
  add(7, file.out().u32(5).u32(5).u32(7).u32(5).u64(70));
  add(7, file.out().u32(8).u32(9).u32(8).u32(9).u64(70));
  add(1, file.out().u32(6).u32(6).u64(0x1000).u64(0x800).u64(0).padded("/copied"));
  add(4, file.out().u32(6).u32(5).u32(6).u32(5).u64(70));
  add(5, file.out().u64(70).u64(1).u64(1));
  add(6, file.out().u64(70).u64(1).u64(1));
  add(11, file.out().u64(0).u64(8).u64(1));
  add(12, file.out().u32(5).u32(5));
  add(13, file.out().u64(3));
  add(13, file.out().u64(3), 1 << 15);
  add(14, file.out());
  add(15, file.out().u32(5).u32(5));
  add(17, file.out().u64(0xffffffffc0000000).u32(64).u16(1).u16(0).padded("bpf_prog"));
  add(18, file.out().u16(1).u16(0).u32(3).u64(7));
  add(19, file.out().u64(13).padded("/user.slice"));
  add(21, file.out().u64(1));
  add(22, file.out().u64(9).u64(2).u64(0x1000).u64(0x2000));
  file.record(
      84, file.out().raw("program").pad(505).u64(1).raw("key").pad(61).raw("value").pad(251).str());
  file.record(79, file.out().u64(1).u64(2).u64(3).u64(4).u64(5).u64(6).str());
  file.record(67, file.out().u32(0).raw("0123456789abcdefghij").u32(0).padded("/bin/true").str());
  file.record(71, file.out().u64(8).u64(0).u64(0).u32(0).u32(5).u32(0).u32(0).str())
      .raw("auxtrace");
  file.record(66, file.out().u32(8).u32(0).str()).raw("12345678");
  file.record(83, file.out().u64(8).raw("notzstd!").str());
  file.record(81, "notzstd!");
  // Data that are longer than the size in the header says, as early writers had it.
  file.raw(file.out().u32(83).u16(0).u16(16).u64(24).pad(24).str());
}

PerfFile all_records(std::endian order) {
  PerfFile file(order);
  file.event(full_attr()).event({.type = 1, .sample_type = 0x10007, .ids = {2}});
  for (const auto& [number, content] : features(order)) file.feature(number, content);
  add_records(file, BytesOut(order).u32(5).u32(5).u64(70).u64(1).u64(2).u32(0).u32(0).u64(1).str());
  file.record(9, full_sample(order), 2).record(68, "");
  file.raw("\1\2\3\4\5\6\7\1")
      .record(68, "")
      .record(68, "")
      .record(9, full_sample(order), 2);  // a gap
  return file;
}

/// Operations of SPE with every header.
std::string spe_packets() {
  std::string data;
  for (unsigned header = 0; header < 256; ++header)
    for (const char payload : {'\0', '\x06', '\x1b'}) {
      data += std::string("\xb0\0\x10\x40\0\0\0\0\x80", 9);
      data += static_cast<char>(header % 4 < 2 ? 0x49 : 0x48 + header % 3);
      data += static_cast<char>(header % 4 < 2 ? header % 2 : header / 4);
      data += static_cast<char>(header);
      data += std::string(8, payload);
      data +=
          BytesOut(std::endian::little).u8(0x62).u32(1u << header % 27 | 1u << header % 7).str();
      data += BytesOut(std::endian::little).u8(0x71).u64(header * 7).str();
      if (header % 8 == 0) data += '\1';
    }
  return data;
}

/// An input of ring_fuzz.cpp: records that are written into two buffers, part by part, and a trace
/// into the area of one.
std::string ring(std::uint8_t bits, std::uint64_t place, std::size_t step, char lie,
                 bool has_trace) {
  constexpr std::endian kOrder = std::endian::native;
  PerfFile records(kOrder);
  records.record(9, full_sample(kOrder), 2);
  add_records(records,
              BytesOut(kOrder).u32(5).u32(5).u64(70).u64(1).u64(2).u32(0).u32(0).u64(1).str());
  records.record(9, full_sample(kOrder), 2);
  BytesOut out(kOrder);
  out.raw(evname::test::attr_bytes(full_attr(), kOrder))
      .u8(has_trace ? 3 : 1)
      .u8(bits)
      .u64(place)
      .u64(0);
  const std::string& all = records.records();
  for (std::size_t at = 0; at < all.size(); at += step) {
    const std::string part = all.substr(at, step);
    out.u8(at % (step * 3) == 0)
        .u16(static_cast<std::uint16_t>(part.size()))
        .raw(part)
        .raw({&lie, 1});
  }
  const std::string trace = has_trace ? spe_packets() : std::string();
  for (std::size_t at = 0; at < trace.size(); at += step * 3) {
    const std::string part = trace.substr(at, step * 3);
    out.u8(2).u16(static_cast<std::uint16_t>(part.size())).raw(part).raw({&lie, 1});
  }
  return out.str();
}

/// An input of spe_fuzz.cpp: packets with every header, in two queues.
std::string spe(std::endian order, std::string_view letters, std::uint8_t how, bool is_version_1) {
  PerfFile file(order);
  file.record(79, file.out().u64(4).u64(160).u64(9).u64(5).u64(0xffff).u8(1).u8(1).pad(6).str());
  BytesOut info = file.out().u32(4).u32(0);
  if (is_version_1) {
    info.u64(10).u64(1);
  } else {
    info.u64(2).u64(4).u64(10).u64(2);
    for (const std::uint64_t midr : {0x410fd0c0U, 0xc00fac40U})
      info.u64(0x1010).u64(midr >> 31).u64(4).u64(midr).u64(10).u64(1024).u64(UINT64_MAX);
  }
  file.record(70, info.str());
  const std::string data = spe_packets();
  std::uint64_t at = 0;
  for (std::uint32_t piece = 0; piece < 8; ++piece) {
    const std::string part = data.substr(at, data.size() / 8 + 3);
    const std::uint32_t queue = piece / 2;
    file.record(
        71, file.out().u64(part.size()).u64(at).u64(0).u32(queue).u32(5).u32(queue).u32(0).str());
    file.raw(part);
    at += part.size();
  }
  return std::string(letters) + '\0' + static_cast<char>(how) + file.records();
}

/// Events that only their codes name; with a feature table, or cut off.
PerfFile unnamed(std::endian order) {
  PerfFile file(order);
  file.event({.type = 4, .config = 0x20d1, .sample_type = 0x10007, .ids = {1}});
  file.event({.type = 4, .config = 0x3c, .sample_type = 0x10007, .ids = {2}});
  file.feature(6, file.out().string("x86_64").str());
  file.feature(9, file.out().string("GenuineIntel,6,85,4").str());
  for (std::uint64_t i = 0; i < 20; ++i)
    file.record(9, file.out().u64(1 + i % 2).u64(0x1000).u32(5).u32(5).u64(70 + i).str(), 2);
  file.record(2, file.out().u64(1).u64(7).u32(5).u32(5).u64(99).u64(1).str());
  return file;
}

/// Samples in any order of time, more than order_fuzz.cpp leaves in memory, with rounds and a gap
/// or without.
PerfFile shuffled(std::endian order, bool rounds) {
  PerfFile file(order);
  file.event({.type = 1, .sample_type = 0x10007, .ids = {1}});
  file.event({.type = 1, .config = 1, .sample_type = 0x10007, .ids = {2}});
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t time = i * 37 % 301 + (rounds ? i / 100 * 301 : 0) + 1;
    file.record(9, file.out().u64(1 + i % 2).u64(0x1000).u32(5).u32(5).u64(time).str(), 2);
    if (i % 50 == 0)
      file.record(3, file.out().u32(5).u32(5).padded("c").u32(5).u32(5).u64(time).u64(1).str());
    if (rounds && i % 100 == 99) file.record(68, "");
    if (rounds && i == 150) file.raw("\1\2\3\4\5\6\7\1");
  }
  return file;
}

/// The same, packed.
PerfFile shuffled_and_packed(std::endian order) {
  PerfFile file(order);
  file.event({.type = 1, .sample_type = 0x10007, .ids = {1}});
  const std::string records = shuffled(order, false).records();
  for (std::size_t at = 0; at < records.size(); at += 3000)
    file.record(81, zstd(records.substr(at, 3000)));
  return file;
}

/// What simpleperf records: functions of files, names of events, and records in pieces.
std::vector<std::pair<int, std::string>> simpleperf_features(std::endian order) {
  using namespace evname::test;
  constexpr char kInfo[] = "event_type_info\0cpu-cycles,0,0\nsched:sched_switch,2,316";
  const std::vector<SimpleperfFile> files{
      {"/bin/true", kOfElf, 0x1000, 0x1000, {{0x1010, 8, "_Z1fv"}, {0x1020, 8, "__dl_g"}}},
      {"/app/a.vdex", kOfDex, 0, {}, {{0x20, 4, "A.run"}}},
      {"/m.ko", kOfModule, 0, 0, {{0x10, 4, "probe"}}},
      {"perf-5.map", kOfSymbolMap, 0, {}, {{0x7010, 4, "jit"}}}};
  return {{128, file_list(order, files)},
          {129, std::string(kInfo, sizeof kInfo)},
          {132, file_messages(order, files)}};
}

PerfFile simpleperf(std::endian order, int functions) {
  PerfFile file(order);
  file.event({.type = 0, .sample_type = 0x10007, .ids = {1}});
  file.event({.type = 2, .config = 316, .sample_type = 0x10007, .ids = {2}});
  for (const auto& [number, content] : simpleperf_features(order))
    if (number == 129 || number == functions) file.feature(number, content);
  const std::string formats = features(order).front().second, symbols = "ff81000000 T _text\n";
  const auto sized = [&](const std::string& text) {
    return file.out().u32(static_cast<std::uint32_t>(text.size())).raw(text).pad(64).str();
  };
  const std::string body = sized(formats);
  file.record(66, body).record(32777, body).record(32769, sized(symbols));
  file.record(32772,
              file.out().u32(32777).u16(0).u16(static_cast<std::uint16_t>(body.size() + 8)).str());
  file.record(32772, body).record(32773, "").record(32774, file.out().u64(1).u64(1).u64(3).str());
  const std::string trailer = file.out().u32(5).u32(5).u64(70).u64(1).str();
  for (const std::uint32_t protection : {5u, 0x4005u}) {
    BytesOut map = file.out().u32(5).u32(5).u64(protection << 12).u64(0x2000).u64(0).pad(24);
    file.record(10, map.u32(protection).u32(2).padded("/bin/true").raw(trailer).str(), 2);
  }
  BytesOut early = file.out().u32(5).u32(5).u64(0x9000).u64(0x1000).u64(0).pad(24);
  file.record(10, early.padded("/usr/lib/early.so").raw(trailer).str(), 2);
  for (std::uint64_t id = 1; id < 4; ++id)
    for (const std::uint64_t address : {0x5014u, 0x5020u, 0x7010u, 0x9001u})
      file.record(9, file.out().u64(id).u64(address).u32(5).u32(5).u64(70 + id).str(), 2);
  return file;
}

/// Files whose header says what is not so.
std::vector<std::string> damaged_files(std::endian order) {
  const std::string whole = recording(order).file();
  const auto changed = [&](std::size_t at, std::uint64_t value) {
    std::string out = whole;
    return out.replace(at, 8, BytesOut(order).u64(value).str());
  };
  PerfFile cut = recording(order), small = recording(order), other = recording(order);
  cut.unterminated = true;
  small.header_size = 72;
  other.header_size = 112;
  std::string old = whole;
  old.replace(0, 8, "PERFFILE");
  return {cut.file(),
          small.file(),
          other.file(),
          old,
          whole.substr(0, 12),
          whole.substr(0, 60),
          whole.substr(0, whole.size() / 2),
          changed(8, 1),
          changed(24, 8),
          changed(24, 1 << 30),
          changed(32, 1 << 30),
          changed(40, 8),
          changed(40, 1 << 30),
          changed(48, 0),
          changed(48, 1 << 30),
          changed(16, 200),
          changed(112, 1 << 30)};
}

/// As `perf record --threads` writes it: the sizes of data and data.0, and all three.
std::string directory(std::endian order, std::uint64_t format) {
  PerfFile head(order), first = recording(order), second = recording(order);
  head.event(full_attr()).event({.type = 1, .sample_type = 0x10007, .ids = {2}});
  head.feature(24, BytesOut(order).u64(format).str());
  const std::string data = head.file(), rest = first.records();
  BytesOut out(std::endian::native);
  out.u16(static_cast<std::uint16_t>(data.size())).u16(static_cast<std::uint16_t>(rest.size()));
  return out.str() + data + rest + second.records();
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

std::string content_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  evname::fuzz::SeedWriter write(argv[1]);
  for (const std::string& packed : {evname::symbols::packed_program(),
                                    evname::symbols::plain(evname::symbols::packed_program())})
    write("packed", packed);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const char flag = order == std::endian::big;
    write("file", recording(order).file());
    write("file", stat_recording(order).file());
    write("file", hardware(order).file());
    write("file", recording(order).pipe());
    write("file", stat_recording(order).pipe());
    write("file", all_records(order).file());
    write("file", unnamed(order).file());
    for (const int functions : {128, 132}) write("file", simpleperf(order, functions).file());
    for (const auto& [number, content] : simpleperf_features(order))
      write("feature", std::string{static_cast<char>(number), flag} + content);
    write("file", unnamed(order).pipe());
    PerfFile late = all_records(order);  // more than is read of a pipe before its first sample
    for (int i = 0; i < 12; ++i) late.record(12, std::string(16384, '\0'));
    add_records(late, std::string(48, '\0'));
    late.record(64, evname::test::attr_bytes(full_attr(), order))
        .raw("\1\2\3\4\5\6\7\1")
        .record(68, "");
    late.record(68, "").record(68, "").record(68, "").record(68, "");
    for (const char* end : {"", "\1"}) write("pipe", late.pipe().substr(16) + end);
    write("file", all_records(order).pipe());
    write("pipe", all_records(order).pipe().substr(16));
    write("pipe", stat_recording(order).pipe().substr(16));
    write("pipe", recording(order).records());
    write("file", packed_records(order).file());
    for (const char* end : {"", "\1", "\1\2", "\1\2\3"}) {
      write("pipe", packed_records(order).pipe().substr(16) + end);
      write("pipe", unnamed(order).pipe().substr(16) + end);
    }
    for (const std::string& file : damaged_files(order)) write("file", file);
    for (const std::uint64_t format : {0, 1, 2}) write("directory", directory(order, format));
    write("pipe", recording(order).pipe().substr(16));
    for (const char how : {0, 1, 2, 4})
      for (const PerfFile& file :
           {shuffled(order, false), shuffled(order, true), shuffled_and_packed(order)})
        for (const std::string& bytes : {file.file(), file.pipe()}) write("order", how + bytes);
    for (const auto& [number, content] : features(order))
      write("feature", std::string{static_cast<char>(number), flag} + content);
    for (const char* letters : {"", "ilMb", "s1e+ad-bg L5 y, xcrb", "l0", "s", "d+1", "v"})
      for (const char more : {0, 2})
        write("spe", spe(order, letters, static_cast<std::uint8_t>(flag | more), more != 0));
    const std::string whole_trace = spe(order, "b", static_cast<std::uint8_t>(flag), false);
    write("spe", whole_trace.substr(0, whole_trace.size() - 99));
    for (const PerfFile& file : {recording(order), all_records(order)})
      for (const char more : {0, 2, 4})
        write("record", evname::test::attr_bytes(full_attr(), order) +
                            static_cast<char>(flag | more) + file.records());
  }
  for (int i = 2; i < argc; ++i) {
    const std::string content = content_of(argv[i]);
    const std::string_view path(argv[i]), name = path.substr(path.rfind('/') + 1);
    write(name.ends_with(".so") ? "elf" : "file", content);
    if (name.ends_with(".so")) write_unwind_seeds(write, name, content);
  }
  for (const std::uint64_t place :
       {std::uint64_t{0}, std::uint64_t{0xffff'ffe0}, ~std::uint64_t{7}})
    for (const std::size_t step : {24, 240, 16000})
      for (const char lie : {0, -1})
        for (const bool has_trace : {false, true})
          write("ring", ring(step < 100 ? 0 : 7, place, step, lie, has_trace));
  write_elf_seeds(write);
  write_text_seeds(write);
  return 0;
}
