#pragma once
// Splits lists of events, describes the fields of perf_event_attr that an event sets, and lists the
// events that the kernel itself defines.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "evname/code.h"
#include "evname/error.hpp"
#include "evname/export.h"

struct perf_event_attr;  // of <linux/perf_event.h>

namespace evname {

/// How the model (the directory of event tables) of a machine was found.
enum class MatchedBy : std::uint8_t {
  none,          ///< No table fits; only names the kernel itself knows resolve.
  cpuid,         ///< A mapfile pattern matched the CPUID string.
  name,          ///< The caller, or the CPU's description in a recording, named the model.
  caps,          ///< Fallback: the PMU's pmu_name capability names a model.
  architecture,  ///< Fallback: only the architecture's standard events are known.
};

/// Where the terms of an encoding came from.
enum class Source : std::uint8_t {
  table,   ///< Built-in event tables (compiled from JSON).
  sysfs,   ///< events/NAME of the machine's sysfs.
  kernel,  ///< Names of the perf_event ABI itself: cycles, page-faults, L1-dcache-loads.
  raw,     ///< Spelled out by the caller: r1a8, cpu/event=0x3c/.
};

/// Returns the lower-case name that JSON output and messages use.
EVNAME_API const char* to_string(MatchedBy matched_by);
EVNAME_API const char* to_string(Source source);

/// The bits of perf_event_attr that event modifiers set. Nothing else in evname sets them.
struct AttrBits {
  // Members of perf_event_attr.
#define EVNAME_ATTR_BIT(name, NAME, Name, flag) bool name = false;
#include "evname/attr_bits.def"
  std::uint8_t precise_ip =
      0;  ///< 0 to 3; the modifier `P` gives 3, and perf then tries lower values

  /// Compares all members.
  bool operator==(const AttrBits&) const = default;
};

namespace detail {
struct EncodingTexts;
struct EncodingAccess;
}  // namespace detail

namespace tables {
struct ArchTables;
struct Event;
}  // namespace tables

/// One way to open an event. A name can stand for several: one per PMU that has it.
///
/// An encoding and its copies keep alive what their views refer to.
struct EVNAME_API Encoding {
  /// The name from the table or sysfs in lower case, the name that the term name= gives, else the
  /// text as given. It is for display; text() identifies the code.
  std::string_view name;
  /// "cpu", "uncore_imc_0"; "hardware", "hw_cache", … for generic types. "uncore_imc" stands for
  /// all boxes of that kind if the CPU is only named.
  std::string_view pmu;
  Code code = {};  ///< the event to count; its type may be known only on the live machine
  std::uint32_t bp_type =
      0;  ///< breakpoints: read 1, write 2, execute 4; config1: address, config2: length
  std::uint64_t period = 0;  ///< suggested sample period in events; 0: none given
  std::string modifiers;     ///< the event's own letters, then its group's: "u", "pp"; may be empty
  AttrBits bits;             ///< set by the modifiers; without any, no bit is set
  /// The index, in the result of one resolve call, of the encoding that leads this one's group; its
  /// own index if it leads a group or is in none. See Machine::regroup().
  std::size_t leader = 0;
  std::string_view model;  ///< model the name was found in ("skylakex"); empty for none
  MatchedBy matched_by = MatchedBy::none;  ///< how that model was found
  Source source = Source::raw;             ///< where the terms came from
  std::string_view unit;  ///< unit of a scaled count ("Bytes"); empty: a number of events
  double scale = 1.0;     ///< multiply a count by this to get `unit`
  /// perf_event_attr.aux_action, from the term aux-action. 1: the event starts paused; 2 and 4: it
  /// pauses or resumes the AUX event that leads its group.
  std::uint32_t aux_action = 0;

  Encoding();

  /// Returns false if the config words, too, are known only on the live machine. This is so for a
  /// generic event on one of several core PMUs, because its config contains the PMU's type. `code`
  /// is zero then.
  bool has_config() const { return code.has_type != 0 || source != Source::kernel; }

  /// Returns the event's text without modifiers. It resolves to this code even if the term name=
  /// gives the event another name. A name without a PMU also stands for the other PMUs that have
  /// it.
  std::string_view text() const;

  /// Returns the event as perf shows it: the text as given, with its own modifiers and without its
  /// group's, "INST_RETIRED.ANY:u", "msr/tsc/"; or the name that the term name= gives. An event
  /// of one of several core PMUs has its PMU, "cpu_atom/INST_RETIRED.ANY/u", and one that stands
  /// for one of several other PMUs its text().
  std::string written() const;

  /// Returns true if the term name= gave the event its name, to which perf adds no modifiers.
  bool has_given_name() const;

  /// Returns the terms as perf's tables have them: "event=0xd1,period=100007,umask=0x20". Each call
  /// makes the text.
  std::string terms() const;

  /// Returns one sentence that describes the event; may be empty.
  std::string_view desc() const;

  /// Returns the directory of event files that the event is from (EventDirectory::directory); empty
  /// if it is from the build or from the machine itself.
  std::string_view directory() const;

  /// Returns likely mistakes in the event's text, which is nevertheless encoded as perf encodes it:
  /// for example, a field given twice ("event=0x3c,event=0x1" gives 0x3d). Human-readable; usually
  /// empty.
  std::span<const std::string> warnings() const;

 private:
  friend struct detail::EncodingAccess;

  // Where terms() are from: an event of the tables, or a text.
  const tables::ArchTables* arch_ = nullptr;
  const tables::Event* event_ = nullptr;
  std::string_view terms_;
  std::shared_ptr<const detail::EncodingTexts> texts_;  // what no machine owns
  std::shared_ptr<const void> machine_;                 // what the views refer to
};

/// Writes the members that the event specifies, and no others, to the struct perf_event_attr of
/// `size` bytes at `attr`: type; config, and config1 to config4 if the struct is long enough to
/// have them; bp_type; aux_action if the event has one; the exclude_*, pinned and exclusive bits
/// and precise_ip that modifiers ask for, in addition to the bits already set; and the member
/// `size` if it is 0. All other members are the caller's choice and are left alone: sample_period,
/// sample_type, disabled, inherit, …
///
/// Errors: not_found if only the machine itself knows the type of this PMU; out_of_range if the
/// event needs a member that a struct of this size (at least 64) does not have. On error, nothing
/// is written.
[[nodiscard]] EVNAME_API Result<void> fill_attr(const Encoding& event, void* attr,
                                                std::size_t size);

/// Does the same for the struct that the kernel header of your program defines.
template <class Attr>
requires std::is_same_v<Attr, perf_event_attr> Result<void> fill_attr(const Encoding& event,
                                                                      Attr& attr) {
  return fill_attr(event, &attr, sizeof attr);
}

}  // namespace evname
