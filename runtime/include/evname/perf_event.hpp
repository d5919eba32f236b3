#pragma once
// Fills a struct perf_event_attr from a resolved event.

#include <linux/perf_event.h>

#include <cstddef>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

/// Writes what the event specifies, and nothing else, to the struct perf_event_attr of `size` bytes
/// at `attr`: type; config, and config1 to config4 where the struct is long enough to have them;
/// bp_type; aux_action if the event has one; the exclude_*, pinned and exclusive bits and
/// precise_ip that modifiers ask for, in addition to the bits already set; and the member `size` if
/// it is 0. All other members are the caller's choice and are left alone: sample_period,
/// sample_type, disabled, inherit, …
///
/// Errors: not_found if only the machine itself knows the type of this PMU; out_of_range if the
/// event needs a member that a struct of this size (at least 64) does not have. On error, nothing
/// is written.
EVNAME_API Result<void> fill_attr(const Encoding& event, void* attr, std::size_t size);

/// The same, for the struct that the kernel header of your program defines.
inline Result<void> fill_attr(const Encoding& event, perf_event_attr& attr) {
  return fill_attr(event, &attr, sizeof attr);
}

}  // namespace evname
