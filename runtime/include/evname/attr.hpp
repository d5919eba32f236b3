#pragma once
// The types of perf_event_attr, and the struct as stored in a recording.
// Source: struct perf_event_attr of include/uapi/linux/perf_event.h.

#include <cstdint>

#include "evname/code.h"
#include "evname/error.hpp"

namespace evname {

/// The fixed values of perf_event_attr.type. They mean the same on every machine; other PMUs have
/// larger numbers. Source: enum perf_type_id of the same header. perf itself adds the values from
/// kTypeDrm on (tools/perf/util/pmu.h).
enum PerfType : std::uint32_t {
  kTypeHardware = 0,
  kTypeSoftware = 1,
  kTypeTracepoint = 2,
  kTypeHwCache = 3,
  kTypeRaw = 4,
  kTypeBreakpoint = 5,
  kTypeDrm = 0xfffe0000,       ///< the first "drm_*" PMU of a GPU, which perf reads from procfs
  kTypeDrmEnd = 0xfffeffff,    ///< the last type of such a PMU
  kTypeHwmon = 0xffff0000,     ///< the "hwmon_*" PMU of hwmon0, which perf reads from sysfs
  kTypeHwmonEnd = 0xfffffffd,  ///< the last type of such a PMU
  kTypeTool = 0xfffffffe,      ///< perf counts it itself: duration_time, num_cpus (its PMU "tool")
};

/// Returns true if codes of this type mean the same on every machine, which raw codes do not.
constexpr bool is_generic_type(std::uint32_t type) {
  return type <= kTypeBreakpoint && type != kTypeRaw;
}

}  // namespace evname

namespace evname::perf_format {

/// Bit numbers of Attr::flags.
enum AttrFlag : std::uint8_t {
  kDisabled = 0,
  kInherit = 1,
  kPinned = 2,
  kExclusive = 3,
  kExcludeUser = 4,
  kExcludeKernel = 5,
  kExcludeHv = 6,
  kExcludeIdle = 7,
  kMmap = 8,
  kComm = 9,
  kFreq = 10,
  kInheritStat = 11,
  kEnableOnExec = 12,
  kTask = 13,
  kWatermark = 14,
  kPreciseIp = 15,  ///< two bits
  kMmapData = 17,
  kSampleIdAll = 18,
  kExcludeHost = 19,
  kExcludeGuest = 20,
  kExcludeCallchainKernel = 21,
  kExcludeCallchainUser = 22,
  kMmap2 = 23,
  kCommExec = 24,
  kUseClockid = 25,
  kContextSwitch = 26,
  kWriteBackward = 27,
  kNamespaces = 28,
  kKsymbol = 29,
  kBpfEvent = 30,
  kAuxOutput = 31,
  kCgroup = 32,
  kTextPoke = 33,
  kBuildIds = 34,
  kInheritThread = 35,
  kRemoveOnExec = 36,
  kSigtrap = 37,
  kDeferCallchain = 38,
  kDeferOutput = 39,
};

/// Bits of Attr::sample_type (enum perf_event_sample_format).
enum SampleBit : std::uint32_t {
  kSampleIp = 1u << 0,
  kSampleTid = 1u << 1,
  kSampleTime = 1u << 2,
  kSampleAddr = 1u << 3,
  kSampleRead = 1u << 4,
  kSampleCallchain = 1u << 5,
  kSampleId = 1u << 6,
  kSampleCpu = 1u << 7,
  kSamplePeriod = 1u << 8,
  kSampleStreamId = 1u << 9,
  kSampleRaw = 1u << 10,
  kSampleBranchStack = 1u << 11,
  kSampleRegsUser = 1u << 12,
  kSampleStackUser = 1u << 13,
  kSampleWeight = 1u << 14,
  kSampleDataSrc = 1u << 15,
  kSampleIdentifier = 1u << 16,
  kSampleTransaction = 1u << 17,
  kSampleRegsIntr = 1u << 18,
  kSamplePhysAddr = 1u << 19,
  kSampleAux = 1u << 20,
  kSampleCgroup = 1u << 21,
  kSampleDataPageSize = 1u << 22,
  kSampleCodePageSize = 1u << 23,
  kSampleWeightStruct = 1u << 24,
};

/// Bits of Attr::read_format (enum perf_event_read_format).
enum ReadBit : std::uint32_t {
  kReadTimeEnabled = 1u << 0,
  kReadTimeRunning = 1u << 1,
  kReadId = 1u << 2,
  kReadGroup = 1u << 3,
  kReadLost = 1u << 4,
};

/// Bits of Attr::branch_sample_type (enum perf_branch_sample_type).
enum BranchBit : std::uint32_t {
  kBranchUser = 1u << 0,
  kBranchKernel = 1u << 1,
  kBranchHv = 1u << 2,
  kBranchAny = 1u << 3,
  kBranchAnyCall = 1u << 4,
  kBranchAnyReturn = 1u << 5,
  kBranchIndirectCall = 1u << 6,
  kBranchAbort = 1u << 7,
  kBranchInTransaction = 1u << 8,
  kBranchNoTransaction = 1u << 9,
  kBranchConditional = 1u << 10,
  kBranchCallStack = 1u << 11,
  kBranchIndirectJump = 1u << 12,
  kBranchCall = 1u << 13,
  kBranchNoFlags = 1u << 14,
  kBranchNoCycles = 1u << 15,
  kBranchTypeSave = 1u << 16,
  kBranchHwIndex = 1u << 17,
  kBranchPrivilege = 1u << 18,
  kBranchCounters = 1u << 19,
};

/// A recorded perf_event_attr. Fields that the recorder's attr was too short to have are zero.
struct Attr {
  /// type, config, … config4. Breakpoints: config1 is bp_addr, config2 bp_len.
  Code code = make_code(0, {});
  ///@{
  /// The other members of perf_event_attr.
  std::uint32_t size = 0;           ///< as recorded
  std::uint64_t sample_period = 0;  ///< or frequency, with kFreq
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  std::uint64_t flags = 0;  ///< little-endian bit numbers, whatever the recorder's byte order
  std::uint32_t wakeup = 0;
  std::uint32_t bp_type = 0;
  std::uint64_t branch_sample_type = 0;
  std::uint64_t regs_user = 0;
  std::uint32_t stack_user = 0;
  std::uint32_t clockid = 0;
  std::uint64_t regs_intr = 0;
  std::uint32_t aux_watermark = 0;
  std::uint16_t max_stack = 0;
  std::uint32_t aux_sample_size = 0;
  std::uint64_t sig_data = 0;
  ///@}

  /// Returns true if the flag is set.
  bool has(AttrFlag flag) const { return flags >> flag & 1; }
  /// Returns true if the event's samples contain this field.
  bool samples(SampleBit bit) const { return (sample_type & bit) != 0; }
  /// Returns the precise_ip field: 0 to 3.
  unsigned precise_ip() const { return static_cast<unsigned>(flags >> kPreciseIp & 3); }
  /// Compares all members.
  bool operator==(const Attr&) const = default;
};

}  // namespace evname::perf_format
