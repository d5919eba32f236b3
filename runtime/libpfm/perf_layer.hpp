#pragma once
// The layers of perf_event, which libpfm4 lays over the encodings of PMUs: modifiers of their own, and the fields of
// perf_event_attr that these and the privilege levels set.

#include <string_view>

#include "libpfm/unit.hpp"

namespace evname::libpfm {

/// An attribute of an event and its position; -1: there is none of that name.
struct Found {
  int position = -1;
  Attribute attribute;
};

/// Returns the attributes that an event has in the layer of the request: its own, then those of the layer.
int attribute_count(const Unit& unit, int event, Os os);
inline int attribute_count(const Request& request) {
  return attribute_count(*request.unit, request.event, request.os);
}
Attribute attribute_at(const Unit& unit, int event, int position, Os os);
Found find_attribute(const Request& request, std::string_view name, bool has_value);

/// Encodes the event into the attr, whose size is `attr.size`. What the request's text lacks of the layer's modifiers
/// is added. Sets the CPU that the text names, or -1.
Status encode_for_perf(Request& request, perf_event_attr& attr, int& cpu);

}  // namespace evname::libpfm
