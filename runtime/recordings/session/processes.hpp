#pragma once
// Follows the names of threads and the paths of cgroups through the records.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash_map.hpp"
#include "perf_format/record.hpp"
#include "perf_format/recorded_events.hpp"

namespace evname::session {

/// Follows COMM and FORK records as tools/perf/util/machine.c does. Threads are known by tid alone.
class Threads {
 public:
  Threads();

  /// Applies COMM and FORK, and takes the process of a thread from MMAP. An exited thread keeps its
  /// name for samples of its exit path. `record` is without its trailer. Returns false if it is too
  /// short.
  bool apply(const perf_format::Record& record, std::endian order);

  /// Returns the name of a thread that a sample was taken in, or ":TID" if it has none. The name
  /// lives as long as this object.
  std::string_view comm(std::int32_t pid, std::int32_t tid);
  /// Returns the process of a thread; -1 if no record has it.
  std::int32_t pid_of(std::int32_t tid) const {
    const auto at = by_tid_.find(tid);
    return at == by_tid_.end() ? -1 : threads_[at->second].pid;
  }
  /// Returns the name of a process, which is the name of its first thread; empty if no record has
  /// it. The name lives as long as this object.
  std::string_view process_comm(std::int32_t pid) const;

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
  HashMap<std::int32_t, std::uint32_t> by_tid_;  ///< to threads_
  std::deque<Thread> threads_;
  std::unordered_set<std::string> names_;     ///< each once; they do not move
  std::deque<std::array<char, 13>> numbers_;  ///< ":TID" and a NUL, as the C interface needs it
};

/// Paths of cgroups by id.
class Cgroups {
 public:
  /// Applies CGROUP and ignores other records. The first path of an id stays. Returns false if the
  /// record is too short.
  bool apply(const perf_format::Record& record, std::endian order);

  /// Returns a path that lives as long as this object; empty if no record had the id.
  std::string_view path(std::uint64_t id) const {
    const auto at = paths_.find(id);
    return at == paths_.end() ? std::string_view{} : at->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::string> paths_;
};

struct Dso;

/// A range of addresses, and what is mapped there.
struct PlacedMap {
  std::uint64_t start = 0, end = 0;
  std::uint64_t shift = 0;  ///< file offset = address + shift
  const Dso* dso = nullptr;
};

/// Ranges in order, which don't overlap. Copies share the pieces that neither has changed, so a
/// copy costs one pointer for each fifty ranges.
class MapList {
 public:
  /// Returns the range that an address is in; nullptr if there is none. Valid until the next add().
  const PlacedMap* find(std::uint64_t address) const;
  /// Adds a range, which replaces the parts of older ones that it covers; nothing if it is empty.
  void add(const PlacedMap& map);
  /// Removes the range `map`.
  void remove(PlacedMap map);
  std::size_t size() const { return size_; }
  /// Returns the number of pieces. A copy of the list takes time and memory for each.
  std::size_t pieces() const { return pieces_.size(); }

  /// A few ranges. They never change, because several lists may share them.
  using Shared = std::shared_ptr<const std::vector<PlacedMap>>;
  /// Calls visit(const Shared&) for each piece.
  template <class Visit>
  void for_each_piece(Visit&& visit) const {
    for (const Piece& piece : pieces_) visit(piece.maps);
  }

 private:
  static constexpr std::size_t kMost = 64;  // of a piece

  struct Piece {
    std::uint64_t first;  ///< the start of the first one
    Shared maps;
  };

  /// Returns the index of the piece that contains an address or would get it; 0 if the address is
  /// before all.
  std::size_t piece_of(std::uint64_t address) const;
  void replace(std::size_t first, std::size_t last, const std::vector<PlacedMap>& maps);

  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace evname::session
