#pragma once
// Recordings made up for tests, and what a pass over them yields.

#include <fmt/format.h>
#include <gtest/gtest.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <string>
#include <vector>

#include "recordings/session/record_cursor.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::session {

using stream::File;

using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;
using test::TempDir;

constexpr std::uint64_t kType =
    perf_format::kSampleIdentifier | perf_format::kSampleTid | perf_format::kSampleTime;
inline const AttrSpec kFirst{.config = 0, .sample_type = kType, .ids = {1}};
inline const AttrSpec kSecond{.config = 1, .sample_type = kType, .ids = {2}};

/// Notes each sample as "comm@time/event ", with "+period" if events are read.
inline std::string note(const File& file, const RecordCursor& cursor) {
  const perf_format::SampleRecord& sample = cursor.sample();
  const bool is_read = sample.event->attr.samples(perf_format::kSampleRead);
  return fmt::format("{}@{}/{}{} ", cursor.comm(), sample.time, file.events.index_of(*sample.event),
                     is_read ? fmt::format("+{}", sample.period) : "");
}

struct Read {
  std::string samples;
  SampleTally tally;
  std::vector<std::string> warnings;
};

inline Read read_path(const std::string& path, const PassOptions& options = {}) {
  const auto file = File::open(path);
  EXPECT_TRUE(file) << file.error().text();
  if (!file) return {};
  std::string text;
  RecordCursor cursor(*file, options);
  while (cursor.next_sample()) text += note(*file, cursor);
  return {text, cursor.tally(), file->warnings};
}

/// Returns true if a warning has those words.
inline bool warns_of(const SampleTally& tally, std::string_view words) {
  return std::ranges::any_of(tally.warnings, [&](const std::string& warning) {
    return warning.find(words) != warning.npos;
  });
}

inline Read read(const std::string& bytes, const PassOptions& options = {}) {
  const TempDir dir;
  return read_path(dir.write("perf.data", bytes), options);
}

class AnyRecording : public testing::TestWithParam<std::endian> {
 protected:
  PerfFile file() const { return PerfFile(GetParam()).event(kFirst).event(kSecond); }
  BytesOut out() const { return BytesOut(GetParam()); }
  std::string sample(std::uint64_t id, std::uint32_t tid, std::uint64_t time) const {
    return out().u64(id).u32(tid).u32(tid).u64(time).str();
  }
  std::string trailer(std::uint32_t tid, std::uint64_t time) const {
    return out().u32(tid).u32(tid).u64(time).u64(1).str();
  }
  std::string comm(std::uint32_t tid, std::string_view name, std::uint64_t time) const {
    return out().u32(tid).u32(tid).padded(name).raw(trailer(tid, time)).str();
  }
  std::string fork(std::uint32_t tid, std::uint32_t parent, std::uint64_t time) const {
    return out()
        .u32(tid)
        .u32(parent)
        .u32(tid)
        .u32(parent)
        .u64(time)
        .raw(trailer(parent, time))
        .str();
  }
};

#ifdef HAVE_ZSTD
/// Returns one frame, flushed after each piece, as perf writes it.
inline std::vector<std::string> pack(const std::vector<std::string>& pieces) {
  ZSTD_CStream* stream = ZSTD_createCStream();
  std::vector<std::string> packed;
  for (const std::string& piece : pieces) {
    std::string space(ZSTD_compressBound(piece.size()) + 64, '\0');
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    ZSTD_outBuffer out{space.data(), space.size(), 0};
    while (ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush) != 0) {
    }
    packed.push_back(space.substr(0, out.pos));
  }
  ZSTD_freeCStream(stream);
  return packed;
}
#endif

}  // namespace evname::session
