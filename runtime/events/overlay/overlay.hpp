#pragma once
// Event files read at run time, laid over the tables of the build: for CPUs newer than the build.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/cpu/find_model.hpp"
#include "events/tables/arrays.hpp"
#include "events/trees/diagnostics.hpp"
#include "events/trees/tree.hpp"
#include "evname/error.hpp"

namespace evname::overlay {

/// Whose events are wanted.
struct Wanted {
  std::string arch, cpuid;
  std::string pmu_name;      ///< the capability; may be empty
  cpu::ModelMatch built_in;  ///< what the build knows of that CPU
};

/// What a tree has for a CPU.
struct Part {
  const trees::ArchDir* directory;
  cpu::ModelMatch match;
  std::string version;  ///< as the mapfile's row states it; may be empty
};

/// A directory of one of these forms: a kernel-layout tree (ARCH/mapfile.csv, ARCH/MODEL/*.json),
/// the vendor's (mapfile.csv that leads to files), or just the *.json files of one model. Fact
/// files (arch/README.md) may lie beside mapfile.csv, or beside the files of one model.
class Tree {
 public:
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;
  /// Finds the models; topic files are not read yet.
  static Result<Tree> open(const std::string& directory);

  const std::string& path() const { return path_; }
  /// It says nothing of CPUs: its events are for any.
  bool is_one_model() const { return one_model_; }
  /// A model of the tree by name; empty view if it has none.
  tables::ModelView find_model(std::string_view name) const;
  /// nullopt: it has nothing for the CPU.
  std::optional<Part> find(const Wanted& wanted) const;
  /// Why find() has nothing.
  Error has_nothing(const Wanted& wanted) const;
  /// Names and rows of its models, by architecture; none, if it says nothing of CPUs.
  std::span<const tables::ArchTables> models() const;
  /// Returns the facts about CPUs that its files state; they live as long as the tree.
  tables::CpuFacts facts() const { return facts_.view(); }
  /// Returns what is wrong with its fact files, with file and line.
  const std::vector<std::string>& fact_warnings() const { return fact_warnings_; }
  /// What is wrong with the files that lead to the models, with file and line.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Tree() = default;
  std::vector<tables::CpuFacts> layers() const;
  const trees::ArchDir* directory_of(std::string_view arch) const;
  cpu::ModelMatch match(const tables::ArchTables& view, const Wanted& wanted) const;

  std::string path_;
  bool one_model_ = false;
  std::vector<trees::ArchDir> architectures_;
  std::vector<tables::TableArrays> models_;  ///< names and rows, no events
  std::vector<tables::ArchTables> views_;    ///< of models_
  tables::FactArrays facts_;
  std::vector<std::string> fact_warnings_;
  std::vector<std::string> warnings_;
};

using TreePtr = std::shared_ptr<const Tree>;

/// Tables with what the build has of the CPU and the events of the trees over it.
struct Laid {
  std::shared_ptr<const tables::OwnedTables> tables;  ///< what `match` looks into
  cpu::ModelMatch match;
  std::vector<std::string> warnings;  ///< what could not be used, with file and line
};

/// Reads the files of the wanted CPU's model of each tree; events of a later tree replace those of
/// an earlier one. An error if none of the trees has anything for that CPU.
Result<Laid> lay(std::span<const TreePtr> trees, const Wanted& wanted);

}  // namespace evname::overlay
