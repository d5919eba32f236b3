#pragma once
// Config words back to terms.

#include <string>

#include "naming/code_index.hpp"

namespace evname::event {

/// The exact term form of config words on that PMU: "event=0xd1,umask=0x20". Where fields overlap,
/// those that `like` (may be empty) uses are preferred; a word whose fields are ambiguous or do not
/// cover its bits is spelled "config1=0x…". Packing the result gives the words again.
std::string decode_terms(const pmu::Pmu& pmu, const ConfigWords& config, const Alias& like = {});

/// "config=0x1a8,config1=0x3": for codes of a PMU that isn't known. Zero words are left out.
std::string plain_terms(const ConfigWords& config);

}  // namespace evname::event
