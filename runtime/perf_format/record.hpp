#pragma once
// Records are the units that the data section and pipes consist of.
// Source: perf_event_header and PERF_RECORD_* of include/uapi/linux/perf_event.h, user records of
// tools/lib/perf/include/perf/event.h.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/longest_names.hpp"

namespace evname::perf_format {

inline constexpr std::size_t kRecordHeader = 8;
inline constexpr std::size_t kBuildIdBytes = 20;  ///< the room for a build id in records

enum RecordType : std::uint32_t {
#define EVNAME_RECORD(number, Name, name) kRecord##Name = number,
#include "perf_format/record_types.def"
  kRecordUserFirst = 64,  ///< perf's own types; the lower ones are the kernel's
};

/// PERF_RECORD_MISC_CPUMODE_MASK selects the mode of the CPU; its values follow.
inline constexpr std::uint16_t kCpuMode = 7, kCpuModeKernel = 1, kCpuModeUser = 2,
                               kCpuModeHypervisor = 3, kCpuModeGuestKernel = 4,
                               kCpuModeGuestUser = 5;

/// The bits of `misc` beside the mode. A bit's meaning depends on the record.
inline constexpr std::uint16_t kMiscMmapData = 1 << 13, kMiscMmapBuildId = 1 << 14,
                               kMiscCommExec = 1 << 13, kMiscForkExec = 1 << 13,
                               kMiscSwitchOut = 1 << 13, kMiscSwitchPreempted = 1 << 14,
                               kMiscBuildIdSize = 1 << 15, kMiscLostSamplesBpf = 1 << 15;

/// The flags of AUX records: PERF_AUX_FLAG_*.
inline constexpr std::uint64_t kAuxTruncated = 1, kAuxOverwritten = 2, kAuxPartial = 4,
                               kAuxCollision = 8;
inline constexpr std::uint16_t kKsymbolUnregister = 1;  ///< a flag of KSYMBOL records
inline constexpr std::uint64_t kUpdateName = 2;  ///< the kind of an EVENT_UPDATE that has a name

/// The kinds of trace data in AUXTRACE_INFO: PERF_AUXTRACE_* of tools/perf/util/auxtrace.h.
enum TraceKind : std::uint32_t {
  kTraceIntelPt = 1,
  kTraceIntelBts = 2,
  kTraceCoreSight = 3,
  kTraceArmSpe = 4,
  kTraceCpumSf = 5,
  kTraceHisiPtt = 6,
  kTraceVpaDtl = 7,
};

struct Record {
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  Bytes bytes;               ///< header included
  Bytes payload = {};        ///< follows the record outside its size (AUXTRACE, TRACING_DATA)
  std::uint64_t offset = 0;  ///< in the stream, for messages

  Bytes body() const { return bytes.subspan(kRecordHeader); }
};

/// Returns the name of a type as perf_event__name: "SAMPLE", "FINISHED_ROUND"; "UNKNOWN" for gaps
/// and later types.
std::string_view record_name(std::uint32_t type);
inline constexpr std::string_view kUnknownRecord = "UNKNOWN";
/// Returns the name with the number, as messages have it: "MMAP2 (10)".
std::string numbered_name(std::uint32_t type);

/// Returns true for types that perf up to 7.3 or simpleperf writes.
inline bool is_known_type(std::uint32_t type) { return record_name(type) != kUnknownRecord; }

/// Returns true for records that contain compressed records.
inline bool is_packed(std::uint32_t type) {
  return type == kRecordCompressed || type == kRecordCompressed2;
}

/// Sets `record`, but for its offset, to the record whose header is at `data` and which is all
/// there. (A copy of a Record that was written a moment ago would make the CPU wait for it.)
inline void read_record(const std::uint8_t* data, std::endian order, Record& record) {
  record.type = load<std::uint32_t>(data, order);
  record.misc = load<std::uint16_t>(data + 4, order);
  record.bytes = {data, load<std::uint16_t>(data + 6, order)};
  record.payload = {};
}

/// Returns a record of this type. Its body is followed by `trailer` zeros in place of a sample_id.
std::string make_record(std::endian order, std::uint32_t type, std::uint16_t misc,
                        std::string_view body, std::size_t trailer = 0);

/// Returns an EVENT_UPDATE that names the event of an id.
std::string make_name_update(std::endian order, std::uint64_t id, std::string_view name);

/// Returns how many bytes a name in a record of this type has at most; longer names are cut. Files
/// and cgroups have PATH_MAX, functions KSYM_NAME_LEN, each with its NUL. The kernel's names of
/// threads have 15 bytes, but recorders of Android write the names of whole processes.
constexpr std::size_t longest_name(std::uint32_t type) {
  return type == kRecordComm ? 255 : type == kRecordKsymbol ? 511 : kLongestPath;
}

/// Counts the records of each type, packed ones and their contents included.
struct RecordCounts {
  static constexpr std::uint32_t kTypes = 96;

  std::array<std::uint64_t, kTypes> by_type{};
  std::uint64_t others = 0;  ///< of types from kTypes on

  void add(std::uint32_t type) { ++(type < kTypes ? by_type[type] : others); }
  /// Returns the types that occurred, each with its count; kTypes stands for all later types.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> list() const;
};

/// The choice at a record that can't be delimited; there is a warning either way.
enum class Damage : std::uint8_t {
  stop,     ///< the stream ends there
  salvage,  ///< the stream continues at the next place that looks like records
};

/// Walks the records of `stream`; stops at one that can't be delimited.
class RecordReader {
 public:
  /// Tells whether `stream` is the whole rest of its source, or a part that more may follow.
  enum class Extent : std::uint8_t { whole, part };

  RecordReader() = default;
  /// `offset` is the stream's place in the file.
  RecordReader(Bytes stream, std::endian order, std::uint64_t offset = 0,
               Extent extent = Extent::whole)
      : stream_(stream), order_(order), offset_(offset), extent_(extent) {}

  /// Gets the next record. Returns false at the end; fault() then explains bytes that are left. In
  /// a part, the data after a record (AUXTRACE) may be incomplete; missing() returns the number of
  /// bytes that are not there yet.
  bool next(Record& record) {
    const std::size_t left = stream_.size() - at_;
    if (left >= kRecordHeader) {
      read_record(stream_.data() + at_, order_, record);
      if (record.bytes.size() >= kRecordHeader && record.bytes.size() <= left &&
          is_plain(record.type)) {
        record.offset = offset_ + at_;
        at_ += record.bytes.size();
        // Large records, such as samples with branches, mostly follow each other.
        const std::size_t size = record.bytes.size(), ahead = size < kLarge ? kAhead : 4 * size;
        __builtin_prefetch(stream_.data() + std::min(at_ + ahead, stream_.size()));
        return true;
      }
    }
    return next_unusual(record);
  }
  const char* fault() const { return fault_; }
  /// Returns true if the fault is the end of the stream, so that more bytes would mend it.
  bool cut_off() const { return cut_off_; }
  std::uint64_t missing() const { return missing_; }
  /// Goes, after a fault, to the next place that looks like records. Returns false if there is
  /// none.
  bool resync();

  std::uint64_t offset() const { return offset_ + at_; }
  /// Returns the bytes after the last record: the first part of a record, or nothing.
  Bytes rest() const { return stream_.subspan(at_); }

 private:
  static constexpr std::size_t kAhead = 1024, kLarge = 256;  ///< bytes to prefetch, of a record

  /// Returns true if the record ends where its header says, without data after it.
  static bool is_plain(std::uint32_t type) {
    return type != kRecordAuxtrace && type != kRecordTracingData && type != kRecordCompressed2;
  }
  bool next_unusual(Record& record);
  bool stop(const char* why, bool cut_off);
  std::uint64_t payload_size(const Record& record) const;
  std::size_t compressed2_size(std::size_t header_size) const;
  bool plausible_at(std::size_t at) const;
  bool chain_at(std::size_t at) const;

  Bytes stream_;
  std::size_t at_ = 0;
  std::endian order_ = std::endian::native;
  std::uint64_t offset_ = 0;
  std::uint64_t missing_ = 0;
  const char* fault_ = nullptr;
  Extent extent_ = Extent::whole;
  bool cut_off_ = false;
};

/// Collects the faults of a file. A hostile file can have one in every record, so the list is
/// bounded; further faults are only counted.
class Warnings {
 public:
  static constexpr std::size_t kMax = 100;

  /// Adds a fault at `offset` of the file, or of the stream that it was unpacked to.
  void add(std::uint64_t offset, std::string_view what);
  void add(std::string what);
  std::vector<std::string> take();

 private:
  std::vector<std::string> list_;
  std::uint64_t more_ = 0;
};

}  // namespace evname::perf_format
