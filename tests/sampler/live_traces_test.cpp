// Traces of SPE in areas made by hand: whatever pieces the hardware hands over, the samples are
// those that a recording of the same bytes has.

#include "sampler/live_samples.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/bytes_out.hpp"

namespace evname::sampler {
namespace {

using perf_format::Events;
using test::BytesOut;
using Samples = std::vector<std::string>;  // the bytes of their records

constexpr std::uint32_t kSpePmu = 10, kOtherPmu = 1;
constexpr std::uint64_t kSpeId = 1, kOtherId = 2;
constexpr std::size_t kRecords = 4096;  // bytes of a buffer

std::string record_of(std::uint32_t type, const BytesOut& body) {
  const auto size = static_cast<std::uint16_t>(8 + body.size());
  return BytesOut().u32(type).u16(0).u16(size).raw(body.str()).str();
}

/// TIME_CONV, which makes a count a ns, and AUXTRACE_INFO of two Neoverse N1.
std::string trace_description() {
  BytesOut info;
  info.u32(4).u32(0).u64(2).u64(4).u64(kSpePmu).u64(2);
  for (const std::uint64_t cpu : {0, 1})
    info.u64(0x1010101010101010).u64(cpu).u64(4).u64(0x410fd0c0).u64(kSpePmu).u64(1024).u64(0xfe);
  return record_of(79, BytesOut().u64(0).u64(1).u64(0)) + record_of(70, info);
}

Events recorded_by_spe() {
  perf_format::Attr attr;
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_CPU;
  attr.flags = 1u << perf_format::kSampleIdAll;
  Events events;
  attr.code = make_code(kSpePmu, {});
  events.add(attr, {kSpeId});
  attr.code = make_code(kOtherPmu, {});
  events.add(attr, {kOtherId});
  return events;
}

/// The trace refers to the stream.
std::shared_ptr<const spe::Trace> read_stream(const std::string& stream, Events& events) {
  perf_format::Warnings warnings;
  const spe::Records records{test::view_of(stream)};
  return spe::read_trace({&records, 1}, std::endian::native, {}, {}, events, warnings);
}

struct Found {
  Samples samples;
  std::vector<std::string> faults;
};

/// The samples of a recording with the bytes in one piece.
Found recorded(const std::string& bytes, std::uint64_t offset) {
  Events events = recorded_by_spe();
  const BytesOut head =
      std::move(BytesOut().u64(bytes.size()).u64(offset).u64(0).u32(0).u32(-1).u32(0).pad(4));
  const std::string stream = trace_description() + record_of(71, head) + bytes;
  const auto trace = read_stream(stream, events);
  spe::SampleMaker maker(*trace, events, std::endian::native, [](std::int32_t) { return -1; });
  Found out;
  perf_format::Record record;
  const perf_format::Event* event = nullptr;
  while (maker.next_before(UINT64_MAX, record, event))
    out.samples.emplace_back(record.bytes.begin(), record.bytes.end());
  for (auto& fault : maker.faults()) out.faults.push_back(std::move(fault.text));
  return out;
}

/// The buffers of a CPU, which are written as the kernel and the hardware do.
class MadeCpu {
 public:
  explicit MadeCpu(std::size_t size, std::uint64_t start) : records_(kRecords / 8), area_(size) {
    page_.aux_head = page_.aux_tail = start;
  }
  sampling::Ring ring() {
    return sampling::Ring::over(
        page_, {reinterpret_cast<const std::uint8_t*>(records_.data()), kRecords}, area_);
  }
  void trace(std::string_view bytes) {
    for (const char byte : bytes)
      area_[page_.aux_head++ % area_.size()] = static_cast<std::uint8_t>(byte);
    ASSERT_LE(page_.aux_head - page_.aux_tail, area_.size());
  }
  void put(const std::string& record) {
    std::memcpy(reinterpret_cast<char*>(records_.data()) + page_.data_head % kRecords,
                record.data(), record.size());
    page_.data_head += record.size();
  }
  /// A sample of the other event.
  void sample(std::uint64_t time) {
    put(record_of(9, BytesOut().u64(kOtherId).u64(0x1000).u64(0).u64(time).u64(0)));
  }
  perf_event_mmap_page& page() { return page_; }

 private:
  std::vector<std::uint64_t> records_;
  std::vector<std::uint8_t> area_;
  perf_event_mmap_page page_{};
};

/// Live samples of some CPUs.
struct Sampled {
  explicit Sampled(std::size_t cpus = 1, std::size_t size = 1024, std::uint64_t start = 0) {
    for (std::size_t i = 0; i < cpus; ++i) {
      made.push_back(std::make_unique<MadeCpu>(size, start));
      rings.push_back(made.back()->ring());
      sources.push_back({i, -1, static_cast<int>(i)});
    }
    const auto trace = read_stream(trace_description(), events);
    live = std::make_unique<LiveSamples>(events, rings, std::nullopt);
    live->add_traces(*trace, sources);
  }
  MadeCpu& cpu(std::size_t number = 0) { return *made[number]; }

  /// Adds what there is until now.
  void read(Samples& out) {
    while (live->next_sample()) {
      const Bytes bytes = live->contents().record().bytes;
      out.emplace_back(bytes.begin(), bytes.end());
    }
  }
  std::vector<std::pair<std::string, std::uint64_t>> names_and_times() {
    std::vector<std::pair<std::string, std::uint64_t>> out;
    while (live->next_sample()) {
      const perf_format::SampleRecord& sample = live->contents().sample();
      out.emplace_back(sample.event->name.value_or("other"), sample.time);
    }
    return out;
  }

  std::vector<std::unique_ptr<MadeCpu>> made;
  std::vector<sampling::Ring> rings;
  std::vector<sampling::TraceSource> sources;
  Events events = recorded_by_spe();
  std::unique_ptr<LiveSamples> live;
};

std::string store_at(std::uint64_t time) {
  return BytesOut()
      .u8(0xb0)
      .u64(0x8000000000401000 + time)  // its address
      .u8(0x64)
      .u32(77)  // the context
      .u8(0x49)
      .u8(1)  // a store
      .u8(0x52)
      .u16(0x8)  // that missed
      .u8(0x98)
      .u16(40)  // the latency
      .u8(0xb2)
      .u64(0x7f0000000000)  // of these data
      .u8(0x71)
      .u64(time)
      .str();
}

std::string some_operations(std::uint64_t from = 100, unsigned count = 5) {
  std::string out;
  for (std::uint64_t time = from; time < from + count; ++time) out += store_at(time);
  return out;
}

/// Operations with paddings, alignments, long headers, and ends without a time.
std::string odd_operations() {
  const BytesOut odd = std::move(BytesOut()
                                     .pad(3)
                                     .u8(0x20)
                                     .u8(0x98)
                                     .u16(7)  // a long header
                                     .u8(0x23)
                                     .u8(0)
                                     .pad(16)  // aligned to 16
                                     .u8(0x4a)
                                     .u8(2)
                                     .u8(1));  // a branch, and the end
  return store_at(7) + odd.str() + store_at(9) + odd.str() + std::string(20, '\0');
}

TEST(LiveTraces, AnyCutGivesTheSamplesOfARecording) {
  for (const std::string& bytes : {some_operations(), odd_operations()}) {
    const Found expected = recorded(bytes, 0);
    ASSERT_GT(expected.samples.size(), 5u);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      Sampled sampled;
      Samples found;
      sampled.cpu().trace(bytes.substr(0, cut));
      sampled.read(found);
      sampled.cpu().trace(bytes.substr(cut));
      sampled.read(found);
      EXPECT_EQ(found, expected.samples) << cut;
      EXPECT_EQ(sampled.live->damaged(), 0u);
      EXPECT_EQ(sampled.cpu().page().aux_tail, sampled.cpu().page().aux_head);
    }
  }
}

TEST(LiveTraces, AreasWrapAndCountsDo) {
  const std::string bytes = some_operations(1, 200);
  for (const std::uint64_t start : {std::uint64_t{0}, ~std::uint64_t{0} - 1000}) {
    const Found expected = recorded(bytes, start);
    for (const std::size_t piece : {1, 7, 64}) {
      Sampled sampled(1, 64, start);
      Samples found;
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        sampled.cpu().trace(bytes.substr(at, piece));
        sampled.read(found);
      }
      EXPECT_EQ(found, expected.samples) << piece;
    }
  }
}

// Damage has the same results: the same parts left out, and the same reports.
TEST(LiveTraces, AnyBytesGiveTheSamplesOfARecording) {
  std::minstd_rand random(5);
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    for (std::uint64_t time = 1; time < 8; ++time) {
      bytes += store_at(time);
      for (unsigned i = random() % 8; i > 0; --i) bytes += static_cast<char>(random() >> 8);
    }
    bytes += std::string(32, '\0') + '\1';  // the last operation has an end
    Found expected = recorded(bytes, 0), found;
    Sampled sampled;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = random() % 40;
      sampled.cpu().trace(std::string_view(bytes).substr(at, size));
      at += size;
      sampled.read(found.samples);
    }
    std::ranges::sort(expected.samples);  // times may be any
    std::ranges::sort(found.samples);
    EXPECT_EQ(found.samples, expected.samples) << round;
    EXPECT_EQ(sampled.live->tally().warnings, expected.faults) << round;
  }
}

TEST(LiveTraces, SamplesComeBetweenThoseOfTheBuffersByTheirTimes) {
  Sampled sampled(2);
  sampled.cpu(0).sample(5);
  sampled.cpu(0).sample(102);
  sampled.cpu(1).sample(103);
  sampled.cpu(1).sample(200);
  sampled.cpu(0).trace(store_at(100) + store_at(104));
  sampled.cpu(1).trace(store_at(101) + store_at(150));
  const auto only = [](const auto& all) {
    std::vector<std::pair<std::string, std::uint64_t>> out;
    for (const auto& one : all)
      if (one.first == "memory" || one.first == "other") out.push_back(one);
    return out;
  };
  const std::vector<std::pair<std::string, std::uint64_t>> expected{
      {"other", 5},   {"memory", 100}, {"memory", 101}, {"other", 102},
      {"other", 103}, {"memory", 104}, {"memory", 150}, {"other", 200}};
  EXPECT_EQ(only(sampled.names_and_times()), expected);
  EXPECT_TRUE(sampled.names_and_times().empty());
  sampled.cpu(1).trace(store_at(201));  // the events of one operation
  const std::vector<std::pair<std::string, std::uint64_t>> all{
      {"l1d-miss", 201}, {"memory", 201}, {"instructions", 201}};
  EXPECT_EQ(sampled.names_and_times(), all);
}

TEST(LiveTraces, AnOperationThatDoesNotEndIsLeftOut) {
  Sampled sampled(1, 8192);
  Samples found;
  for (int i = 0; i < 3; ++i) {
    std::string endless;
    while (endless.size() < 3000) endless += "\x98\x01\x02";
    sampled.cpu().trace(endless);
    sampled.read(found);
  }
  EXPECT_TRUE(found.empty());
  sampled.cpu().trace("\1" + store_at(1));
  EXPECT_EQ(sampled.names_and_times().back().second, 1u);
  ASSERT_EQ(sampled.live->tally().warnings.size(), 1u);
  EXPECT_NE(sampled.live->tally().warnings[0].find("operation"), std::string::npos);
}

TEST(LiveTraces, PlacesThatMakeNoSenseAreDamage) {
  Sampled sampled;
  Samples found;
  sampled.cpu().trace(store_at(1) + "\x98");
  sampled.read(found);
  EXPECT_EQ(found.size(), 3u);
  sampled.cpu().page().aux_head += 5000;
  sampled.read(found);
  EXPECT_EQ(sampled.live->damaged(), 1u);
  sampled.cpu().trace(store_at(2));  // what was cut has no rest
  sampled.read(found);
  EXPECT_EQ(found.size(), 6u);
  EXPECT_EQ(sampled.live->damaged(), 2u);
}

TEST(LiveTraces, TruncatedPiecesAreCounted) {
  Sampled sampled;
  const BytesOut ids = std::move(BytesOut().u64(0).u64(50).u64(0).u64(kSpeId));
  for (const std::uint64_t flags : {PERF_AUX_FLAG_TRUNCATED, 0, PERF_AUX_FLAG_TRUNCATED})
    sampled.cpu().put(record_of(11, BytesOut().u64(0).u64(64).u64(flags).raw(ids.str())));
  Samples found;
  sampled.read(found);
  EXPECT_EQ(sampled.live->truncated(), 2u);
  ASSERT_EQ(sampled.live->tally().gaps.size(), 2u);
  EXPECT_TRUE(sampled.live->tally().gaps[0].starts_with("2 AUX records say"));
  EXPECT_TRUE(sampled.live->tally().gaps[1].starts_with("trace_pages"));
}

}  // namespace
}  // namespace evname::sampler
