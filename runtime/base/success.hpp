#pragma once
// Defines the success of the functions on the fastest paths.

#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// A success to copy. A new one (`return {}`) first writes zeros over the room for an Error, which
/// takes longer than some of the calls.
extern const Result<void> kSuccess;

}  // namespace base
}  // namespace evname
