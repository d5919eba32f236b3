#pragma once
// The contents of a profile: events, recordings, stacks, and a row for each sample. A walk over all
// recordings hands the rows to the writer of a format.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/hash_map.hpp"
#include "base/json_text.hpp"
#include "base/text_pool.hpp"
#include "evname/profile.hpp"
#include "evname/symbols.hpp"
#include "recordings/profiles/output.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/symbols/code_history.hpp"

namespace evname::profiles {

/// Texts by number, each once, as well-formed UTF-8, which all formats require.
class Strings : public TextPool {
 public:
  Strings() = default;
  /// `first` is number 0.
  explicit Strings(std::string_view first) { id(first); }

  Id id(std::string_view text) {
    if (contains(text)) return TextPool::id(text);
    std::string clean;
    append_utf8(clean, text);
    return TextPool::id(clean);
  }
};

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// A mapping of a file. Addresses in other mappings of the file are converted to this one.
struct Binary {
  std::string file;  ///< path, or a name as "[kernel.kallsyms]"
  std::vector<std::uint8_t> build_id;
  std::uint64_t start = 0, end = 0;  ///< addresses
  std::uint64_t offset = 0;          ///< of `start` in the file
  std::int32_t pid = -1;             ///< of memory that no file is mapped to; -1: any
  bool kernel = false;

  /// For the kernel, the address itself.
  std::uint64_t file_offset(std::uint64_t address) const {
    return kernel ? address : address - start + offset;
  }
};

struct Function {
  Strings::Id name = 0, source = 0;
  std::uint32_t binary = kNone;
  bool known = false;  ///< false: `name` is an address

  auto operator<=>(const Function&) const = default;
};

/// An instruction.
struct Location {
  std::uint32_t binary = kNone;  ///< kNone: no mapping is known there
  std::uint64_t address = 0;     ///< of the instruction; of calls, an address within it
  /// A function that contains the instruction. Inlined functions come before their callers.
  struct Line {
    std::uint32_t function = 0;
    std::uint32_t line = 0;  ///< 0: unknown
  };
  std::vector<Line> lines;
};

/// An address of a stack, as it was sampled.
struct Place {
  std::uint64_t address = 0;
  bool call = false;                ///< it is the address after a call
  session::MappedRange range = {};  ///< of the instruction, or the call
  std::uint32_t binary = kNone;     ///< the range's
  std::uint64_t code = 0;           ///< see locations::Location
};

class Stacks {
 public:
  explicit Stacks(Strings& strings) : strings_(strings) {}

  /// Returns the number of the binary of a range; kNone if nothing is known to be there.
  std::uint32_t binary_of(const session::MappedRange& range,
                          const symbols::InnerFile* inner = nullptr);
  /// Returns the number of a location; frames() returns its frames as Locations::Named has them, or
  /// none, and is called if it is new.
  std::uint32_t location(const Place& place, const std::function<std::span<const Frame>()>& frames);
  /// Returns the stack of a location that `caller` (kNone: nothing) called.
  std::uint32_t push(std::uint32_t caller, std::uint32_t location);

  /// Replaces the contents of `out` with the locations of a stack, leaf first.
  void locations_of(std::uint32_t stack, std::vector<std::uint32_t>& out) const;

  struct Node {
    std::uint32_t caller = kNone, location = 0;
  };
  const std::vector<Node>& nodes() const { return nodes_; }  ///< callers come first
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Binary>& binaries() const { return binaries_; }

 private:
  /// The binaries of one file: parts of the file, or addresses if there is no file.
  class Parts {
   public:
    /// Returns the binary that equals or contains a part; kNone if there is none.
    std::uint32_t find(std::uint64_t begin, std::uint64_t end);
    /// Adds a binary that find() has not found; `whole`: it contains its parts.
    void add(std::uint64_t begin, std::uint64_t end, std::uint32_t binary, bool whole);

   private:
    struct Wide {
      std::uint64_t end;
      std::uint32_t binary;
    };
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> exact_;
    std::map<std::uint64_t, Wide> wide_;  ///< by begin; none is in another one
  };
  using FileKey = std::tuple<std::string, std::vector<std::uint8_t>, std::int32_t, bool>;

  void name(Location& location, const Place& place, std::span<const Frame> frames);
  std::uint32_t function(const Function& function);

  Strings& strings_;
  std::vector<Node> nodes_;
  HashMap<std::uint64_t, std::uint32_t> by_caller_;
  std::vector<Location> locations_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, bool, std::uint64_t>, std::uint32_t>
      by_address_;  ///< and code
  std::vector<Binary> binaries_;
  std::map<FileKey, Parts> by_file_;  ///< by path, build id, process, and whether it is the kernel
  std::vector<Function> functions_;
  std::map<Function, std::uint32_t> by_name_;
};

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
struct Source {
  std::string name;  ///< the file's, unique among recordings
  const Recording* file = nullptr;
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
  explicit Profile(std::span<const Recording> files);
  Profile(const Profile&) = delete;

  Strings strings;
  Stacks stacks;
  std::vector<Event> events;
  std::vector<Source> recordings;

  bool several() const { return recordings.size() > 1; }
  /// Returns facts of the machine and the command line as names and values.
  std::vector<std::pair<std::string, std::string>> facts(const Source& recording) const;
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

/// The means to write a format; all of it outlives the Writer.
struct WriterSetup {
  Profile& profile;
  Output& out;
};

#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) \
  std::unique_ptr<Writer> make_##name##_writer(const WriterSetup& setup);
#include "evname/profile_formats.def"

}  // namespace evname::profiles
