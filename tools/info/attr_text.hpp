#pragma once
// Describes perf_event_attr in words, as perf evlist -v does.

#include <string>
#include <string_view>
#include <vector>

#include "evname/attr.hpp"

namespace evname::tools {

/// A field of perf_event_attr. Unions have a label that names both members; the key names the
/// active one.
struct AttrField {
  std::string_view label;  ///< the name in perf evlist -v: "{ sample_period, sample_freq }"
  std::string_view key;    ///< in JSON: "sample_freq"
  std::string text;
  /// A decimal number, a flag that is set ("1"), or a text: a hexadecimal number, names of bits.
  enum class Kind { text, number, flag } kind = Kind::text;
};

/// Returns every field that isn't zero, in perf's order; `type` and `size` always.
/// Source of labels and order: tools/perf/util/perf_event_attr_fprintf.c.
std::vector<AttrField> attr_fields(const perf_format::Attr& attr);

}  // namespace evname::tools
