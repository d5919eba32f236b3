#pragma once
// The directories of one architecture and its mapfile.csv, before any topic file is read.

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::trees {

struct MapfileRow {
  std::string pattern;
  std::string version;
  std::string directory;  ///< relative to the architecture
  std::string type;       ///< "core"; may be missing
  std::string role;       ///< vendor trees, hybrid CPUs: "Core", "Atom"
  Place place;
};

/// A directory of topic files.
struct ModelDir {
  std::string name;                ///< relative to the architecture: "skylakex", "arm/neoverse-n1"
  bool system = false;             ///< a directory called sys
  std::vector<std::string> files;  ///< full paths of its *.json, sorted by name
  bool vendor = false;             ///< files have Intel's form (vendor_tree.hpp)
  std::map<std::string, std::string> units;  ///< vendor: Unit of events that have none, by file
  std::string source;  ///< source of its facts: "Intel perfmon GNR 1.20"; "" if not stated

  std::string unit_of(const std::string& file) const {
    const auto unit = units.find(file);
    return unit == units.end() ? std::string() : unit->second;
  }
};

struct ArchDir {
  std::string arch;
  std::string path;
  std::string mapfile;                ///< full path; "" if there is none
  std::string sources;                ///< full path of its sources.csv; "" if there is none
  std::vector<MapfileRow> map_rows;   ///< if there is no mapfile to read
  std::vector<std::string> standard;  ///< *.json at the top: standard events
  std::vector<ModelDir> models;       ///< sorted by name
  std::vector<std::string> stray;     ///< *.json in a directory that holds models: not read
  std::vector<std::string> left_out;  ///< names of models that were not chosen
};

/// Lists directories, but no links to directories that it has found before, such as `loop -> .`:
/// a directory is its device and inode.
class Walk {
 public:
  struct Listing {
    std::vector<std::string> files;  ///< *.json
    std::vector<std::string> directories;
  };
  /// Returns full paths, sorted by name.
  Listing list(const std::string& directory);

 private:
  std::set<std::pair<dev_t, ino_t>> known_;
};

/// Finds the architectures of an event tree, sorted by name: directories with a mapfile or with
/// models. Directories deeper than four levels and unreadable ones are left out.
std::vector<ArchDir> find_architectures(const std::string& root);

/// Returns full paths of the *.json files in a directory, sorted by name.
std::vector<std::string> json_files(const std::string& directory);

/// Returns "floating point" of ".../floating-point.json"; files called *metrics.json are "metrics".
std::string topic_of(const std::string& path);

/// Reads ARCH/sources.csv, the sources of each model's facts; the first row is a heading.
constexpr std::string_view kSourcesFile = "sources.csv";

/// A file evname-*.json among the topics of a model is this project's, not taken from a kernel
/// tree.
bool is_own_file(const std::string& path);

/// Reads the rows in file order. As in the kernel, the first row is always a heading, and empty
/// rows and rows that begin with '#' are comments. Columns may be quoted (RFC 4180).
std::vector<MapfileRow> read_mapfile(const std::string& path, Diagnostics& diagnostics);

/// Warns of rows that can never match a CPU of that architecture: a bad expression, a lower-case
/// x86 model, a MIDR that is no number, or a row that an earlier one hides.
void lint_mapfile(std::string_view arch, const std::vector<MapfileRow>& rows,
                  Diagnostics& diagnostics);

struct CsvRow {
  std::vector<std::string> cells;
  Place place;
};

/// Returns the rows of a file, its heading included. Empty lines and lines that begin with '#' are
/// comments. Cells may be quoted (RFC 4180), but a row is one line.
std::vector<CsvRow> read_csv(const std::string& path, Diagnostics& diagnostics);

}  // namespace evname::trees
