#pragma once
// Converts config words to terms, and warns about terms that perf encodes with another value.

#include <span>
#include <string>
#include <vector>

#include "events/packing/packer.hpp"

namespace evname::packing {

/// Returns config words as terms of that PMU, always exact: "event=0xd1,umask=0x20". If fields
/// overlap, the fields of `preferred` come first, then event and umask; a word whose fields are
/// ambiguous or do not cover its bits is spelled "config1=0x…". Packing the result gives the words
/// again.
std::string decode_terms(const pmu::Pmu& pmu, const ConfigWords& config,
                         std::span<const tables::Term> preferred = {});

/// Returns "config=0x1a8,config1=0x3", for codes of an unknown PMU. Leaves zero words out.
std::string plain_terms(const ConfigWords& config);

/// Spells a term whose source has no spelling: "umask=0x20", "inv=1", "period=100003".
std::string canonical_term(const pmu::Pmu& pmu, const tables::Term& term);

/// Returns a sentence for each field that holds another value than its last term has, or the user's
/// last if the user names it. `words` is the result of pack() for these terms.
std::vector<std::string> overlap_warnings(const pmu::Pmu& pmu, std::span<const tables::Term> terms,
                                          const Packed& words);

}  // namespace evname::packing
