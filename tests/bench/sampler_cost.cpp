// What reading a live sample costs, and that it allocates nothing.
//   sampler-cost         a buffer made by hand, as the kernel fills it: ns for each sample
//   sampler-cost --trace the same for SPE's operations, with three samples each
//   sampler-cost --live  page faults of this program, sampled one by one
// Ends with 1 if a sample allocates or, by hand and without a trace, takes more than 200 ns; with
// 77 if the kernel permits no samples.

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "bench/allocations.hpp"
#include "evname/sampler.hpp"
#include "sampler/live_samples.hpp"

namespace {

using namespace evname;
using Clock = std::chrono::steady_clock;

constexpr double kMostNs = 200;
constexpr int kRounds = 50;

/// As a sampler asks for it, with the CPU and a callchain beside.
constexpr std::uint64_t kFields = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                  PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                  PERF_SAMPLE_CALLCHAIN;
constexpr std::uint64_t kCallers = 8;

/// Fills a buffer with samples in the order of time. Returns how many.
std::uint64_t fill(std::vector<std::uint64_t>& data, perf_event_mmap_page& page,
                   std::uint64_t& time) {
  constexpr std::uint64_t kWords = 9 + kCallers;
  std::uint64_t count = 0;
  const auto put = [&](std::uint64_t word) {
    data[page.data_head / 8 % data.size()] = word;
    page.data_head += 8;
  };
  for (; (count + 1) * kWords <= data.size(); ++count) {
    const perf_event_header header{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, kWords * 8};
    std::uint64_t word;
    std::memcpy(&word, &header, sizeof word);
    put(word);
    put(7);                                          // id
    put(0x400000 + time % 4096);                     // ip
    put(std::uint64_t{100 + time % 8} << 32 | 100);  // tid, pid
    put(time++);
    put(time % 4);  // CPU
    put(1000);      // period
    put(kCallers);
    for (std::uint64_t i = 0; i < kCallers; ++i) put(0x400000 + i * 64);
    put(0);
  }
  return count;
}

perf_format::Events made_events() {
  perf_format::Attr attr;
  attr.sample_type = kFields;
  attr.flags = 1u << perf_format::kSampleIdAll;
  perf_format::Events events;
  events.add(attr, {7});
  events.add(attr, {8});
  return events;
}

int by_hand() {
  std::vector<std::uint64_t> data((std::size_t{512} << 10) / 8);
  perf_event_mmap_page page{};
  std::vector<sampling::Ring> rings;
  rings.push_back(sampling::Ring::over(
      page, {reinterpret_cast<const std::uint8_t*>(data.data()), data.size() * 8}));
  const perf_format::Events events = made_events();
  sampler::LiveSamples live(events, rings, {});
  std::uint64_t time = 1, sum = 0, allocated = 0;
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t count = fill(data, page, time);
    const std::uint64_t before = bench::allocations();
    const auto start = Clock::now();
    std::uint64_t seen = 0;
    for (; live.next_sample(); ++seen) sum += live.contents().sample().ip;
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    if (seen != count) return std::fprintf(stderr, "samples are missing\n"), 1;
    if (round > 0) allocated += bench::allocations() - before;  // threads are new in the first
    least = std::min(least, spent.count() / static_cast<double>(count));
  }
  std::printf("%.1f ns for each sample, %llu allocations (%llx)\n", least,
              static_cast<unsigned long long>(allocated), static_cast<unsigned long long>(sum));
  return allocated == 0 && least <= kMostNs ? 0 : 1;
}

/// An area of SPE, which holds loads of one CPU.
int by_trace() {
  constexpr std::uint64_t kWords[] = {std::uint64_t{104} << 48 | 70,
                                      4,
                                      2,
                                      4,
                                      10,
                                      1,
                                      0x1010101010101010,
                                      0,
                                      4,
                                      0x410fd0c0,
                                      10,
                                      1024,
                                      0};
  constexpr std::uint64_t kCount = 20'000;
  perf_format::Attr attr;
  attr.sample_type = kFields & ~std::uint64_t{PERF_SAMPLE_CALLCHAIN};
  attr.flags = 1u << perf_format::kSampleIdAll;
  attr.code = make_code(10, {});
  perf_format::Events events;
  events.add(attr, {7});
  perf_format::Warnings warnings;
  const spe::Records info{{reinterpret_cast<const std::uint8_t*>(kWords), sizeof kWords}};
  const auto trace = spe::read_trace({&info, 1}, std::endian::native, {}, {}, events, warnings);
  std::vector<std::uint8_t> area(std::size_t{1} << 20);
  std::vector<std::uint64_t> data(512);
  perf_event_mmap_page page{};
  std::vector<sampling::Ring> rings;
  rings.push_back(sampling::Ring::over(
      page, {reinterpret_cast<const std::uint8_t*>(data.data()), data.size() * 8}, area));
  const sampling::TraceSource source{0, -1, 0};
  sampler::LiveSamples live(events, rings, {});
  live.add_traces(*trace, {&source, 1});
  std::uint64_t time = 1, allocated = 0;
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      std::uint8_t packets[] = {0xb0, 0,    0x10, 0x40, 0, 0,    0, 0, 0x80, 0x64, 77, 0, 0, 0,
                                0x49, 0x00, 0x52, 4,    0, 0x71, 0, 0, 0,    0,    0,  0, 0, 0};
      ++time;
      std::memcpy(packets + sizeof packets - sizeof time, &time, sizeof time);
      for (const std::uint8_t byte : packets) area[page.aux_head++ % area.size()] = byte;
    }
    const std::uint64_t before = bench::allocations();
    const auto start = Clock::now();
    std::uint64_t seen = 0;
    while (live.next_sample()) ++seen;
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    if (seen != 3 * kCount) return std::fprintf(stderr, "samples are missing\n"), 1;
    if (round > 0) allocated += bench::allocations() - before;
    least = std::min(least, spent.count() / static_cast<double>(seen));
  }
  std::printf("%.1f ns for each sample of a trace, %llu allocations\n", least,
              static_cast<unsigned long long>(allocated));
  return allocated == 0 ? 0 : 1;
}

int live() {
  constexpr std::size_t kPages = 2000;
  const auto machine = Machine::live();
  if (!machine) return 1;
  const SampledEvents events{.events = "page-faults:u",
                             .sampling = {.period = 1, .fields = "addr,cpu,callchain"}};
  SamplerOptions options;
  options.keep = std::size_t{64} << 20;
  auto sampler = Sampler::open(*machine, std::span(&events, 1), {}, options);
  if (!sampler) return std::fprintf(stderr, "%s\n", sampler.error().text().c_str()), 77;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const at = static_cast<volatile char*>(
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(const_cast<char*>(at), kPages * page, MADV_NOHUGEPAGE);
  if (!sampler->enable()) return 1;
  std::uint64_t allocated = 0, samples = 0;
  for (int round = 0; round < 5 || (samples == 0 && round < 1000); ++round) {
    madvise(const_cast<char*>(at), kPages * page, MADV_DONTNEED);
    for (std::size_t i = 0; i < kPages; ++i) at[i * page] = 1;
    const std::uint64_t before = bench::allocations();
    while (const Sample* const sample = sampler->samples().next())
      samples += sample->callchain().size() > 0;
    if (round > 0) allocated += bench::allocations() - before;
  }
  std::printf("%llu samples, %llu allocations\n", static_cast<unsigned long long>(samples),
              static_cast<unsigned long long>(allocated));
  return allocated == 0 && samples > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  return what == "--live" ? live() : what == "--trace" ? by_trace() : by_hand();
}
