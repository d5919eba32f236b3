#pragma once
// Compiles libpfm4's names from the files of arch/pfm4 to a C++ table (events/pfm4/dictionary.hpp).

#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::gen {

/// C++ source: the tables, and the descriptions of their events for libpfm.so.4.
struct Pfm4Sources {
  std::string tables, texts;
};

/// Compiles arch/pfm4, with facts about its events from the other directories; sets `files` to the
/// files read.
Pfm4Sources emit_pfm4(const std::string& directory, trees::Diagnostics& diagnostics,
                      std::vector<std::string>& files);

}  // namespace evname::gen
