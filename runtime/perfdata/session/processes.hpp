#pragma once
// What records tell of processes as a recording goes on: how their threads are called, which part
// of which file is mapped where, and the paths of their cgroups.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "evname/features.hpp"
#include "perfdata/format/record.hpp"
#include "perfdata/format/recorded_events.hpp"

namespace evname::perfdata::session {

/// Follows COMM and FORK records as tools/perf/util/machine.c does. Threads are known by tid alone.
class Threads {
 public:
  Threads();

  /// COMM and FORK; others are ignored: what an exited thread was called still holds for
  /// samples that its exit path takes. `record` has no trailer any more.
  /// False if it is too short.
  bool apply(const Record& record, std::endian order);

  /// A sample was taken in this thread: its pid is known from here on.
  /// The name, or ":TID" if no record told it. Lives as long as this object.
  std::string_view comm(std::int32_t pid, std::int32_t tid);

 private:
  struct Thread {
    std::int32_t pid = -1;
    bool named = false;
    std::string_view comm = {};  ///< of names_ or numbers_; not named: empty until asked for
  };

  std::string_view keep(std::string_view name) { return *names_.emplace(name).first; }
  std::string_view unnamed(std::int32_t tid);
  Thread& find(std::int32_t pid, std::int32_t tid);
  void fork(std::int32_t pid, std::int32_t tid, std::int32_t ppid, std::int32_t ptid);

  // There may be millions: a thread takes some 40 bytes, its name aside.
  IndexMap<std::uint32_t> by_tid_;  ///< to threads_
  std::deque<Thread> threads_;
  std::unordered_set<std::string> names_;     ///< each once; they do not move
  std::deque<std::array<char, 12>> numbers_;  ///< ":TID"; likewise
  /// By the lowest bits of the tid.
  struct Recent {
    std::int32_t tid = 0;
    Thread* thread = nullptr;
  };
  std::array<Recent, 16> recent_;
};

/// The paths of cgroups, of which samples have the ids.
class Cgroups {
 public:
  /// CGROUP; others are ignored. The first path of an id stays. False if the record is too short.
  bool apply(const Record& record, std::endian order);

  /// Lives as long as this object; empty: no record told it.
  std::string_view path(std::uint64_t id) const {
    const auto at = paths_.find(id);
    return at == paths_.end() ? std::string_view{} : at->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::string> paths_;
};

/// A file whose code is mapped, or what stands for one.
struct MappedCode {
  std::string name;  ///< as the record has it
  std::vector<std::uint8_t> build_id;
  std::int32_t pid = -1;  ///< of code that no file has
  bool kernel = false;
};

/// Where an address is.
struct CodePlace {
  const MappedCode* code = nullptr;  ///< nullptr: nothing is known to be mapped there
  std::uint64_t start = 0, end = 0;  ///< of the mapping
  std::uint64_t offset = 0;          ///< of `start` in the file; the kernel's: as recorded
};

/// Follows MMAP, MMAP2 and FORK records as tools/perf/util/machine.c and map.c do.
class AddressMaps {
 public:
  AddressMaps() = default;
  /// `build_ids`: of files by name, where the records themselves have none. They outlive the
  /// object.
  explicit AddressMaps(const std::vector<BuildId>& build_ids);

  static bool follows(std::uint32_t type) {
    return type == kRecordMmap || type == kRecordMmap2 || type == kRecordFork;
  }
  /// Other records are ignored. `record` has no trailer any more. False if it is too short.
  bool apply(const Record& record, std::endian order);

  /// Where in its file an address of a process' user space is; the address itself where nothing
  /// is known to be mapped, or no file is (heap, stack, anonymous memory).
  std::uint64_t file_offset(std::int32_t pid, std::uint64_t address) const;

  /// The mapping that has an address, of the kernel or of a process' user space. MappedCodes live
  /// as long as this object.
  CodePlace find(std::int32_t pid, std::uint64_t address, bool kernel) const;
  /// The path of what the JIT compiler of a process writes, ".../jit-PID.dump"; empty: none so far.
  std::string_view jitdump(std::int32_t pid) const {
    const auto at = jitdumps_.find(pid);
    return at == jitdumps_.end() ? std::string_view{} : at->second->name;
  }
  /// Changes whenever what find() returns may.
  std::uint64_t generation() const { return generation_; }
  /// The address of _text or _stext of the recorded kernel; 0: it is not told.
  std::uint64_t kernel_text() const { return kernel_text_; }
  /// The kernel's build id; empty: it is not told.
  std::span<const std::uint8_t> kernel_build_id() const { return kernel_build_id_; }

 private:
  struct Map {
    std::uint64_t end = 0;
    std::uint64_t shift = 0;  ///< file offset = address + shift
    const MappedCode* code = nullptr;
  };
  using Process = std::map<std::uint64_t, Map>;  ///< by first address; they don't overlap

  static void add(Process& maps, std::uint64_t start, const Map& map);
  static CodePlace find_in(const Process& maps, std::uint64_t address);
  Process& own(std::int32_t pid);
  void add_kernel(std::uint64_t start, std::uint64_t end, std::uint64_t offset,
                  const MappedCode* code);
  const MappedCode* code_of(MappedCode code);

  std::unordered_map<std::int32_t, std::shared_ptr<Process>> processes_;  ///< shared after a fork
  std::size_t copied_ = 0;
  std::uint64_t generation_ = 0;
  Process kernel_;
  std::uint64_t kernel_text_ = 0;
  std::vector<std::uint8_t> kernel_build_id_;
  std::unordered_map<std::string_view, const std::vector<std::uint8_t>*> build_ids_;
  std::unordered_map<std::string, std::unique_ptr<MappedCode>> codes_;  ///< by all of their members
  std::unordered_map<std::int32_t, const MappedCode*> jitdumps_;        ///< by process
};

}  // namespace evname::perfdata::session
