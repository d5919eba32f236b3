#pragma once
// What differs between two states of an architecture's facts.

#include <string>
#include <vector>

#include "importer/facts_tree.hpp"

namespace evname::importer {

struct ModelChanges {
  std::string model;  ///< "x86/skylakex"; "x86/mapfile.csv" for rows of the mapfile
  std::size_t changed = 0, added = 0, gone = 0;
  std::vector<std::string> lines;  ///< "changed uncore_cha/unc_x: event=0x1 -> event=0x2"
};

/// Codes, events and mapfile rows; not periods, errata and other marks. Models that only `before`
/// has are not looked at.
std::vector<ModelChanges> changes_between(const std::string& arch, const ArchFacts& before,
                                          const ArchFacts& after);

}  // namespace evname::importer
