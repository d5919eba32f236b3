#pragma once
// Encodes libpfm4's event texts, PMU::EVENT:MASK:MODIFIER=VALUE, to the words of a PMU and of
// perf_event_attr, by libpfm4's rules and with its error codes.

#include <cstdint>
#include <span>
#include <string_view>

#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

/// libpfm4's PFM_ERR codes.
enum class Error : int {
  none = 0,
  not_supported = -1,
  invalid = -2,
  no_init = -3,
  not_found = -4,
  combination = -5,  ///< of masks that exclude each other
  mask = -6,         ///< a group of masks has none and no default
  no_memory = -7,
  attribute = -8,        ///< an unknown or missing mask or modifier
  attribute_value = -9,  ///< a modifier's value is out of range
  attribute_set = -10,   ///< a modifier has two values
  too_many = -11,
  too_small = -12,
};

/// libpfm4's PFM_OS numbers: the words of the PMU, or an attr, with only the kernel's modifiers or
/// with all.
enum class Os : std::uint8_t { none, perf_event, perf_event_ext };

/// The attributes that may follow an event's name.
struct Attribute {
  enum class Kind : std::uint8_t { mask, boolean, number, raw_mask };
  std::uint16_t index;  ///< among the event's masks, the layout's modifiers or kOsModifiers
  Kind kind;
  bool of_os;
};

/// The attributes of an event in libpfm4's order: its masks, the PMU's modifiers, the interface's
/// modifiers. It refers to the PMU and the event.
class AttributeList {
 public:
  /// `levels`: the core PMU's privilege levels, for the generic events.
  AttributeList(const Pmu& pmu, const Event& event, Os os, std::uint8_t levels);

  std::size_t size() const;
  /// `position` must be less than size().
  Attribute operator[](std::size_t position) const;

 private:
  Attribute mask_at(std::size_t position) const;

  const Pmu* pmu_;
  const Event* event_;
  std::size_t masks_;          ///< how many the PMU has
  std::uint32_t own_, of_os_;  ///< bits of the modifiers
};

/// The members of perf_event_attr that libpfm4 sets. Other members keep their values.
struct OsAttr {
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  std::uint64_t sample_period = 0;  ///< or the frequency
  bool freq = false, exclusive = false, pinned = false;
  bool exclude_user = false, exclude_kernel = false, exclude_hv = false;
  bool exclude_guest = false, exclude_host = false;
  std::uint8_t precise_ip = 0;
  int cpu = -1;
};

/// The PMUs that a text may mean.
struct Scope {
  std::span<const std::uint16_t> active;  ///< indexes into Dictionary::pmus, in its order
  bool any_named = false;                 ///< a PMU that the text names may be any
  std::uint8_t levels = kKernel | kUser | kHypervisor;  ///< the core PMU's privilege levels
  /// Returns attr.type of a PMU of sysfs; negative: there is none. Null: all types are 4 (raw).
  int (*find_type)(std::string_view name) = nullptr;
  /// Returns true if the machine has an active PMU whose flags say that it must be looked for
  /// (kNeedsSysfs, kLive). Null: it has all.
  bool (*is_there)(const Pmu& pmu) = nullptr;
  std::span<const std::uint16_t> named = {};  ///< PMUs that a text may name; empty: the active ones
};

struct Encoded {
  Encoded() { text[0] = '\0'; }

  const Pmu* pmu = nullptr;
  unsigned event = 0;  ///< index into the PMU's events
  int count = 0;
  std::uint64_t codes[4] = {};
  bool wants_text = true;          ///< false: `text` stays empty, which takes half the time
  bool refuses_modifiers = false;  ///< one of the masks does; only with an interface of perf_event
  std::uint16_t text_size = 0;
  char text[256];  ///< fully qualified, without "PMU::"; truncated as in libpfm4
  OsAttr attr;     ///< only with an interface of perf_event
};

/// Encodes an event. `levels` apply if the text has none (libpfm4's dfl_plm). `out.attr` is in and
/// out.
Error encode(const Scope& scope, std::string_view text, std::uint8_t levels, Os os, Encoded& out);

/// Encodes an event of a PMU. The attributes are separated as in a text, without a delimiter before
/// the first one; no data() means none.
Error encode_event(const Scope& scope, const Pmu& pmu, unsigned event, std::string_view attributes,
                   std::uint8_t levels, Os os, Encoded& out);

/// Finds the PMU and event that a text means; its attributes must be known.
Error find(const Scope& scope, std::string_view text, Encoded& out);

}  // namespace evname::pfm4
