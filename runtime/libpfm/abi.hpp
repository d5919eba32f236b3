#pragma once
// The types, numbers and structs of libpfm4's interface, declared by us. Programs were compiled
// with libpfm4's own header, so layout and numbers are fixed; tests/libpfm/abi_test.cpp compares
// them with that header.

#include <cstddef>
#include <cstdint>
#include <cstdio>

struct perf_event_attr;

namespace evname::libpfm {

/// What the functions return.
enum Status : int {
  kSuccess = 0,
  kNotSupported = -1,
  kInvalid = -2,
  kNotInitialized = -3,
  kNotFound = -4,
  kFeatureCombination = -5,
  kUnitMask = -6,
  kNoMemory = -7,
  kAttribute = -8,
  kAttributeValue = -9,
  kAttributeSet = -10,
  kTooMany = -11,
  kTooSmall = -12,
};

/// Version 4.0, as in all releases of libpfm4.
constexpr int kVersion = 4 << 16;

/// Privilege levels that are counted: bits of `dfl_plm`.
enum Level : unsigned {
  kKernel = 0x1,
  kLevel1 = 0x2,
  kLevel2 = 0x4,
  kUser = 0x8,
  kHypervisor = 0x10
};
constexpr unsigned kAllLevels = kKernel | kLevel1 | kLevel2 | kUser | kHypervisor;

/// The interface that codes are for.
enum Os : int { kOsNone, kOsPerfEvent, kOsPerfEventExt, kOsCount };

enum UnitType : int { kUnknownUnit, kCoreUnit, kUncoreUnit, kOsUnit };

enum AttributeType : int { kNoAttribute, kUnitMaskAttribute, kBoolean, kInteger, kRawUnitMask };

enum Control : int { kControlUnknown, kControlPmu, kControlPerfEvent };

enum Speculation : unsigned { kSpeculationUnknown, kSpeculative, kNotSpeculative };

constexpr int kDataUint64 = 1;

/// pfm_pmu_info_t
struct PmuInfo {
  const char* name;
  const char* desc;
  std::size_t size;
  int pmu;
  int type;
  int nevents;
  int first_event;
  int max_encoding;
  int num_cntrs;
  int num_fixed_cntrs;
  unsigned is_present : 1;
  unsigned is_dfl : 1;
  unsigned reserved_bits : 30;
};

/// pfm_event_info_t
struct EventInfo {
  const char* name;
  const char* desc;
  const char* equiv;
  std::size_t size;
  std::uint64_t code;
  int pmu;
  int dtype;
  int idx;
  int nattrs;
  int reserved;
  unsigned is_precise : 1;
  unsigned is_speculative : 2;
  unsigned support_hw_smpl : 1;
  unsigned reserved_bits : 28;
};

/// pfm_event_attr_info_t
struct AttributeInfo {
  const char* name;
  const char* desc;
  const char* equiv;
  std::size_t size;
  std::uint64_t code;
  int type;
  int idx;
  int ctrl;
  unsigned is_dfl : 1;
  unsigned is_precise : 1;
  unsigned is_speculative : 2;
  unsigned support_hw_smpl : 1;
  unsigned support_no_mods : 1;
  unsigned reserved_bits : 26;
  std::uint64_t dfl_val64;
};

/// pfm_pmu_encode_arg_t: the arguments of an encoding for kOsNone.
struct RawArgument {
  std::uint64_t* codes;
  char** fstr;
  std::size_t size;
  int count;
  int idx;
};

/// pfm_perf_encode_arg_t: the arguments of an encoding for the other interfaces.
struct PerfArgument {
  perf_event_attr* attr;
  char** fstr;
  std::size_t size;
  int idx;
  int cpu;
  int flags;
  int pad0;
};

/// The sizes of the first version of each struct. A `size` of zero means these.
constexpr bool kWide = sizeof(void*) == 8;
constexpr std::size_t kPmuInfoSize0 = kWide ? 56 : 44;
constexpr std::size_t kEventInfoSize0 = kWide ? 64 : 48;
constexpr std::size_t kAttributeInfoSize0 = kWide ? 64 : 48;
constexpr std::size_t kRawArgumentSize0 = kWide ? 32 : 20;
constexpr std::size_t kPerfArgumentSize0 = kWide ? 40 : 28;

/// The number of the PMU "perf".
constexpr unsigned kGenericPmu = 51;

/// An event's number contains the PMU's number and the event's index in the PMU.
constexpr int kPmuShift = 21;
constexpr int kPmuMask = 0x3ff;
constexpr int kIndexMask = (1 << kPmuShift) - 1;

}  // namespace evname::libpfm
