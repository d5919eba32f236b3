#pragma once
// Recordings made up for tests, and what a pass over them yields.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recordings/session/session.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::perfdata::session {

using stream::File;

using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;
using test::TempDir;

constexpr std::uint64_t kType = kSampleIdentifier | kSampleTid | kSampleTime;
inline const AttrSpec kFirst{.config = 0, .sample_type = kType, .ids = {1}};
inline const AttrSpec kSecond{.config = 1, .sample_type = kType, .ids = {2}};

/// Notes each sample as "comm@time/event ", with "+period" where events are read.
struct Notes final : SampleSink {
  explicit Notes(const File& file) : file(file) {}
  bool sample(const SampleView& view) override {
    text += fmt::format("{}@{}/{}{} ", view.comm, view.core.time,
                        &view.event - file.events.list().data(), period(view));
    return true;
  }
  static std::string period(const SampleView& view) {
    return view.event.attr.samples(kSampleRead) ? fmt::format("+{}", view.core.period) : "";
  }
  const File& file;
  std::string text;
};

struct Read {
  std::string samples;
  Tally tally;
  std::vector<std::string> warnings;
};

/// What a pass that is left after each record's samples, and gone on with, hands out.
inline std::string read_stepwise(const File& file, PassOptions options) {
  Notes notes(file);
  options.stepwise = true;
  Session session(file, notes, options);
  while (session.advance()) {
  }
  return notes.text;
}

inline Read read_path(const std::string& path, PassOptions options = {}) {
  const auto file = File::open(path);
  EXPECT_TRUE(file) << file.error().text();
  if (!file) return {};
  Notes notes(*file);
  Tally tally = Session(*file, notes, options).run();
  if (!file->streams[0].more) {
    EXPECT_EQ(read_stepwise(*file, options), notes.text);
  }
  return {notes.text, tally, file->warnings};
}

inline Read read(const std::string& bytes, PassOptions options = {}) {
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

}  // namespace evname::perfdata::session
