#pragma once
// What functions on the way of every call return when nothing failed.

#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// Success, to be copied: a new one (`return {}`) writes zeros over the room for an Error first,
/// which takes longer than some of the calls.
inline constinit const Result<void> kSuccess;

}  // namespace base
}  // namespace evname
