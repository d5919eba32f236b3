#pragma once
// Joins callchains that come in two parts: with --call-graph fp,defer the kernel takes the part of
// user space only when the thread returns there, and writes it as a separate record. Source:
// PERF_RECORD_CALLCHAIN_DEFERRED of include/uapi/linux/perf_event.h.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/read_file.hpp"
#include "perf_format/record.hpp"
#include "perf_format/sample_record.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::session {

/// Collects the second parts before the first sample is handed out, so that no sample has to wait:
/// a thread may sleep until the end of the recording.
class DeferredChains {
 public:
  /// Walks the recording, if its events ask for such callchains.
  void collect(const stream::File& file, perf_format::Damage damage,
               perf_format::Warnings& warnings);

  /// Puts the second part of the sample's callchain in the place of its cookie. The callchain is
  /// then valid until the next call. If there is no second part, the cookie alone is dropped.
  void complete(std::endian order, perf_format::SampleRecord& sample);
  /// Returns the MMAP and MMAP2 records of the process between the last completed sample and its
  /// second part, valid until the next call. The addresses of the second part refer to the maps
  /// after these records; a sampled exec has all of its maps there.
  std::span<const perf_format::Record> maps_between(std::endian order);

  /// Number of callchains whose second part is not in the recording.
  std::uint64_t missing() const { return missing_; }

 private:
  struct Part {
    std::uint64_t cookie = 0;
    std::uint64_t time = 0;               ///< ns; UINT64_MAX: none
    const std::uint8_t* chain = nullptr;  ///< its length, then as many words; if it is copied,
                                          ///< its place in copies_
    std::int32_t tid = -1;
    bool is_copied = false;
  };
  /// An MMAP or MMAP2 record without its trailer.
  struct Map {
    std::uint64_t time = 0;               ///< ns
    std::uint64_t offset = 0;             ///< in the stream
    const std::uint8_t* bytes = nullptr;  ///< as Part::chain
    std::uint32_t size = 0;
    std::int32_t pid = -1;
    bool is_copied = false;
  };
  /// The times of a sample and of its second part.
  struct Between {
    std::int32_t pid = -1;
    std::uint64_t after = 0, until = 0;  ///< equal: there is no second part
  };
  class Collector;

  const Part* find(std::uint64_t cookie, const perf_format::SampleRecord& sample) const;

  std::vector<Part> parts_;  ///< by tid, cookie and time
  std::vector<Map> maps_;    ///< by pid and time
  Between between_;
  std::vector<perf_format::Record> found_maps_;  ///< that maps_between() returned last
  std::optional<MappedFile> copies_;             ///< of those that were compressed
  std::vector<std::uint8_t> whole_;              ///< the callchain that was completed last
  std::uint64_t missing_ = 0;
};

}  // namespace evname::session
