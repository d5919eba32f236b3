#pragma once
// The edge between Results (and what the standard library throws) and a caller in C.

#include <exception>
#include <new>

#include "evname/error.hpp"
#include "evname/evname.h"

namespace evname::c {

/// Tells the caller, who may not want to know (nullptr). Returns the status.
int tell(const Error& error, evname_error* out);
int tell(evname_status status, const char* message, evname_error* out);

/// Runs `fn`, which returns a Result<void>. Nothing is thrown across the edge.
template <class Fn>
int guarded(evname_error* error, Fn&& fn) noexcept {
  try {
    const Result<void> done = fn();
    return done ? EVNAME_OK : tell(done.error(), error);
  } catch (const std::bad_alloc&) {
    return tell(EVNAME_NO_MEMORY, "there is not enough memory", error);
  } catch (const std::exception& thrown) {
    return tell(EVNAME_INTERNAL, thrown.what(), error);
  }
}

/// A Result's value as a handle of the caller.
template <class Handle, class Value>
Result<void> hand_out(Result<Value> value, Handle** out) {
  if (!value) return tl::unexpected<Error>(std::move(value.error()));
  *out = new Handle{std::move(*value)};
  return {};
}

}  // namespace evname::c
