#pragma once
// Takes the facts of event trees into this project's own.

#include <map>
#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"
#include "importer/facts.hpp"
#include "importer/import.hpp"

namespace evname::importer {

/// What an import changes of a model.
struct ModelChanges {
  std::string model;  ///< "x86/skylakex"; "x86/mapfile.csv" for rows of the mapfile
  std::size_t changed = 0, added = 0, gone = 0;
  std::vector<std::string> lines;  ///< "changed uncore_cha/unc_x: event=0x1 -> event=0x2"
};

/// What an import did. Counts are entries unless the name says otherwise.
struct TreeReport {
  struct Arch {
    std::size_t events = 0, references = 0, standard = 0, described = 0;
    std::size_t models = 0, map_rows = 0;
  };
  std::map<std::string, Arch> taken;
  std::map<std::string, std::size_t> dropped;  ///< reason -> how many
  std::vector<std::string> written;            ///< files new or changed, relative to `into`
  std::vector<std::string> removed;            ///< files no longer in the source, and why
  std::vector<std::string> left;               ///< models only we have; not touched
  std::vector<std::string> unused;             ///< descriptions that fit no entry
  std::size_t unchanged_files = 0;
  std::vector<Disagreement> disagreements;  ///< between a maker and the kernel
  std::vector<ModelChanges> changes;        ///< of what is in `into`
};

/// Deterministic: the same input gives the same bytes. Diagnostics name what could not be read.
TreeReport import_tree(const ImportOptions& options, trees::Diagnostics& diagnostics);

/// The report for people.
std::string report_text(const TreeReport& report);
std::string disagreements_text(const TreeReport& report);
std::string changes_text(const TreeReport& report);

}  // namespace evname::importer
