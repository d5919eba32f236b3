#pragma once
// An event tree in memory, as facts: what an import makes of its sources, before anything is
// written.

#include <map>
#include <string>
#include <vector>

#include "events/trees/mapfile.hpp"
#include "importer/event_facts.hpp"

namespace evname::importer {

/// Topic files of a directory, by file name.
using Topics = std::map<std::string, std::vector<Facts>>;

struct ModelFacts {
  bool system = false;
  Topics topics;
  std::vector<std::string> sources;  ///< "Intel perfmon GNR 1.20", the one that counts most first
};

struct ArchFacts {
  std::map<std::string, ModelFacts> models;  ///< by directory
  Topics standard;
  std::vector<trees::MapfileRow> map_rows;
};

/// Where a maker's statement and another source's of the same event differ.
struct Disagreement {
  std::string model, pmu, event;
  std::string theirs;  ///< the encoding in the kernel's files
  std::string makers;  ///< in the maker's
  std::string taken;   ///< which of them, and why
};

}  // namespace evname::importer
