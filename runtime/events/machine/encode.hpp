#pragma once
// Filling in Encodings: one PMU, one term list.

#include <span>
#include <string>
#include <vector>

#include "events/machine/alias.hpp"
#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"

namespace evname::resolver {

/// An encoding in the making, with the texts that it will have to own.
struct Draft {
  Encoding encoding;
  std::string name;
  std::string terms;
  std::vector<std::string> warnings;

  Encoding finish() &&;
};

/// The alias alone on that PMU (no further terms): the common case. No allocation for an event of
/// the tables. Like the others it leaves Encoding::leader and bits to the resolver.
Result<void> encode_alias(const detail::MachineState& state, const syntax::Spec& spec,
                          const machine::BoundPmu& bound, const machine::Alias& alias,
                          Encoding& out);

/// These terms on that PMU, with the alias among them spliced in. Errors: those of Packer::pack(),
/// not_found for a bare term that is neither a field nor an event of the PMU, invalid_argument for
/// two events in one list.
Result<void> encode_terms(const detail::MachineState& state, const syntax::Spec& spec,
                          const machine::BoundPmu& bound, std::span<const syntax::Term> terms,
                          Encoding& out);

/// A code that stands for itself: rHEX, TYPE:CONFIG, tracepoints and breakpoints, whose words these
/// are before the event's own terms.
Result<Draft> encode_generic(const detail::MachineState& state, const syntax::Spec& spec,
                             std::uint32_t type, const ConfigWords& config);

}  // namespace evname::resolver
