#pragma once
// Filling in Encodings: one PMU, one term list.

#include <span>

#include "machine/alias.hpp"
#include "syntax/events.hpp"
#include "evname/encoding.hpp"

namespace evname::event {

/// An encoding of the machine with nothing but what the event text says.
Encoding start_encoding(const detail::MachineState& state, const Spec& spec, Source source);

void set_words(const Words& words, Encoding* encoding);

/// The alias alone on that PMU (no further terms): the common case.
Result<Encoding> encode_alias(const detail::MachineState& state, const Spec& spec,
                              const detail::BoundPmu& bound, const Alias& alias);

/// These terms on that PMU. Errors as of expand() and pack().
Result<Encoding> encode_terms(const detail::MachineState& state, const Spec& spec,
                              const detail::BoundPmu& bound, std::span<const Term> terms);

/// A code of a generic type; `core` (may be null) is the core PMU it is for on a hybrid machine.
Result<Encoding> encode_generic(const detail::MachineState& state, const Spec& spec,
                                std::uint32_t type, std::uint64_t config,
                                const detail::BoundPmu* core);

/// The core PMUs that need codes of their own (attr.config bits 32 and up hold the PMU's type):
/// all, if there are several whose types are known; else none.
std::vector<const detail::BoundPmu*> extended_cores(const detail::MachineState& state);

}  // namespace evname::event
