#pragma once
// Which part of which file is mapped where in each process.

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "perfdata/format/record.hpp"

namespace evname::perfdata {

/// Follows MMAP, MMAP2 and FORK records as tools/perf/util/machine.c and map.c do.
class AddressMaps {
 public:
  static bool follows(std::uint32_t type) {
    return type == kRecordMmap || type == kRecordMmap2 || type == kRecordFork;
  }
  /// Other records are ignored. `record` has no trailer any more. False if it is too short.
  bool apply(const Record& record, std::endian order);

  /// Where in its file an address of a process' user space is; the address itself where nothing
  /// is known to be mapped, or no file is (heap, stack, anonymous memory).
  std::uint64_t file_offset(std::int32_t pid, std::uint64_t address) const;

 private:
  struct Map {
    std::uint64_t end = 0;
    std::uint64_t shift = 0;  ///< file offset = address + shift
  };
  using Process = std::map<std::uint64_t, Map>;  ///< by first address; they don't overlap

  void add(std::int32_t pid, std::uint64_t start, std::uint64_t end, std::uint64_t shift);
  Process& own(std::int32_t pid);

  std::unordered_map<std::int32_t, std::shared_ptr<Process>> processes_;  ///< shared after a fork
  std::size_t copied_ = 0;
};

}  // namespace evname::perfdata
