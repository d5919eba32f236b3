#pragma once
// The result of functions that every call passes through, when nothing failed.

#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// A success to copy. A new one (`return {}`) first writes zeros over the room for an Error, which
/// takes longer than some of the calls.
extern const Result<void> kSuccess;

}  // namespace base
}  // namespace evname
