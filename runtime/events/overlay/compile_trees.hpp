#pragma once
// Makes the tables of a CPU's trees, one tree after the other, or takes them from the cache.

#include <string>
#include <string_view>
#include <vector>

#include "events/overlay/table_cache.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/tree.hpp"
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

/// The models of trees that are laid over each other.
class Layers {
 public:
  /// Begins with the models of the build, which are below the sources.
  explicit Layers(const Sources& sources);

  /// Adds the tables of the next tree.
  void add(const tables::OwnedTables& built);
  /// Returns the models of the CPU, the latest first.
  const std::vector<tables::ModelView>& models() const { return models_; }
  /// Returns the models that a tree above all these can refer to.
  std::vector<tables::ModelView> below() const;

 private:
  void add_standard(const tables::ArchTables& arch);

  std::string model_;
  std::vector<tables::ModelView> models_, standard_;  ///< the nearest first
};

/// Returns an architecture's model of that name; an empty view if it has none.
tables::ModelView model_named(const tables::ArchTables& arch, std::string_view name);

/// Returns the reports of parts that are left out: errors, and metrics that are duplicate or depend
/// on themselves.
std::vector<std::string> errors_of(const trees::Diagnostics& diagnostics);

/// Makes the tables of all sources. If `is_cached`, takes them from the cache, or puts them there
/// if it lacks them; `cache` says which.
CompiledTrees compile(const Sources& sources, bool is_cached, EventCache& cache);

}  // namespace evname::overlay
