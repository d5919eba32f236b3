#pragma once
// Events and attributes of the dictionary as the structs of libpfm4 describe them.

#include "events/pfm4/encode_name.hpp"
#include "libpfm/abi.hpp"

namespace evname::libpfm {

/// Fills all members except `size` and `pmu`. For the levels of generic events see
/// pfm4::AttributeList.
void describe_event(const pfm4::Pmu& pmu, const pfm4::Event& event, EventInfo& info);
/// Fills all members except `size` and `idx`.
void describe_attribute(const pfm4::Pmu& pmu, const pfm4::Event& event, pfm4::Attribute attribute,
                        AttributeInfo& info);
/// The event that stands for every code of the PMU of raw codes.
extern const pfm4::Event kRawCodeEvent;

}  // namespace evname::libpfm
