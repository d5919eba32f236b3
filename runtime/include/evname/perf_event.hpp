#pragma once
// From a resolved event to the perf_event_attr that opens it.

#include <linux/perf_event.h>

#include <cstddef>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

/// Writes what the event says, and nothing else, to the struct perf_event_attr of `size` bytes at
/// `attr`: type; config, and config1 to config4 where the struct is long enough to have them;
/// bp_type; the exclude_*, pinned and exclusive bits and precise_ip that modifiers ask for, in
/// addition to what is set there; and the member `size` if it is 0. The rest is policy and stays as
/// it is: sample_period, sample_type, disabled, inherit, …
/// Errors: not_found: only the machine itself knows the type of this PMU; out_of_range: the event
/// needs a member that a struct of this size (at least 64) does not have. Nothing is written then.
EVNAME_API Result<void> fill_attr(const Encoding& event, void* attr, std::size_t size);

/// The same for the struct of the kernel's header that your program is compiled with.
inline Result<void> fill_attr(const Encoding& event, perf_event_attr& attr) {
  return fill_attr(event, &attr, sizeof attr);
}

}  // namespace evname
