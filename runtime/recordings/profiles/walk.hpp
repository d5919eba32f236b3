#pragma once
// Walks the samples of all recordings of a profile, and hands them to the writer of its format.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/profile.hpp"
#include "recordings/profiles/stack_table.hpp"
#include "recordings/profiles/strings.hpp"

namespace evname::profiles {

/// An event of one or more recordings.
struct Event {
  std::string label;                     ///< its name, unique among events
  std::string code;                      ///< "PMU cpu, code 0x3c"
  std::string about;                     ///< the same with a description, for comments and tooltips
  bool is_time = false;                  ///< its periods are ns
  std::uint64_t samples = 0, count = 0;  ///< number of samples, and sum of their periods
  std::size_t recording = 0, attr = 0;   ///< the first that has it
};

/// A recording that a profile is made from.
struct Recording {
  std::string name;  ///< the file's, unique among recordings
  const PerfData* file = nullptr;
  std::vector<std::uint32_t> events;           ///< by attr, index of Profile::events
  std::uint64_t first = UINT64_MAX, last = 0;  ///< times of the written samples, in ns
};

struct Row {
  std::uint32_t recording = 0, event = 0;
  std::int32_t pid = -1, tid = -1;         ///< -1: not sampled
  std::uint32_t cpu = kNone;               ///< kNone: not sampled
  std::optional<std::uint64_t> time = {};  ///< ns; of several recordings, since the first sample
  Strings::Id comm = 0;
  Strings::Id process = kNone;  ///< name of the process; kNone: not in the recording
  std::uint64_t period = 0;
  std::uint8_t mode = 0;        ///< PERF_RECORD_MISC_CPUMODE
  std::uint32_t stack = kNone;  ///< kNone: no address was sampled
};

struct Profile {
  /// The files outlive it.
  explicit Profile(std::span<const PerfData> files);
  Profile(const Profile&) = delete;

  Strings strings;
  Stacks stacks;
  std::vector<Event> events;
  std::vector<Recording> recordings;

  bool several() const { return recordings.size() > 1; }
  /// Returns facts of the machine and the command line as names and values.
  std::vector<std::pair<std::string, std::string>> facts(const Recording& recording) const;
};

/// A format. After begin() no event or recording is added.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin() {}
  /// Returns false if the sink wants no more.
  virtual bool row(const Row& row) = 0;
  virtual void end() = 0;
};

Result<ProfileTally> walk(Profile& profile, const ProfileOptions& options, Writer& writer);

}  // namespace evname::profiles
