#pragma once
// Recordings made up for tests of profiles, and the four formats read back: sums of each event.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "evname/profile.hpp"
#include "recordings/profiles/json_value.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {

// IP, TID, TIME, CALLCHAIN, CPU, PERIOD, IDENTIFIER.
inline constexpr std::uint64_t kProfileType = 1 | 2 | 4 | 32 | 128 | 256 | 0x10000;
inline constexpr std::uint64_t kUserPart = -512, kKernelPart = -128;

/// A SAMPLE record of an event with all of kProfileType.
struct SampleSpec {
  std::uint64_t id = 1, time = 10, period = 1;
  std::uint32_t tid = 5, cpu = 0;
  std::vector<std::uint64_t> chain = {kUserPart, 0x10004};
  std::uint64_t ip = 0x10004;
  std::uint16_t mode = 2;  // user
};

class Recorded {
 public:
  explicit Recorded(std::endian order = std::endian::little) : file(order) {}

  /// `is_frequency`: the period is so many samples a second (attr.freq).
  Recorded& event(std::uint32_t type, std::uint64_t config, std::uint64_t id,
                  std::uint64_t period = 0, bool is_frequency = false) {
    test::AttrSpec attr{.type = type, .config = config, .sample_type = kProfileType, .ids = {id}};
    attr.period = period;
    if (is_frequency) attr.flags.push_back(10);
    file.event(attr);
    return *this;
  }
  Recorded& sample(const SampleSpec& spec) {
    BytesOut body = file.out();
    body.u64(spec.id).u64(spec.ip).u32(5).u32(spec.tid).u64(spec.time).u32(spec.cpu).u32(0);
    body.u64(spec.period).u64(spec.chain.size());
    for (const std::uint64_t address : spec.chain) body.u64(address);
    file.record(9, body.str(), spec.mode);
    return *this;
  }
  Recorded& comm(std::uint32_t tid, std::string_view name) {
    file.record(3, trailer(file.out().u32(5).u32(tid).padded(name)));
    return *this;
  }
  /// MMAP2 with a build id of twenty times the same byte.
  Recorded& map(std::uint64_t start, std::uint64_t size, std::uint64_t offset,
                std::string_view name, std::uint8_t build_id) {
    BytesOut body = file.out();
    body.u32(5).u32(5).u64(start).u64(size).u64(offset).u8(20).u8(0).u16(0);
    body.raw(std::string(20, static_cast<char>(build_id))).u32(5).u32(2).padded(name);
    file.record(10, trailer(body), 2 | 1 << 14);
    return *this;
  }
  Recording open(std::string_view name = "perf.data") const {
    return Recording::open(dir_.write(name, file.file())).value();
  }

  PerfFile file;

 private:
  static std::string trailer(BytesOut& body) {
    return body.u32(5).u32(5).u64(1).u32(0).u32(0).u64(1).str();
  }

  TempDir dir_;
};

/// The sums of an event in a profile.
struct EventSums {
  std::uint64_t samples = 0, period = 0;
  bool operator==(const EventSums&) const = default;
};
inline void PrintTo(const EventSums& sums, std::ostream* out) {
  *out << sums.samples << " samples, " << sums.period;
}
using Sums = std::map<std::string, EventSums>;

inline std::string exported(std::span<const Recording> files, const ProfileOptions& options,
                            ProfileTally* tally = nullptr) {
  std::string bytes;
  auto done = export_profile(files, options, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  EXPECT_TRUE(done) << done.error().text();
  if (tally && done) *tally = std::move(*done);
  return bytes;
}

}  // namespace evname::test
