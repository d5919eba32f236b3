#pragma once
// Encodes one event on one PMU.

#include <span>
#include <string>
#include <vector>

#include "events/machine/lookup.hpp"
#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {

/// An encoding in the making, with the texts that it will own.
struct EncodingBuilder {
  Encoding encoding;
  std::string name;
  std::string terms;
  std::vector<std::string> warnings;
  std::string sampling_terms;  ///< EncodingTexts::sampling_terms
  std::string text;            ///< the event's own, if a term names it; else empty

  Encoding finish() &&;
};

/// Encodes the alias alone on that PMU: the common case. Allocates nothing for an event of the
/// tables. Like the others, leaves Encoding::leader and bits to the resolver.
Result<void> encode_alias(const detail::MachineState& state, const syntax::Spec& spec,
                          const machine::BoundPmu& bound, const machine::Alias& alias,
                          Encoding& out);

/// Encodes these terms on that PMU or, if `box` is not empty, on that box of it, with the terms of
/// the alias among them. Errors: as
/// Packer::pack(), not_found for a bare term that is neither a field nor an event of the PMU,
/// invalid_argument for two events in one list.
Result<void> encode_terms(const detail::MachineState& state, const syntax::Spec& spec,
                          const machine::BoundPmu& bound, std::string_view box,
                          std::span<const tables::Term> terms, Encoding& out);

/// Encodes a spelled-out code: rHEX, TYPE:CONFIG, a tracepoint or a breakpoint. Its words come
/// before the event's own terms.
Result<EncodingBuilder> encode_generic(const detail::MachineState& state, const syntax::Spec& spec,
                                       std::uint32_t type, const ConfigWords& config);

}  // namespace evname::machine
