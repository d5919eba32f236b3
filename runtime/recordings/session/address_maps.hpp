#pragma once
// Follows the mappings of the kernel and of each process through the records.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/symbols.hpp"
#include "perf_format/counter_clock.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/record.hpp"
#include "recordings/session/processes.hpp"
#include "recordings/session/recorded_on.hpp"

namespace evname::session {

/// Numbers of processes. Threads may read them while one adds to them. 0: none.
class MappedBy {
 public:
  MappedBy() = default;
  MappedBy(const MappedBy& other) {
    for (const auto& pid : other.pids_) add(pid);
  }
  void add(std::int32_t pid);
  std::span<const std::atomic<std::int32_t>> pids() const { return pids_; }

 private:
  std::array<std::atomic<std::int32_t>, 8> pids_ = {};
};

/// A DSO in perf's sense: a mapped file, or a substitute for one. There may be millions, so that
/// what few have is elsewhere.
struct Dso {
  std::string name;  ///< as the record has it
  std::vector<std::uint8_t> build_id = {};
  Inode inode = {};       ///< if the record has it and no build id
  std::int32_t pid = -1;  ///< the process, if it is not a file
  bool kernel = false;
  bool is_function = false;  ///< the kernel made this function at run time; `name` is the function
  bool shared = false;       ///< processes share it, although it is not a file

  /// The texts of a DSO whose shown name is not its name, or that has a build id.
  struct Texts {
    std::string name, build_id;
  };
  std::shared_ptr<const Texts> texts = {};
  /// Processes that have mapped the file: the first ones, and the last.
  mutable MappedBy mapped_by = {};

  /// See dso_name().
  std::string_view shown_name() const { return texts ? texts->name : name; }
  /// Returns the build id in hexadecimal.
  std::string_view build_id_text() const { return texts ? texts->build_id : std::string_view(); }
  /// Returns what identifies it.
  auto key() const {
    return std::tie(name, build_id, inode.major, inode.minor, inode.number, inode.generation, pid,
                    kernel, is_function, shared);
  }
};

struct SameDso {
  bool operator()(const Dso& a, const Dso& b) const { return a.key() == b.key(); }
};

/// The DSOs of a pass. They do not move.
using Dsos = std::unordered_set<Dso, Hash, SameDso>;

/// The addresses that a part of a DSO is mapped to.
struct MappedRange {
  const Dso* dso = nullptr;  ///< nullptr: no mapping is known
  std::uint64_t start = 0, end = 0;
  std::uint64_t offset = 0;  ///< of `start` in the file; for the kernel as recorded

  /// Returns the offset of an address in the file; the address itself for the kernel, and without a
  /// DSO.
  std::uint64_t offset_of(std::uint64_t address) const {
    return !dso || dso->kernel ? address : address - start + offset;
  }
};

/// The time of a sample.
struct SampleTime {
  enum class Clock : std::uint8_t {
    unknown,    ///< or a clock that no dump of a JIT compiler has
    kernel,     ///< the kernel's own; counts of the CPU can be converted to it
    monotonic,  ///< CLOCK_MONOTONIC
  };
  Clock clock = Clock::unknown;
  std::uint64_t time = 0;
};

/// The mappings of a process and of the kernel. A copy is cheap, and keeps the current mappings of
/// the process, for any thread; the kernel's part changes with AddressMaps.
class ProcessMaps {
 public:
  /// Returns the range that has an address of the kernel or of the process. A Dso lives as long as
  /// AddressMaps.
  MappedRange find(std::uint64_t address, bool kernel) const;
  /// Returns a range of the kernel's image for an address that find() does not know and that is
  /// beyond the recorded end of the image; a range without a DSO for other addresses. Only the
  /// kernel's symbols tell whether the address is in the image: .init.text is behind _etext.
  MappedRange beyond_image(std::uint64_t address) const;
  /// Calls visit(const MapList::Shared&) for the ranges of the process or of the kernel, a few at a
  /// time. A piece never changes, so the same pointer in a later call means the same ranges.
  template <class Visit>
  void for_each_piece(bool kernel, Visit&& visit) const {
    if (kernel || user_) (kernel ? kernel_->maps : user_->maps).for_each_piece(visit);
  }
  static MappedRange range_of(const PlacedMap& map) {
    return {map.dso, map.start, map.end, map.start + map.shift};
  }
  /// Converts a range with a DSO for Symbols. The views live as long as the object.
  Mapping mapping(const MappedRange& range, const SampleTime& when = {}) const;
  bool has_jit_compilers() const { return user_ && !user_->jitdumps.empty(); }
  /// Calls visit(const Mapping&) for each JIT compiler with a dump whose code the process has.
  template <class Visit>
  void for_each_jit_compiler(const SampleTime& when, Visit&& visit) const {
    if (!user_) return;
    for (const auto& [pid, dump] : user_->jitdumps) {
      Mapping mapping{.file = "//anon", .pid = pid, .names = kernel_->recorded_on.names};
      set_jitdump(mapping, dump, when);
      visit(mapping);
    }
  }

  /// Owns each Dso of the pass. As long as it is kept, the Dsos of other passes have other
  /// addresses.
  const std::shared_ptr<Dsos>& dsos() const { return kernel_->dsos; }

  /// Changes whenever the results of find() may change.
  std::uint64_t generation() const { return std::max(generation_, kernel_->generation); }
  /// Do the same for only the kernel's addresses, and for only the others.
  std::uint64_t generation(bool kernel) const { return kernel ? kernel_->generation : generation_; }

  bool operator==(const ProcessMaps&) const = default;

 private:
  friend class AddressMaps;

  struct Kernel {
    MapList maps;
    std::uint64_t text = 0;              ///< address of _text or _stext; 0: unknown
    std::vector<std::uint8_t> build_id;  ///< empty: unknown
    MappedRange image = {};              ///< as it was recorded
    RecordedOn recorded_on = {};
    perf_format::CounterClock counter;
    std::uint64_t generation = 0;
    std::shared_ptr<Dsos> dsos = std::make_shared<Dsos>();
  };
  /// The file of a JIT compiler: ".../jit-PID.dump".
  struct Jitdump {
    const Dso* dso = nullptr;
    std::uint64_t until = UINT64_MAX;  ///< when the process was forked
  };
  struct User {
    MapList maps;
    std::map<std::int32_t, Jitdump> jitdumps;  ///< of the process and its ancestors
    MapList newer;                             ///< files that were mapped since the last dump began
    std::size_t processes = 1;                 ///< that share it after a fork; owned by AddressMaps
  };

  explicit ProcessMaps(const Kernel& kernel) : kernel_(&kernel) {}
  /// Returns the dump of the JIT compiler that made a range, or may have put code into it: V8 also
  /// describes code in its program's file. nullptr: there is none.
  const std::pair<const std::int32_t, Jitdump>* jitdump_of(const MappedRange& range) const;
  void set_jitdump(Mapping& mapping, const Jitdump& dump, const SampleTime& when) const;

  std::shared_ptr<User> user_;  ///< nullptr: nothing is mapped
  std::uint64_t generation_ = 0;
  const Kernel* kernel_;
};

/// Follows MMAP, MMAP2, KSYMBOL, FORK and TIME_CONV records as tools/perf/util/machine.c and map.c
/// do. One thread at a time may use an object, and destroys copies of ProcessMaps, too.
class AddressMaps {
 public:
  AddressMaps() = default;
  /// `build_ids` are used for files whose records have none. They and the objects that
  /// `recorded_on` refers to outlive the object. `before_change` is called before shared maps
  /// change in place: the kernel's, and a process's with so many mappings that copies would be
  /// expensive.
  explicit AddressMaps(const std::vector<perf_format::BuildId>& build_ids,
                       std::function<void()> before_change = {},
                       const RecordedOn& recorded_on = {});
  AddressMaps(const AddressMaps&) = delete;
  AddressMaps& operator=(const AddressMaps&) = delete;

  static bool follows(std::uint32_t type) {
    return type == perf_format::kRecordMmap || type == perf_format::kRecordMmap2 ||
           type == perf_format::kRecordKsymbol || type == perf_format::kRecordFork ||
           type == perf_format::kRecordTimeConv;
  }
  /// Applies a record that follows() accepts; ignores others. `record` is without its trailer.
  /// Returns false if it is too short.
  bool apply(const perf_format::Record& record, std::endian order);
  /// Returns the maps of a process after these MMAP and MMAP2 records (at least one), without
  /// applying them. They are valid until the next call of either.
  const ProcessMaps& ahead(std::int32_t pid, std::span<const perf_format::Record> records,
                           std::endian order);

  /// Returns how many processes lost their parents' mappings because of the limit on copies.
  std::uint64_t emptied() const { return emptied_; }

  /// Returns the maps of a process, valid until the next apply().
  const ProcessMaps& of(std::int32_t pid) const {
    const auto at = processes_.find(pid);
    return at == processes_.end() ? unknown_ : at->second;
  }

 private:
  using User = ProcessMaps::User;

  /// The records that are ahead of a process's maps.
  struct Ahead {
    std::int32_t pid = -1;
    std::uint64_t generation = 0;       ///< of the maps
    std::uint64_t first = 0, last = 0;  ///< offsets of the records
    bool operator==(const Ahead&) const = default;
  };

  void fork(std::int32_t pid, std::int32_t parent, std::uint64_t time);
  /// Applies an MMAP or MMAP2 record; to `copy` alone if there is one, unless it is the kernel's.
  bool map(const perf_format::Record& record, std::endian order, User* copy);
  /// Returns the maps of a process for a change.
  ProcessMaps& changed(std::int32_t pid);
  User& own(std::int32_t pid);
  void add_kernel(std::uint64_t start, std::uint64_t end, std::uint64_t offset, Dso dso,
                  std::string shown_name);
  bool made_function(const perf_format::Record& record, std::endian order);
  /// Fills in the build id of a file from the list. Returns the name that the kernel's files are
  /// shown by.
  std::string identify(Dso& dso, std::uint64_t start) const;
  /// Returns the one DSO like this. A new one of the kernel is shown by this name.
  const Dso* dso_of(Dso dso, std::string shown_name = {});
  void announce() const {
    if (before_change_) before_change_();
  }

  std::function<void()> before_change_;
  ProcessMaps::Kernel kernel_;
  const ProcessMaps unknown_{kernel_};
  std::unordered_map<std::int32_t, ProcessMaps> processes_;
  ProcessMaps ahead_{kernel_};
  Ahead ahead_of_;  ///< what is in `ahead_`
  std::size_t copied_ = 0;
  std::uint64_t emptied_ = 0;
  std::uint64_t generation_ = 0;
  RecordedBuildIds build_ids_;
};

}  // namespace evname::session
