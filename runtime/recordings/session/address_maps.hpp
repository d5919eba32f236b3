#pragma once
// Which part of which file is mapped where, as a recording goes on.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evname/features.hpp"
#include "recordings/format/record.hpp"

namespace evname::perfdata::session {

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

/// What is mapped in a process, and in the kernel. A copy, which is cheap, keeps what was mapped in
/// the process when it was made, for any thread; the kernel's part follows AddressMaps.
class ProcessMaps {
 public:
  /// The mapping that has an address, of the kernel or of the process' user space. MappedCodes live
  /// as long as AddressMaps.
  CodePlace find(std::uint64_t address, bool kernel) const;
  /// Where in its file an address of user space is; the address itself where nothing is known to
  /// be mapped, or no file is (heap, stack, anonymous memory).
  std::uint64_t file_offset(std::uint64_t address) const;
  /// The path of what the JIT compiler of the process, or of one it was forked from, writes:
  /// ".../jit-PID.dump"; empty: none so far.
  std::string_view jitdump(std::int32_t pid) const;

  /// Changes whenever what find() returns may.
  std::uint64_t generation() const { return std::max(generation_, kernel_->generation); }
  /// Likewise, of the kernel's addresses or of the others.
  std::uint64_t generation(bool kernel) const { return kernel ? kernel_->generation : generation_; }
  /// The address of _text or _stext of the recorded kernel; 0: it is not told.
  std::uint64_t kernel_text() const { return kernel_->text; }
  /// The kernel's build id; empty: it is not told.
  std::span<const std::uint8_t> kernel_build_id() const { return kernel_->build_id; }

  bool operator==(const ProcessMaps&) const = default;

 private:
  friend class AddressMaps;

  struct Map {
    std::uint64_t end = 0;
    std::uint64_t shift = 0;  ///< file offset = address + shift
    const MappedCode* code = nullptr;
  };
  using Maps = std::map<std::uint64_t, Map>;  ///< by first address; they don't overlap

  struct Kernel {
    Maps maps;
    std::uint64_t text = 0;
    std::vector<std::uint8_t> build_id;
    std::uint64_t generation = 0;
  };
  struct User {
    Maps maps;
    std::map<std::int32_t, const MappedCode*> jitdumps;
    std::size_t processes = 1;  ///< that share it, after a fork; AddressMaps' own
  };

  explicit ProcessMaps(const Kernel& kernel) : kernel_(&kernel) {}
  static CodePlace find_in(const Maps& maps, std::uint64_t address);

  std::shared_ptr<User> user_;  ///< nullptr: nothing is mapped
  std::uint64_t generation_ = 0;
  const Kernel* kernel_;
};

/// Follows MMAP, MMAP2 and FORK records as tools/perf/util/machine.c and map.c do. One thread at a
/// time; copies of ProcessMaps go away in that thread, too.
class AddressMaps {
 public:
  AddressMaps() = default;
  /// `build_ids`: of files by name, where the records themselves have none. They outlive the
  /// object. `before_change` is called before what others may look at changes in place: the
  /// kernel's part, and a process of so many mappings that it had better have no copies by then.
  explicit AddressMaps(const std::vector<BuildId>& build_ids,
                       std::function<void()> before_change = {});
  AddressMaps(const AddressMaps&) = delete;
  AddressMaps& operator=(const AddressMaps&) = delete;

  static bool follows(std::uint32_t type) {
    return type == kRecordMmap || type == kRecordMmap2 || type == kRecordFork;
  }
  /// Other records are ignored. `record` has no trailer any more. False if it is too short.
  bool apply(const Record& record, std::endian order);

  /// Valid until the next apply().
  const ProcessMaps& of(std::int32_t pid) const {
    const auto at = processes_.find(pid);
    return at == processes_.end() ? unknown_ : at->second;
  }

 private:
  using Map = ProcessMaps::Map;
  using User = ProcessMaps::User;

  static void add(ProcessMaps::Maps& maps, std::uint64_t start, const Map& map);
  void fork(std::int32_t pid, std::int32_t parent);
  /// What a process has, which is about to change.
  ProcessMaps& changed(std::int32_t pid);
  User& own(std::int32_t pid);
  void add_kernel(std::uint64_t start, std::uint64_t end, std::uint64_t offset,
                  const MappedCode* code);
  const MappedCode* code_of(MappedCode code);
  void announce() const {
    if (before_change_) before_change_();
  }

  std::function<void()> before_change_;
  ProcessMaps::Kernel kernel_;
  const ProcessMaps unknown_{kernel_};
  std::unordered_map<std::int32_t, ProcessMaps> processes_;
  std::size_t copied_ = 0;
  std::uint64_t generation_ = 0;
  std::unordered_map<std::string_view, const std::vector<std::uint8_t>*> build_ids_;
  std::unordered_map<std::string, std::unique_ptr<MappedCode>> codes_;  ///< by all of their members
};

}  // namespace evname::perfdata::session
