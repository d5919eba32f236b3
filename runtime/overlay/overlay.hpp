#pragma once
// Event files read at run time, laid over the tables of the build: for CPUs newer than the build.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics.hpp"
#include "compiler/tree.hpp"
#include "cpu/find_model.hpp"
#include "evname/error.hpp"
#include "tables/arrays.hpp"

namespace evname::overlay {

/// Whose events are wanted.
struct Wanted {
  std::string arch, cpuid;
  std::string pmu_name;      ///< the capability; may be empty
  cpu::ModelMatch built_in;  ///< what the build knows of that CPU
};

/// Tables with what the build has of the CPU and the directory's events over it.
struct Laid {
  std::shared_ptr<const tables::OwnedTables> tables;  ///< what `match` looks into
  cpu::ModelMatch match;
  std::vector<std::string> warnings;  ///< what could not be used, with file and line
};

/// A directory of one of three forms: a kernel-layout tree (ARCH/mapfile.csv, ARCH/MODEL/*.json),
/// the vendor's (mapfile.csv that leads to files), or just the *.json files of one model.
class Tree {
 public:
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;
  /// Finds the models; topic files are not read yet.
  static Result<Tree> open(const std::string& directory);

  /// A model of the tree by name; empty view if it has none.
  tables::ModelView find_model(std::string_view name) const;

  /// Reads the files of the wanted CPU's model. An error if the tree has nothing for that CPU.
  Result<Laid> lay(const Wanted& wanted) const;

 private:
  Tree() = default;
  const compiler::ArchDir* directory_of(std::string_view arch) const;
  cpu::ModelMatch match(const tables::ArchTables& view, const Wanted& wanted) const;

  std::string path_;
  bool one_model_ = false;  ///< it says nothing of CPUs: its events are for any
  std::vector<compiler::ArchDir> architectures_;
  std::vector<tables::TableArrays> models_;  ///< names and rows, no events
  std::vector<tables::ArchTables> views_;    ///< of models_
};

}  // namespace evname::overlay
