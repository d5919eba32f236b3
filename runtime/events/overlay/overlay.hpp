#pragma once
// Reads event files at run time. Their tables come before the build's, for CPUs newer than the
// build.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/cpu/find_model.hpp"
#include "events/tables/arrays.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/diagnostics.hpp"
#include "events/trees/tree.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::overlay {

/// The trees of a CPU, lowest first, and the inputs of their tables.
struct Sources {
  struct Part {
    trees::ArchDir directory;  ///< its only model is the CPU's, named `model`
    std::string path;          ///< of its tree
  };
  std::string model;
  bool over_known;  ///< the build has the model
  std::vector<Part> parts;
};

struct CompiledTrees {
  std::vector<std::shared_ptr<const tables::OwnedTables>> tables;  ///< the latest tree's first
  /// The models of the CPU, the latest first, and last the one of the build if it has the model.
  std::vector<tables::ModelView> models;
  std::vector<std::string> warnings;
};

/// Makes the tables of all sources.
CompiledTrees compile(const Sources& sources);

/// Returns an architecture's model of that name; an empty view if it has none.
tables::ModelView model_named(const tables::ArchTables& arch, std::string_view name);

/// Returns the reports of parts that are left out: errors, and metrics that are duplicate or depend
/// on themselves.
std::vector<std::string> errors_of(const trees::Diagnostics& diagnostics);

/// The CPU whose events are wanted.
struct WantedCpu {
  std::string arch, cpuid;
  std::string pmu_name;      ///< the capability; may be empty
  cpu::ModelMatch built_in;  ///< the build's model of that CPU
};

/// The files of a tree that are read.
enum class Files : std::uint8_t {
  any,
  nobody_elses,  ///< refuses files that users other than this one and root can change
};

class Tree;

/// The model that a tree has for a CPU.
struct TreeMatch {
  const Tree* tree;
  const trees::ArchDir* directory;
  cpu::ModelMatch match;
  std::string version;  ///< as the mapfile's row states it; may be empty
};

/// A directory of one of these forms: a kernel-layout tree (ARCH/mapfile.csv, ARCH/MODEL/*.json),
/// the vendor's (mapfile.csv that leads to files), or just the *.json files of one model. Fact
/// files (arch/README.md) may be beside mapfile.csv, or beside the files of one model.
class Tree {
 public:
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;
  /// Finds the models; topic files are not read yet.
  static Result<Tree> open(const std::string& directory, Files files = Files::any);

  const std::string& path() const { return path_; }
  /// Returns an error if others can change one of the files or directories, and such files are
  /// refused.
  Result<void> check_owners(std::span<const std::string> files) const;
  /// Returns true if it names no CPUs, so that its events are for any CPU.
  bool is_one_model() const { return one_model_; }
  /// Returns false if it has events, but none of a known architecture.
  bool has_known_architecture() const;
  /// Finds a model of the tree by name; empty view if it has none.
  cpu::NamedModel find_model(std::string_view name) const;
  /// Returns the model for a CPU; nullopt if it has none.
  std::optional<TreeMatch> find(const WantedCpu& wanted) const;
  /// Returns the reason why find() finds nothing.
  Error has_nothing(const WantedCpu& wanted) const;
  /// Returns names and rows of its models, by architecture; none if it names no CPUs.
  std::span<const tables::ArchTables> models() const;
  /// Returns the facts about CPUs that its files state; they live as long as the tree.
  tables::CpuFacts facts() const { return facts_.view(); }
  /// Returns the faults of its fact files, with file and line.
  const std::vector<std::string>& fact_warnings() const { return fact_warnings_; }
  /// Returns the faults of the files that lead to the models, with file and line.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Tree() = default;
  std::vector<tables::CpuFacts> layers() const;
  const trees::ArchDir* directory_of(std::string_view arch) const;
  cpu::ModelMatch match(const tables::ArchTables& view, const WantedCpu& wanted) const;

  std::string path_;
  Files files_ = Files::any;
  bool one_model_ = false;
  std::vector<trees::ArchDir> architectures_;
  std::vector<tables::TableArrays> models_;  ///< names and rows, no events
  std::vector<tables::ArchTables> views_;    ///< of models_
  tables::FactArrays facts_;
  std::vector<std::string> fact_warnings_;
  std::vector<std::string> warnings_;
};

using TreePtr = std::shared_ptr<const Tree>;

/// Opens the trees of evname::UserEvents, in the order of the search. Unusable ones become
/// warnings.
std::vector<TreePtr> user_trees(std::vector<std::string>& warnings);

/// Returns the trees that have something for the CPU, the newest version last; of equal ones, the
/// first of `trees` is last.
std::vector<TreePtr> newest_last(std::vector<TreePtr> trees, const WantedCpu& wanted);

/// The tables of the trees that have something for a CPU, and where its events are looked up. If
/// several of the models have an event on a PMU, the first counts. Warnings are about parts that
/// could not be used, with file and line.
struct Overlay : CompiledTrees {
  cpu::ModelMatch match;  ///< of the latest tree; its model is the first of `models`
};

/// Reads the files of the wanted CPU's model of each tree. Fails if none of the trees has anything
/// for that CPU.
Result<Overlay> read_trees(std::span<const TreePtr> trees, const WantedCpu& wanted);

/// A model of a directory of event files, and its CPUs in the mapfile.
struct DirectoryModel {
  std::string arch;                   ///< "x86"
  std::string name;                   ///< "skylakex"
  std::vector<std::string> patterns;  ///< in the order of the mapfile; empty: no row has this model
  std::string example_cpuid;          ///< a CPUID string that has this model; "" if none is known
};

/// Returns the models of a directory that Machine::with_events() takes, sorted by architecture,
/// then name. Reads only the files that assign models to CPUs. A directory with only the files of
/// one model names no CPU, and so has no models here. Errors: not_found.
[[nodiscard]] Result<std::vector<DirectoryModel>> models_in(const std::string& directory);

/// Returns the usable directories that UserEvents::lay_over searches, in the order of the search,
/// for all CPUs.
std::vector<std::string> user_event_directories();

}  // namespace evname::overlay
