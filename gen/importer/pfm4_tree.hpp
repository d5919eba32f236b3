#pragma once
// Renews arch/pfm4 from libpfm4's sources.

#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::importer {

/// The result of an import of libpfm4.
struct Pfm4Report {
  std::size_t pmus = 0, events = 0, masks = 0;
  std::vector<std::string> changes;  ///< files that change, and the number of their lines that do
  std::vector<std::string> notes;    ///< messages for the user
  std::size_t unchanged = 0;         ///< number of files
};

/// Returns the directory of libpfm4's sources in a tree: its own, or PAPI's copy; "" if there is
/// none.
std::string find_libpfm4(const std::string& directory);

/// Reads libpfm4's sources, and writes the files of `into`/pfm4 that change unless `check`. For
/// known PMUs of `into`, keeps the facts that libpfm4 has only in functions: CPUs and some flags.
Pfm4Report import_libpfm4(const std::string& directory, const std::string& into, bool check,
                          trees::Diagnostics& diagnostics);

std::string pfm4_text(const Pfm4Report& report);  ///< for people

}  // namespace evname::importer
