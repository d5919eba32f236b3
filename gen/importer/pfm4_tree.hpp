#pragma once
// Renews arch/pfm4 from libpfm4's sources.

#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::importer {

/// What an import of libpfm4 did.
struct Pfm4Report {
  std::size_t pmus = 0, events = 0, masks = 0;
  std::vector<std::string> changes;  ///< files that change, and the number of their lines that do
  std::vector<std::string> notes;    ///< what a reader has to look at
  std::size_t unchanged = 0;         ///< number of files
};

/// Returns the directory of libpfm4's sources in a tree: its own, or PAPI's copy; "": it has none.
std::string find_libpfm4(const std::string& directory);

/// Reads libpfm4's sources, and writes the files of `into`/pfm4 that change unless `check`. What
/// libpfm4 has in functions is kept of the PMUs that `into` has: their CPUs and some flags.
Pfm4Report import_libpfm4(const std::string& directory, const std::string& into, bool check,
                          trees::Diagnostics& diagnostics);

std::string pfm4_text(const Pfm4Report& report);  ///< for people

}  // namespace evname::importer
