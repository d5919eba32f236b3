#pragma once
// A PMU as libpfm4 shows it: events with numbers, and attributes of each, which are its unit masks and modifiers. What
// libpfm4 itself has, what the kernel has everywhere, and the CPUs that only evname knows are each a class of units.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libpfm/abi.hpp"

namespace evname::libpfm {

/// The modifiers that the layer of perf_event adds, by their numbers in libpfm4.
enum PerfAttribute : unsigned {
  kPerfUser,
  kPerfKernel,
  kPerfHypervisor,
  kPerfPeriod,
  kPerfFrequency,
  kPerfPrecise,
  kPerfExclusive,
  kPerfGuest,
  kPerfHost,
  kPerfCpu,
  kPerfPinned,
  kPerfHardwareSampling,
  kPerfAttributeCount
};

/// A set of them.
using PerfAttributes = std::uint32_t;
constexpr PerfAttributes kAllPerfAttributes = (1u << kPerfAttributeCount) - 1;
constexpr PerfAttributes bit(PerfAttribute attribute) { return 1u << attribute; }

/// The facts about a PMU that pfm_get_pmu_info returns, and those that decide how its events are encoded.
struct UnitFacts {
  const char* name = "";
  const char* desc = "";
  int id = 0;  ///< position in libpfm4's enum
  int type = kUnknownUnit;
  int max_encoding = 1;
  int counters = 0;
  int fixed_counters = 0;
  unsigned levels = 0;         ///< privilege levels that it can tell apart
  bool is_default = false;     ///< the PMU that all CPUs of an architecture have
  bool is_deprecated = false;  ///< found only if its name is given
  bool takes_raw_masks = false;  ///< takes `0x…` as unit mask
};

struct EventFacts {
  const char* name = "";
  const char* desc = "";
  const char* equiv = nullptr;  ///< the event that it is another name of, with its attributes
  std::uint64_t code = 0;
  bool is_precise = false;
  bool can_sample_in_hardware = false;
  unsigned speculation = kSpeculationUnknown;
};

/// A unit mask or modifier of an event. Two attributes with the same type, control and index are the same one.
struct Attribute {
  const char* name = "";
  const char* desc = "";
  const char* equiv = nullptr;
  std::uint64_t code = 0;
  std::uint64_t index = 0;
  int type = kNoAttribute;
  int control = kControlPmu;
  bool is_default = false;
  bool is_precise = false;
  bool can_sample_in_hardware = false;
  bool takes_no_modifiers = false;
  unsigned speculation = kSpeculationUnknown;
};

/// An attribute that a text asks for.
struct Asked {
  int position = 0;  ///< among the attributes of the event; the order in which they are written
  int type = kNoAttribute;
  int control = kControlPmu;
  bool takes_no_modifiers = false;
  std::uint64_t index = 0;
  std::uint64_t value = 0;
};

constexpr std::size_t kMostAsked = 64;
constexpr std::size_t kMostCodes = 4;
/// libpfm4 cuts full names off, less that of the PMU, after this many letters.
constexpr std::size_t kLongestText = 255;

class Unit;

/// An event that is being encoded.
struct Request {
  Os os = kOsNone;
  unsigned levels = 0;  ///< of the call, for events that have none of their own
  const Unit* unit = nullptr;
  int event = 0;

  std::array<Asked, kMostAsked> list;
  std::size_t asked_count = 0;

  std::array<std::uint64_t, kMostCodes> codes;
  int code_count = 0;
  bool wants_text = false;  ///< the caller reads `text`
  std::string text;         ///< full name, less that of the PMU

  std::span<Asked> asked() { return {list.data(), asked_count}; }
  std::span<const Asked> asked() const { return {list.data(), asked_count}; }
  /// Returns false if there are too many already.
  bool add(const Asked& more) {
    if (asked_count == kMostAsked) return false;
    list[asked_count++] = more;
    return true;
  }
  /// Orders what is asked for as the event lists it, for the text.
  void sort();
  /// Adds to the text ":NAME" or ":NAME=VALUE".
  void write(std::string_view name);
  void write(std::string_view name, std::uint64_t value);
};

/// Const members can be called by several threads at once.
class Unit {
 public:
  virtual ~Unit() = default;
  virtual const UnitFacts& facts() const = 0;

  virtual int event_count() const = 0;
  /// Returns the event after `event`, or the first one after -1; -1 if there is none.
  virtual int next(int event) const { return event + 1 < event_count() ? event + 1 : -1; }
  virtual bool has(int event) const { return event >= 0 && event < event_count(); }
  virtual EventFacts event(int event) const = 0;
  /// Returns the event of that name in any case, or -1. Names that carry a code leave it in the request.
  virtual int find(std::string_view name, Request& request) const = 0;

  /// Returns how many attributes of the event are its own, and one of them. Those that the layer `os` takes
  /// over are left out.
  virtual int attribute_count(int event, Os os) const = 0;
  virtual Attribute attribute(int event, int position, Os os) const = 0;
  /// Returns the position of the first attribute of that name in any case, or -1; unit masks have no value.
  virtual int find_attribute(int event, std::string_view name, bool has_value, Os os) const;
  /// Returns which modifiers of the layer of perf_event the event takes.
  virtual PerfAttributes perf_attributes(int event) const = 0;

  /// Sets the codes and the text.
  virtual Status encode(Request& request) const = 0;
  /// Sets type and config words of the attr as well.
  virtual Status encode_perf(Request& request, perf_event_attr& attr) const = 0;
};

/// Returns true if the texts differ in case only.
bool same_name(std::string_view one, std::string_view other);

}  // namespace evname::libpfm
