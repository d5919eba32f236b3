#pragma once
// The keys of a topic file, and the PMUs that its units stand for.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace evname::compiler {

enum class KeyKind : std::uint8_t {
  name,     ///< EventName, ArchStdEvent
  head,     ///< EventCode, ExtSel, ConfigCode, EventidCode: the first term
  field,    ///< a term of its own, left out if zero
  special,  ///< a term with rules of its own: UMaskExt, MSRIndex, MSRValue, Filter
  fact,     ///< stored beside the encoding
  prose,    ///< sentences, and keys that only change sentences
  metric,   ///< part of a metric
  ignored,  ///< known, not used
};

struct Key {
  std::string_view name;
  KeyKind kind;
  std::string_view term;  ///< for KeyKind::field
  int bits;               ///< widest value that makes sense; 0: not a number or any
};

/// Returns all known keys. Fields are in the order of jevents' terms.
std::span<const Key> keys();

const Key* find_key(std::string_view name);

/// Returns the known key most similar to a misspelled `name`; "" if none is near.
std::string_view near_key(std::string_view name);

/// Returns the PMU that a "Unit" stands for: "" is "default_core" (whichever core PMU the machine
/// has), "iMC" is "uncore_imc". Same rows as jevents' unit_to_pmu.
std::string pmu_of_unit(std::string_view unit);

}  // namespace evname::compiler
